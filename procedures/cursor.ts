import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Session } from '../entities/database/session.ts';
import { Refusal } from '../entities/refusal.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const Place = z.array(z.string());

/** Writes and reads the cursors of one list. */
interface Cursors {
  write(place: readonly string[]): string;
  /** @throws Refusal 400 for text that this list, asked so by this company, did not give */
  read(cursor: string): string[];
}

/**
 * Cursors of a list: a place between two items, sealed with a key that is derived from the list, its filters and the
 * company, so that none can be made up, changed, read, or used elsewhere (docs/decisions/0008-reading-the-trail.md).
 * @param filters all that decides what the list holds and in which order; the length of a page does not
 */
export async function cursorsOf(session: Session, list: string, filters: object): Promise<Cursors> {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const context = [list, session.principal.company, given.toSorted(([one], [other]) => (one < other ? -1 : 1))];
  const key = hmac(await session.cursorSecret(), JSON.stringify(context));

  return {
    write(place) {
      const text = JSON.stringify(place);
      // Drawn from the place itself, so that the same place has the same cursor.
      const iv = hmac(key, text).subarray(0, IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    read(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Decoding overlooks what is no base64url; what is given must be what was written, to the letter.
      const isWhole = bytes.length > IV_BYTES + TAG_BYTES && bytes.toString('base64url') === cursor;
      if (!isWhole) throw notOurs();
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
        return Place.parse(JSON.parse(text.toString()));
      } catch (cause) {
        throw notOurs(cause);
      }
    },
  };
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const notOurs = (cause?: unknown) =>
  new Refusal('invalid_request', 'cursor: not one that this list gave for these filters', { cause });
