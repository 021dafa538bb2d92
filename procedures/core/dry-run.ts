import type { Session } from '../../database/session.ts';
import { beginDryRun } from '../../entities/company/freezing.ts';

/** Carries a result out of the transaction that it rolls back. */
class RollBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('The transaction was rolled back.');
    this.result = result;
  }
}

/**
 * Runs `work`. A dry run rolls back everything that it writes, and returns its result or throws its error. It works while the company
 * is frozen.
 */
export function runOrDryRun<T>(
  session: Session,
  isDryRun: boolean,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!isDryRun) return work(session);
  const trial = async (inside: Session) => {
    await inside.run(beginDryRun, {});
    return work(inside);
  };
  return transactionOrTrial(session, trial, () => true);
}

/** Runs `work` in a transaction, and returns its result. @param isTrial decides by the result to roll back */
export async function transactionOrTrial<T>(
  session: Session,
  work: (inside: Session) => Promise<T>,
  isTrial: (result: T) => boolean,
): Promise<T> {
  try {
    return await session.transaction<T>(async (inside) => {
      const result = await work(inside);
      if (isTrial(result)) throw new RollBack(result);
      return result;
    });
  } catch (error) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- thrown above, with the result of this work
    if (error instanceof RollBack) return (error as RollBack<T>).result;
    throw error;
  }
}
