import type { Session } from '../../database/session.ts';
import { FrozenError, companyIsFrozen } from '../../entities/company/freezing.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Context } from './context.ts';
import type { Called } from './declaration/compile.ts';

/**
 * True if a call is rejected because the company is frozen, unless its input says that it is a dry run. A replay of an idempotent
 * response runs only the authorization. Contract, section 23.
 */
export function isRejectedWhileFrozen(
  { isDryRun, abortBeforeResolver, movedTo }: Pick<Context, 'isDryRun' | 'abortBeforeResolver' | 'movedTo'>,
  { isFrozen }: Pick<Principal, 'isFrozen'>,
  { type, meta }: Pick<Called, 'type' | 'meta'>,
): boolean {
  // After a move the procedures that still work check this themselves.
  if (movedTo !== undefined) return false;
  if (isFrozen !== true || type === 'query' || isDryRun === true || abortBeforeResolver !== undefined) return false;
  return meta.worksWhileFrozen !== true && meta.isStep !== true;
}

/** @throws FrozenError unless the input, which is not validated yet, says that nothing is written. The dry run of a file stores it. */
export function requireDryRun({ meta }: Pick<Called, 'meta'>, input: object): void {
  if (meta.body?.kind === 'file' || Reflect.get(input, 'dryRun') !== true) throw new FrozenError();
}

/**
 * Runs work that no trigger rejects while the company is frozen. A freeze waits for a transaction that began before it, and this one
 * sees a freeze before it.
 */
export const whileUnfrozen = <T>(session: Session, work: (inside: Session) => Promise<T>): Promise<T> =>
  session.transaction(async (inside) => {
    if ((await inside.one(companyIsFrozen, {})).frozen) throw new FrozenError();
    return work(inside);
  });

/** Result of the work of a job in a company; undefined if the company was frozen meanwhile. The job continues after the freeze. */
export const unlessFrozen = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof FrozenError) return undefined;
    throw error;
  });
