import type { Session } from '../../../database/session.ts';
import { isKnownEvent } from '../../../entities/audit/fields.ts';
import { findSealHash } from '../../../entities/audit/checkpoint.ts';
import { findFirstSeal, findLastSeal, pageSealedEvents } from '../../../entities/proof/reading.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { toEvent } from '../../audit/events.ts';
import { readAll } from '../../core/read-pages.ts';
import type { People } from './people.ts';

/** Seals that one statement looks through. */
const PAGE_SIZE = 2000;
/** A number above any seal. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER;
/** A time before any event. */
const BEGINNING = '0001-01-01T00:00:00Z';

/** A piece of the chain: the seal before its first event, and its last one. */
export interface Piece {
  before: Seal;
  head: Seal;
}

interface Seal {
  sequence: number;
  hash: string;
}

/** The request from which a proof is made. */
export interface ProofContents {
  from: string | null;
  asOf: string;
  frameworks: readonly number[] | null;
  evidence: boolean;
  piece: Piece;
  people: People;
}

/** The log cannot be proved. The message is the reason of the failed proof. */
export class ProofError extends Error {}

/**
 * Finds the piece of the chain with the events of a period. Without an event in it, the piece is only the last seal before its end.
 * @param from null for the beginning of the log
 */
export async function findPiece(session: Session, from: string | null, asOf: string): Promise<Piece> {
  const seal = async (sequence: number): Promise<Seal> =>
    sequence === 0 ? { sequence, hash: '' } : { sequence, hash: (await session.one(findSealHash, { sequence })).hash };
  const period = { from: from ?? BEGINNING, asOf };
  const lowest = await findSeal(session, findFirstSeal, { ...period, position: 0 });
  if (lowest === undefined) {
    const earlier = await findSeal(session, findLastSeal, { from: BEGINNING, asOf, position: AFTER_ALL });
    const head = await seal(earlier ?? 0);
    return { before: head, head };
  }
  const highest = await findSeal(session, findLastSeal, { ...period, position: AFTER_ALL });
  return { before: await seal(lowest - 1), head: await seal(highest ?? lowest) };
}

/** Goes through the seals from a position until one has an event of the period. */
async function findSeal(
  session: Session,
  statement: typeof findFirstSeal,
  { position: start, ...period }: { from: string; asOf: string; position: number },
): Promise<number | undefined> {
  let position = start;
  for (;;) {
    const { found, rows, last } = await session.one(statement, { ...period, position, limit: PAGE_SIZE });
    if (found !== null) return found;
    if (rows < PAGE_SIZE || last === null) return undefined;
    position = last;
    await new Promise(setImmediate);
  }
}

interface Period {
  from: string | null;
  asOf: string;
  piece: Piece;
  people: People;
}

/** Lines of `events.ndjson`: the previous seal, then each event of the piece with the text that its seal covers. */
export async function* eventLines(session: Session, { from, asOf, piece, people }: Period): AsyncGenerator<object> {
  yield piece.before;
  const rows = readAll(
    (after, limit) => session.run(pageSealedEvents, { after, until: piece.head.sequence, limit }),
    piece.before.sequence,
    ({ sequence }) => sequence,
  );
  let expected = piece.before.sequence + 1;
  for await (const row of rows) {
    const { sequence, hash, sealed } = row;
    if (sequence !== expected) throw new ProofError(`The event with the sequence ${expected} is missing`);
    expected += 1;
    if (!isKnownEvent(row))
      throw new ProofError(`The event with the sequence ${sequence} was written by a newer version of the service`);
    const occurredAt = toIso(row.occurred_at);
    yield {
      sequence,
      hash,
      sealed,
      event: { ...toEvent(row, people.at(sequence)), sequence, deleted: row.action.endsWith('.delete') },
      ...((occurredAt > asOf || (from !== null && occurredAt < from)) && { inPeriod: false }),
    };
  }
  if (expected !== piece.head.sequence + 1) throw new ProofError(`The event with the sequence ${expected} is missing`);
}
