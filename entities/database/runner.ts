import type { Run } from './driver.ts';
import { bind } from './statement.ts';
import type { SessionValues, Statement } from './statement.ts';
import { watched } from './watch.ts';
import type { Watch } from './watch.ts';

/** Where statements are run: each in a transaction of its own, or all in one. */
export interface Runner {
  /**
   * @param until when it must have ended, by `performance.now()`; left out, as long as one request may take
   * @throws Refusal 503 when the database cannot serve it
   */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    until?: number,
  ): Promise<Row[]>;
}

/** Where a transaction runs its statements. */
export const runnerOf = (run: Run, watch: Watch | undefined): Runner => ({
  async run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input, session: SessionValues) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return (await watched(watch, statement.name, () => run(bind(statement, input, session)))).rows as Row[];
  },
});
