import type { RunStatement } from './driver.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import { observed } from './statement-observer.ts';
import type { StatementObserver } from './statement-observer.ts';

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

/** Runs all statements on the connection of one transaction. */
export const transactionRunner = (run: RunStatement, observer: StatementObserver | undefined): StatementRunner => ({
  async run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input, session: SessionValues) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement declares the type of its rows
    return (await observed(observer, statement.name, () => run(bind(statement, input, session)))).rows as Row[];
  },
});
