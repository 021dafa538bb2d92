import type { Session } from '../../database/session.ts';

/** Carries the result of a dry run out of the transaction that it rolls back. */
class RollBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('A dry run was rolled back.');
    this.result = result;
  }
}

/** Runs `work`. A dry run rolls back everything that it writes, and returns its result or throws its error. */
export async function runOrDryRun<T>(
  session: Session,
  isDryRun: boolean,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!isDryRun) return work(session);
  try {
    return await session.transaction<T>(async (inside) => {
      throw new RollBack(await work(inside));
    });
  } catch (error) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- thrown above, with the result of this work
    if (error instanceof RollBack) return (error as RollBack<T>).result;
    throw error;
  }
}
