import type { RunStatement } from './driver.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import { observed } from './statement-observer.ts';
import type { StatementObserver } from './statement-observer.ts';

/** Where statements are run: each in a transaction of its own, or all in one. */
export interface StatementRunner {
  /**
   * @param deadline when it must have ended, by `performance.now()`; left out, as long as one request may take
   * @throws Refusal 503 when the database cannot serve it
   */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    deadline?: number,
  ): Promise<Row[]>;
}

/** Where a transaction runs its statements. */
export const transactionRunner = (run: RunStatement, observer: StatementObserver | undefined): StatementRunner => ({
  async run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input, session: SessionValues) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return (await observed(observer, statement.name, () => run(bind(statement, input, session)))).rows as Row[];
  },
});
