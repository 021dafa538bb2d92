import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { MOVING_VERSION, findCompany } from '../../entities/company/closing.ts';
import {
  hasTransactionsFrom,
  isBeingMoved,
  lockToFreeze,
  readClock,
  setFrozen,
} from '../../entities/company/freezing.ts';
import type { CompanyRow } from '../../entities/company/statements.ts';
import { releaseProofs } from '../../entities/proof/making.ts';
import { isBeingErased } from './closing.ts';

/** Milliseconds for which a freeze waits for writes that began before it. */
const MAX_WAIT_MS = 10_000;
/** Milliseconds between two looks for such writes. */
const POLL_MS = 25;

/** Cells exchange companies through PostgreSQL. @throws ApiError 422 on the embedded database */
export function requirePostgreSql(session: Pick<Session, 'owner'>): void {
  if (session.owner !== undefined) throw new ApiError('unprocessable', 'company: cells need PostgreSQL (DATABASE_URL)');
}

/**
 * Makes a company read-only, and waits until no transaction is open that may write in it. A company that is frozen stays so. Contract,
 * section 23.
 * @throws ApiError 409 for a company that is closed, being erased or moved, 503 while writes are under way or an older version runs
 */
export async function freeze(anySession: Session): Promise<CompanyRow> {
  requirePostgreSql(anySession);
  await anySession.requireVersion(MOVING_VERSION);
  const session = anySession.withoutDeadline();
  const { company } = session.principal;
  const { row, isNew } = await session.transaction(async (inside) => {
    const { closedAt, erasingAt, movedTo, frozenAt } = found(await inside.first(lockToFreeze, {}), 'company');
    if (erasingAt !== null) throw isBeingErased(company);
    if (movedTo !== null) throw new ApiError('conflict', `company: ${company} was moved to ${movedTo}`);
    if (closedAt !== null) throw new ApiError('conflict', `company: ${company} is closed; run company reopen first`);
    if (frozenAt !== null) return { row: await inside.one(findCompany, {}), isNew: false };
    await inside.run(releaseProofs, {});
    return { row: await inside.one(setFrozen, { frozen: true }), isNew: true };
  });
  session.invalidateApiKeys(); // a trigger tells the other processes
  // Another call that froze the company may have undone that while this one waited.
  if ((await earlierTransactionsEnd(session)) && (await isStillFrozen(session))) return row;
  if (isNew) await thaw(session);
  throw new ApiError(
    'unavailable',
    `company: writes of ${company} are under way; it was not frozen. Try again shortly.`,
  );
}

/** @returns false if transactions from before the call are open after `MAX_WAIT_MS` */
async function earlierTransactionsEnd(session: Session): Promise<boolean> {
  const { at } = await session.one(readClock, {});
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end;) {
    if (!(await session.one(hasTransactionsFrom, { at })).exists) return true;
    await wait(POLL_MS);
  }
  return false;
}

/**
 * Ends a freeze. A company that is not frozen stays so.
 * @throws ApiError 409 while a move is under way, or has ended
 */
export async function unfreeze(session: Session): Promise<CompanyRow> {
  requirePostgreSql(session);
  const { company } = session.principal;
  const row = await session.transaction(async (inside) => {
    const { movedTo, arrivingAt } = found(await inside.first(lockToFreeze, {}), 'company');
    const { moving } = await inside.one(isBeingMoved, { id: company });
    if (moving || movedTo !== null || arrivingAt !== null)
      throw new ApiError('conflict', `company: ${company} is being moved; run company move again, or with --abort`);
    return (await inside.first(setFrozen, { frozen: false })) ?? (await inside.one(findCompany, {}));
  });
  session.invalidateApiKeys();
  return row;
}

const isStillFrozen = (session: Session): Promise<boolean> =>
  session.transaction(async (inside) => found(await inside.first(lockToFreeze, {}), 'company').frozenAt !== null);

/** Undoes a freeze that is rejected, unless a move needs it by now, which then ends it itself. */
async function thaw(session: Session): Promise<void> {
  await session.transaction(async (inside) => {
    await inside.first(lockToFreeze, {});
    const { moving } = await inside.one(isBeingMoved, { id: session.principal.company });
    if (!moving) await inside.run(setFrozen, { frozen: false });
  });
  session.invalidateApiKeys();
}
