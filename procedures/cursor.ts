import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Session } from '../entities/database/session.ts';
import { Refusal } from '../entities/refusal.ts';

const MAC_BYTES = 16;
const Place = z.array(z.string());

/** Writes and reads the cursors of one list. */
interface Cursors {
  write(place: readonly string[]): string;
  /** @throws Refusal 400 for text that this list, asked so by this company, did not give */
  read(cursor: string): string[];
}

/**
 * Cursors of a list: a place between two items, signed together with the list, its filters and the company, so that
 * none can be made up, changed, or used elsewhere. Filters are told apart as they are given. Contract, section 2.
 * @param filters all that decides what the list holds and in which order; the length of a page does not
 */
export async function cursorsOf(session: Session, list: string, filters: object): Promise<Cursors> {
  const secret = await session.cursorSecret();
  const asked = Object.entries(filters).filter(([, value]) => value !== undefined);
  const context = JSON.stringify([
    list,
    session.principal.company,
    asked.toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  const sign = (place: string) =>
    createHmac('sha256', secret).update(`${context}\n${place}`).digest().subarray(0, MAC_BYTES);

  return {
    write(place) {
      const text = JSON.stringify(place);
      return Buffer.concat([sign(text), Buffer.from(text)]).toString('base64url');
    },
    read(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const place = bytes.subarray(MAC_BYTES).toString();
      // Decoding overlooks what is no base64url; what is given must be what was written, to the letter.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(place));
      if (!isOurs) throw new Refusal('invalid_request', 'cursor: not one that this list gave for these filters');
      return Place.parse(JSON.parse(place));
    },
  };
}
