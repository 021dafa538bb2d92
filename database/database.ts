import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { retryTransient, requestDeadline } from './retry.ts';
import type { PoolStats, QueryOptions } from './postgresql/connection-pool.ts';
import type { DatabaseDriver } from './driver.ts';
import type { DatabaseFiles } from './pglite/data-directory.ts';
import { ApiKeyCache } from './api-key-cache.ts';
import { ApiKeyLastUsed } from './api-key-last-used.ts';
import type { Replica } from './postgresql/replicas.ts';
import { transactionRunner } from './statement-runner.ts';
import type { StatementRunner } from './statement-runner.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { BoundStatement, SessionValues, Statement } from '../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from './timeouts.ts';
import { observed } from './statement-observer.ts';
import type { StatementObserver } from './statement-observer.ts';

const READINESS_QUERY: BoundStatement = {
  name: 'ready',
  text: `select current_setting('transaction_read_only') as setting`,
  values: [],
};

/** The connection to the database, and what this process remembers of API keys. */
export class Database implements StatementRunner {
  readonly apiKeyCache: ApiKeyCache;
  readonly apiKeyLastUsed: ApiKeyLastUsed;
  /**
   * Where requests run their statements which write nothing: those that read a company's rows go to replicas, where there
   * are any, and are answered with all that was committed before.
   */
  readonly readRunner: StatementRunner;
  readonly #driver: DatabaseDriver;
  #orm: ReturnType<DatabaseDriver['openOrm']> | undefined;
  #stopListening: () => Promise<void> = async () => {};
  #observer: StatementObserver | undefined;
  /** The answer that is being waited for. */
  #readOnlyCheck: Promise<boolean> | undefined;

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
    this.apiKeyCache = new ApiKeyCache(this);
    this.apiKeyLastUsed = new ApiKeyLastUsed(this);
    const { replicas } = driver;
    this.readRunner =
      replicas === undefined
        ? this
        : {
            run: (statement, input, session, deadline) =>
              statement.readOnly === true && statement.rowScope === 'company'
                ? this.#runOn(replicas, statement, input, session, deadline)
                : this.run(statement, input, session, deadline),
          };
  }

  /** Runs a statement in a transaction of its own. @throws Refusal 503 when the database cannot serve it */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    deadline?: number,
  ): Promise<Row[]> {
    return this.#runOn(this.#driver, statement, input, session, deadline);
  }

  async #runOn<Input extends object, Row>(
    server: Pick<DatabaseDriver, 'run'>,
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    deadline = requestDeadline(),
  ): Promise<Row[]> {
    const options = { write: statement.readOnly !== true, pipelined: statement.pipelined === true, deadline };
    const bound = bind(statement, input, session);
    const { rows } = await this.#retry(statement.name, () => server.run(bound, options), options);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return rows as Row[];
  }

  /** Runs SQL with its values in order, prepared under a name, as nobody: it meets no row of any company. */
  async query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const deadline = requestDeadline();
    const attempt = () => this.#driver.run({ name, text, values }, { write: false, deadline });
    const { rows } = await this.#retry(name, attempt, { write: true, deadline });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return rows as Row[];
  }

  /**
   * Runs statements in one transaction. Where another is in the way the whole work is done again: it must leave nothing
   * behind but what it runs here. What it throws rolls everything back.
   * @throws Refusal 503 when the database cannot serve it; where that is at the end, it may be committed or not
   */
  transaction<T>(work: (runner: StatementRunner) => Promise<T>, deadline = requestDeadline()): Promise<T> {
    const attempt = () => this.#driver.transaction((run) => work(transactionRunner(run, this.#observer)), deadline);
    return this.#retry('transaction', attempt, { write: true, deadline });
  }

  /**
   * Does work with a fork of the entity manager that `open` gives; with a new one where another transaction was in the way:
   * it must leave nothing behind but what it flushes. @throws Refusal 503 when the database cannot serve it
   */
  unitOfWork<T>(
    open: () => Promise<SqlEntityManager>,
    work: (em: SqlEntityManager) => Promise<T>,
    deadline = requestDeadline(),
  ): Promise<T> {
    const attempt = async () => work(await open());
    const attemptWithDeadline = () => this.#driver.withDeadline?.(deadline, attempt) ?? attempt();
    return this.#retry('unit of work', attemptWithDeadline, { write: true, deadline });
  }

  #retry<T>(name: string, attempt: () => Promise<T>, options: QueryOptions): Promise<T> {
    return observed(this.#observer, name, () => retryTransient(attempt, options));
  }

  /**
   * Whether the database answers, but takes no writes: a standby, or one told so. It is asked at once, however many wait for it,
   * and once for all who want to know at the same time.
   * @throws Refusal 503 when it does not answer
   */
  isReadOnly(): Promise<boolean> {
    this.#readOnlyCheck ??= this.#checkReadOnly().finally(() => (this.#readOnlyCheck = undefined));
    return this.#readOnlyCheck;
  }

  async #checkReadOnly(): Promise<boolean> {
    const options = { write: false, deadline: performance.now() + TIMEOUTS_MS.readinessCheck, skipQueue: true };
    const { rows } = await retryTransient(() => this.#driver.run(READINESS_QUERY, options), options);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return (rows as { setting: string }[])[0]?.setting === 'on';
  }

  /** The pool of connections; the embedded database has none. */
  get pool(): PoolStats | undefined {
    return this.#driver.pool;
  }

  /** The replicas, as this process sees them. */
  get replicas(): readonly Pick<Replica, 'isAvailable' | 'reads' | 'pool'>[] {
    return this.#driver.replicas?.all ?? [];
  }

  /** The files of an embedded database that is not in memory. */
  get files(): DatabaseFiles | undefined {
    return this.#driver.files;
  }

  /** A fork that has been told no company yet: reading or writing a company's rows with it throws. */
  async entityManager(): Promise<SqlEntityManager> {
    // What could not be opened is tried again by the next who asks.
    this.#orm ??= this.#driver.openOrm().catch((error: unknown) => {
      this.#orm = undefined;
      throw error;
    });
    return (await this.#orm).em.fork();
  }

  migrate(): Promise<void> {
    return this.#driver.migrate();
  }

  /** Whether the schema is what this version needs. @throws Refusal 503 when the database cannot tell */
  isMigrated(): Promise<boolean> {
    return this.#driver.isMigrated();
  }

  /** What the role of the service may not do and has to; undefined when it may do all. */
  missingPrivileges(): Promise<string | undefined> {
    return this.#driver.missingPrivileges();
  }

  /** What lets the role of the service past the policies that keep companies apart; undefined when nothing does. */
  excessPrivileges(): Promise<string | undefined> {
    return this.#driver.excessPrivileges();
  }

  /** The reason why statements cannot run through the pooler; undefined without a pooler or if they can. */
  async poolerError(): Promise<string | undefined> {
    return this.#driver.poolerError?.();
  }

  /** From now on tells of each statement. */
  observe(observer: StatementObserver): void {
    this.#observer = observer;
  }

  /** From now on hears of changes of keys in other processes, and writes down when keys were used. */
  async start(): Promise<void> {
    this.#stopListening = await this.#driver.listenForKeyChanges(() => this.apiKeyCache.invalidate());
    this.apiKeyLastUsed.start();
  }

  async close(): Promise<void> {
    await this.apiKeyLastUsed.stop();
    await this.#stopListening();
    await this.#driver.close();
  }
}
