import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import type { OwnerQuery, RunStatement } from './driver.ts';

/** Companies with committed writes of this process whose audit events nobody has taken for sealing yet. */
export class ChangedCompanies {
  readonly #ids = new Set<number>();
  #next = Promise.withResolvers<void>();

  /** Adds a company. Call it after the commit, because an event of a running transaction cannot be sealed. */
  add(company: number): void {
    this.#ids.add(company);
    if (this.#ids.size === 1) this.#next.resolve();
  }

  /** Adds the company of a statement that may have written audit events. */
  addWrite(
    { readOnly, isBookkeeping }: Pick<Statement<never, never>, 'readOnly' | 'isBookkeeping'>,
    { company }: SessionValues,
  ): void {
    if (readOnly !== true && isBookkeeping !== true && typeof company === 'number') this.add(company);
  }

  /** Returns the companies and removes them. */
  take(): number[] {
    const ids = [...this.#ids];
    this.#ids.clear();
    this.#next = Promise.withResolvers();
    return ids;
  }

  /** Resolves when there is a company. */
  next(): Promise<void> {
    return this.#next.promise;
  }
}

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

/** Runs all statements in a transaction of the owner of the tables. Nobody else sees the rows before it ends. */
export const ownerRunner = (query: OwnerQuery): StatementRunner =>
  transactionRunner(
    async ({ settings, text, values }) => {
      if (settings !== undefined) await query(settings.text, settings.values);
      return { rows: await query(text, values) };
    },
    new ChangedCompanies(),
    undefined,
  );

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
