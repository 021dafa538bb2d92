import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { INVALID_CURSOR, PAGE_SIZE } from './pagination.ts';
import type { PageRequest } from './pagination.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const AUTH_TAG_BYTES = 16;
const CursorPosition = z.array(z.string());

/** Encodes and decodes the cursors of one list. */
interface CursorCodec {
  encode(position: readonly string[]): string;
  /**
   * Position of a cursor; empty without one.
   * @throws ApiError `invalid_request` unless this list returned the cursor for the same company and filters
   */
  decode(cursor: string | undefined): string[];
}

/**
 * Creates the cursor codec of a list. A cursor is a position between two items, encrypted with a key derived from the list,
 * its filters and the company. Clients cannot forge, modify or read it, nor use it for another list (decision 0020).
 * @param filters all inputs that select and order the items, without the page size
 */
export async function cursorCodec(session: Session, listName: string, filters: object): Promise<CursorCodec> {
  const definedFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
  const context = [listName, session.principal.company, definedFilters.toSorted(([a], [b]) => (a < b ? -1 : 1))];
  const key = hmac(await session.installation.cursorSecret(), JSON.stringify(context));

  return {
    encode(position) {
      const text = JSON.stringify(position);
      // Deriving the IV from the position makes the cursor of a position deterministic.
      const iv = hmac(key, text).subarray(0, IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([iv, ciphertext, cipher.getAuthTag()]).toString('base64url');
    },
    decode(cursor) {
      if (cursor === undefined) return [];
      const bytes = Buffer.from(cursor, 'base64url');
      // Buffer ignores invalid base64url characters. Encoding the bytes again must give the same text.
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

/**
 * Filters in the key of a cursor. Those that came later are left out if they are not set, so that earlier cursors still work.
 * @param first filters that the first version had; null if they are not set
 */
export const filtersOfKey = <Filters extends object>(filters: Filters, first: readonly (keyof Filters & string)[]) => ({
  ...Object.fromEntries(first.map((name) => [name, null])),
  ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null && value !== undefined)),
});

/** A page of a list. */
interface ListedPage<Row> {
  /** Name of the list and all inputs that select and order the items, for the cursor. */
  list: readonly [name: string, filters: object];
  request: PageRequest;
  /** Reads up to `limit` rows after a position, which is empty for the first page. */
  fetch: (position: readonly string[], limit: number) => Promise<Row[]>;
  /** Position after a row. */
  positionOf: (row: Row) => readonly string[];
}

/** Reads a page of a list. `nextCursor` is null on the last page, which is known from one row more. */
export async function readPage<Row>(
  session: Session,
  { list: [name, filters], request: { limit = PAGE_SIZE.default, cursor }, fetch, positionOf }: ListedPage<Row>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const codec = await cursorCodec(session, name, filters);
  const fetched = await fetch(codec.decode(cursor), limit + 1);
  const rows = fetched.slice(0, limit);
  const last = fetched.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : codec.encode(positionOf(last)) };
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const invalidCursor = (cause?: unknown) => new ApiError('invalid_request', `cursor: ${INVALID_CURSOR}`, { cause });
