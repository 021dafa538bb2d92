import type { z } from 'zod';
import type { Session } from '../../../database/session.ts';
import { movePlan, DIGEST_ROWS, digestRows } from '../../../database/move.ts';
import type { MovedTable } from '../../../database/move.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { findHead } from '../../../entities/audit/checkpoint.ts';
import { discardRows, findOccupant, lockMove, recordMoveState } from '../../../entities/company/moving.ts';
import type { MoveRow } from '../../../entities/company/moving.ts';
import { listMovedFiles } from '../../../entities/file/statements.ts';
import type { MovedFile } from '../../../entities/file/statements.ts';
import {
  deletePersonsWithoutCompany,
  findUnclaimedMembers,
  listPersonsOf,
  readPeoplePage,
  receivePersons,
  refreshPersons,
} from '../../../entities/person/moving.ts';
import type { PeoplePage } from '../../../entities/person/moving.ts';
import { findTakenIdentities, unlinkMember } from '../../../entities/single-sign-on/link.ts';
import { MissingBytesError } from '../../core/storage.ts';
import type { Storage } from '../../core/storage.ts';
import type { Services } from '../../core/services.ts';
import { invite } from '../../member/access.ts';
import { verifyLog } from '../audit.ts';
import type { FilePage, Head, TableSum } from './schemas.ts';

/** Rows that one statement deletes. */
const DISCARDED_ROWS = 2000;
/** Files that are read or deleted at the same time. */
const CONCURRENT_FILES = 16;

/**
 * Requires that the company has arrived completely: the rows of each table, the bytes of each file, and the audit log up to its head.
 * @throws ApiError 422 that names what differs
 */
export async function requireComplete(
  session: Session,
  storage: Storage,
  { sums, head }: { sums: readonly TableSum[]; head: Head },
): Promise<void> {
  for (const table of await movePlan()) {
    const expected = sums.find((sum) => sum.table === table.name);
    if (expected === undefined) throw incomplete(`${table.name} was not compared`);
    // oxlint-disable-next-line no-await-in-loop -- one table at a time, so that other companies keep their share
    const sum = await sumRows(session, table);
    const isEqual = table.grows || (sum.rows === expected.rows && sum.digest === expected.digest);
    if (!isEqual)
      throw incomplete(`${table.name} has ${sum.rows} rows, expected ${expected.rows} with the same content`);
  }
  await requireFiles(session, storage);
  const { intact, reason, unsealed } = await verifyLog(session, {});
  if (!intact || unsealed > 0) throw incomplete(`the audit log is not intact: ${reason ?? 'events without a seal'}`);
  const last = await session.one(findHead, {});
  if (last.sequence !== head.sequence || last.hash !== head.hash) throw incomplete('the audit log has another head');
}

const incomplete = (difference: string) =>
  new ApiError(
    'unprocessable',
    `company: has not arrived completely: ${difference}; run company move again, or with --abort first`,
  );

/** Requires the bytes of each file: their content was compared when they were stored. */
async function requireFiles(session: Session, storage: Storage): Promise<void> {
  for (let after: string | null = null; ;) {
    // oxlint-disable-next-line no-await-in-loop -- one page at a time
    const { missing, last }: z.output<typeof FilePage> = await filePage(session, storage, after);
    if (missing[0] !== undefined) throw incomplete(`the bytes of the file ${missing[0]} are missing`);
    if (last === null) return;
    after = last;
  }
}

/** Finds the files of a page whose bytes have not arrived. A store receives the last byte of a file last. */
export async function filePage(
  session: Session,
  storage: Storage,
  after: string | null,
): Promise<z.output<typeof FilePage>> {
  const { company } = session.principal;
  const files = await session.run(listMovedFiles, { after });
  const missing: string[] = [];
  await forEachAtOnce(files, async ({ uniqueId, store, place, size }) => {
    try {
      for await (const _ of storage.store(store, place).read({ company, uniqueId }, { start: size - 1, end: size - 1 }))
        break;
    } catch (error) {
      if (!(error instanceof MissingBytesError)) throw error;
      missing.push(uniqueId);
    }
  });
  return { count: files.length, missing, last: files.at(-1)?.uniqueId ?? null };
}

/** Runs work for each file, for some at the same time. */
async function forEachAtOnce(files: readonly MovedFile[], work: (file: MovedFile) => Promise<void>): Promise<void> {
  for (let index = 0; index < files.length; index += CONCURRENT_FILES)
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all(files.slice(index, index + CONCURRENT_FILES).map(work));
}

/** Reads a page of the people of the session's company. */
export const readPeople = (session: Session, after: string | null): Promise<PeoplePage> =>
  session.one(readPeoplePage, { companyId: session.principal.company, after });

