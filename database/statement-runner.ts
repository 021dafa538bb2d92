import type { ChangedCompanies } from './changed-companies.ts';
import type { RunStatement } from './driver.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';

/** Runs statements: each in a separate transaction, or all in one. */
export interface StatementRunner {
  /**
   * @param deadline a value of `performance.now()`; by default, `TIMEOUTS_MS.request` from now
   * @throws ApiError 503 if the database is unavailable
   */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    deadline?: number,
  ): Promise<Row[]>;
}

/** Runs all statements on the connection of one transaction, and adds the companies that they change. */
export const transactionRunner = (
  run: RunStatement,
  changed: ChangedCompanies,
  observer: StatementObserver | undefined,
): StatementRunner => ({
  async run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input, session: SessionValues) {
    const { rows } = await observed(observer, statement.name, () => run(bind(statement, input, session)));
    changed.addWrite(statement, session);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement declares the type of its rows
    return rows as Row[];
  },
});

/**
 * Called with the name of a statement when it starts. The returned function is called when the statement ends, with the
 * error if there is one. Units of work and transactions are reported under these names.
 */
export type StatementObserver = (statement: string) => (error?: unknown) => void;

/** Runs `work` and reports its start and end to the observer, if there is one. */
export async function observed<T>(
  observer: StatementObserver | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (observer === undefined) return work();
  const onEnd = observer(name);
  try {
    const result = await work();
    onEnd();
    return result;
  } catch (error) {
    onEnd(error);
    throw error;
  }
}
