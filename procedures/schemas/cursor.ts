import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const AUTH_TAG_BYTES = 16;
const CursorPosition = z.array(z.string());

/** Writes and reads the cursors of one list. */
interface CursorCodec {
  encode(position: readonly string[]): string;
  /** @throws Refusal 400 for text that this list, asked so by this company, did not give */
  decode(cursor: string): string[];
}

/**
 * Cursors of a list: a place between two items, sealed with a key that is derived from the list, its filters and the
 * company, so that none can be made up, changed, read, or used elsewhere (docs/decisions, 0020).
 * @param filters all that decides what the list holds and in which order; the length of a page does not
 */
export async function cursorCodec(session: Session, listName: string, filters: object): Promise<CursorCodec> {
  const definedFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
  const context = [
    listName,
    session.principal.company,
    definedFilters.toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
  const key = hmac(await session.cursorSecret(), JSON.stringify(context));

  return {
    encode(position) {
      const text = JSON.stringify(position);
      // Drawn from the place itself, so that the same place has the same cursor.
      const iv = hmac(key, text).subarray(0, IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([iv, ciphertext, cipher.getAuthTag()]).toString('base64url');
    },
    decode(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Decoding overlooks what is no base64url; what is given must be what was written, to the letter.
      const isCanonical = bytes.length > IV_BYTES + AUTH_TAG_BYTES && bytes.toString('base64url') === cursor;
      if (!isCanonical) throw invalidCursor();
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: AUTH_TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(-AUTH_TAG_BYTES));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -AUTH_TAG_BYTES)), decipher.final()]);
        return CursorPosition.parse(JSON.parse(text.toString()));
      } catch (cause) {
        throw invalidCursor(cause);
      }
    },
  };
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const invalidCursor = (cause?: unknown) =>
  new ApiError('invalid_request', 'cursor: not one that this list gave for these filters', { cause });