/** Inserts the people of a page, or brings them up to date. @param inside a transaction */
export async function receivePeople(inside: Session, people: string): Promise<void> {
  await inside.run(receivePersons, { people });
  await inside.run(refreshPersons, { people, companyId: inside.principal.company });
}

/**
 * Deletes the members of a company that has not arrived completely, and the persons who belong to no other.
 * @param inside a transaction
 */
async function discardMembers(inside: Session, limit: number): Promise<number> {
  const persons = await inside.run(listPersonsOf, { companyId: inside.principal.company });
  const { discarded } = await inside.one(discardRows, { table: 'member', limit });
  await inside.run(deletePersonsWithoutCompany, { persons: persons.map(({ person }) => person) });
  return discarded;
}

/** Removes the links to accounts of single sign-on that another person of this cell has. */
export async function unlinkTaken(session: Session): Promise<{ member: string; issuer: string; subject: string }[]> {
  const taken = await session.run(findTakenIdentities, { companyId: session.principal.company });
  // oxlint-disable-next-line no-await-in-loop -- there are few
  for (const { member } of taken) await session.run(unlinkMember, { uniqueId: member });
  return taken;
}

/** Invites the persons with whose email a member has arrived. A link that was made before stops working. */
export async function inviteUnclaimed(
  session: Session,
  services: Services,
): Promise<{ email: string; link: string }[]> {
  const members = await session.run(findUnclaimedMembers, { companyId: session.principal.company });
  const invited = [];
  // Sequential: there are few, and each takes a transaction.
  /* oxlint-disable no-await-in-loop */
  for (const { email, role, frameworks } of members) {
    // Whoever runs the move gives the link to the person, even if a mail is lost.
    const { link } = await invite(session, services, { email, role, frameworks, endsAt: null, isAlsoShown: true });
    if (link !== null) invited.push({ email, link });
  }
  /* oxlint-enable no-await-in-loop */
  return invited;
}

/**
 * Ends a move into this cell that has not ended, and deletes what has arrived with it. Each batch locks the record of the move, so
 * that a call which another move has overtaken deletes nothing of it. A killed call can be repeated.
 * @throws ApiError 409 if another move began meanwhile
 */
export async function discardArrival(session: Session, storage: Storage, { id, move }: MoveRow): Promise<void> {
  const batch = <T>(work: (inside: Session) => Promise<T>) =>
    session.transaction(async (inside) => {
      const last = await inside.first(lockMove, { id });
      if (last?.direction !== 'in' || last.move !== move || last.state === 'serving')
        throw new ApiError('conflict', `company: ${id} is already arriving with another move`);
      return work(inside);
    });
  const isArriving = await batch(async (inside) => {
    await inside.run(recordMoveState, { id, state: 'aborted', sequence: null, hash: null });
    return (await inside.first(findOccupant, { id }))?.isArriving === true;
  });
  if (!isArriving) return;
  const deleteFiles = async (inside: Session, after: string | null) => {
    const files = await inside.run(listMovedFiles, { after });
    await forEachAtOnce(files, ({ uniqueId, store, place }) =>
      storage.store(store, place).delete({ company: id, uniqueId }),
    );
    return files.at(-1)?.uniqueId ?? null;
  };
  /* oxlint-disable no-await-in-loop -- one batch at a time */
  for (let after: string | null = null; ;) {
    const start: string | null = after;
    after = await batch((inside) => deleteFiles(inside, start));
    if (after === null) break;
  }
  for (const { name } of (await movePlan()).toReversed()) {
    const discard = async (inside: Session) =>
      name === 'member'
        ? discardMembers(inside, DISCARDED_ROWS)
        : (await inside.one(discardRows, { table: name, limit: DISCARDED_ROWS })).discarded;
    for (let discarded = DISCARDED_ROWS; discarded === DISCARDED_ROWS;) discarded = await batch(discard);
  }
  /* oxlint-enable no-await-in-loop */
  await batch((inside) => inside.one(discardRows, { table: 'company', limit: 1 }));
}

/** Adds up the rows of a table and their hashes, in the company of the session. Both cells do, and compare. */
export async function sumRows(session: Session, table: MovedTable): Promise<TableSum> {
  let rows = 0;
  let digest = 0n;
  for (let after: string | null = null; ;) {
    const [statement, input] = digestRows(table, { after });
    // oxlint-disable-next-line no-await-in-loop -- each page begins after the last one
    const page = await session.one(statement, input);
    rows += page.count;
    digest += BigInt(page.digest);
    if (page.count < DIGEST_ROWS) return { table: table.name, rows, digest: String(digest) };
    after = page.last;
  }
}
