import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { retryTransient, requestDeadline } from './retry.ts';
import type { PoolStats, QueryOptions } from './connection/connection-pool.ts';
import type { DatabaseDriver, DatabaseFiles } from './driver.ts';
import { ApiKeyCache } from './api-key/cache.ts';
import { ApiKeyLastUsed } from './api-key/last-used.ts';
import { ApiKeyUsageCounter } from './api-key/usage.ts';
import type { Data } from './upgrade/inspect.ts';
import type { Replica } from './postgresql/replicas.ts';
import { transactionRunner } from './statement-runner.ts';
import type { StatementRunner } from './statement-runner.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from './timeouts.ts';
import { observed } from './statement-observer.ts';
import type { StatementObserver } from './statement-observer.ts';

const READINESS_SQL = `select current_setting('transaction_read_only') as setting`;

/** Access to the database, with the API key cache of this process. */
export class Database implements StatementRunner {
  readonly apiKeyCache = new ApiKeyCache(this);
  readonly apiKeyLastUsed = new ApiKeyLastUsed(this);
  readonly apiKeyUsage = new ApiKeyUsageCounter(this);
  /**
   * Runs the read-only statements of requests. If replicas are configured, they run the statements of one company.
   * A result includes everything that was committed before the call.
   */
  readonly readRunner: StatementRunner;
  readonly #driver: DatabaseDriver;
  #orm: ReturnType<DatabaseDriver['openOrm']> | undefined;
  #stopListening: () => Promise<void> = async () => {};
  #observer: StatementObserver | undefined;
  /** The pending check, shared by concurrent callers. */
  #readOnlyCheck: Promise<boolean> | undefined;

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
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

  /** Runs a statement in a separate transaction. @throws ApiError 503 if the database is unavailable */
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement declares the type of its rows
    return rows as Row[];
  }

  /** Runs SQL with positional values as a prepared statement. Without a principal it sees no row of any company. */
  async query<Row>(name: string, text: string, values: unknown[], deadline = requestDeadline()): Promise<Row[]> {
    const attempt = () => this.#driver.run({ name, text, values }, { write: false, deadline });
    const { rows } = await this.#retry(name, attempt, { write: true, deadline });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement declares the type of its rows
    return rows as Row[];
  }

  /**
   * Runs statements in one transaction, and rolls it back if `work` throws. After a serialization conflict `work` runs again,
   * so it must have no other side effects.
   * @throws ApiError 503 if the database is unavailable; after an error during the commit the outcome is unknown
   */
  transaction<T>(work: (runner: StatementRunner) => Promise<T>, deadline = requestDeadline()): Promise<T> {
    const attempt = () => this.#driver.transaction((run) => work(transactionRunner(run, this.#observer)), deadline);
    return this.#retry('transaction', attempt, { write: true, deadline });
  }

  /**
   * Runs `work` with the entity manager that `open` returns. After a serialization conflict `work` runs again with a new
   * entity manager, so it must have no side effects except flushed changes.
   * @throws ApiError 503 if the database is unavailable
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
   * Checks if the database is read-only, such as a standby. The check skips the queue of the pool, and concurrent callers
   * share one check.
   * @throws ApiError 503 if the database does not respond
   */
  isReadOnly(): Promise<boolean> {
    this.#readOnlyCheck ??= this.#checkReadOnly().finally(() => (this.#readOnlyCheck = undefined));
    return this.#readOnlyCheck;
  }

  async #checkReadOnly(): Promise<boolean> {
    const options = { write: false, deadline: performance.now() + TIMEOUTS_MS.readinessCheck, skipQueue: true };
    const readiness = { name: 'ready', text: READINESS_SQL, values: [] };
    const { rows } = await retryTransient(() => this.#driver.run(readiness, options), options);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement declares the type of its rows
    return (rows as { setting: string }[])[0]?.setting === 'on';
  }

  /** Statistics of the connection pool; undefined for the embedded database. */
  get pool(): PoolStats | undefined {
    return this.#driver.pool;
  }

  /** Replicas and their state in this process. */
  get replicas(): readonly Pick<Replica, 'isAvailable' | 'reads' | 'pool'>[] {
    return this.#driver.replicas?.all ?? [];
  }

  /** Data directory of an embedded database; undefined if it is in memory. */
  get files(): DatabaseFiles | undefined {
    return this.#driver.files;
  }

  /** Forks the entity manager. The fork has no company yet, so access to the rows of a company throws. */
  async entityManager(): Promise<SqlEntityManager> {
    // After an error the next call opens the ORM again.
    this.#orm ??= this.#driver.openOrm().catch((error: unknown) => {
      this.#orm = undefined;
      throw error;
    });
    return (await this.#orm).em.fork();
  }

  migrate(): Promise<void> {
    return this.#driver.migrate();
  }

  /** True if all migrations are applied. @throws ApiError 503 if the database is unavailable */
  isMigrated(): Promise<boolean> {
    return this.#driver.isMigrated();
  }

  /** Compares the data with this version, and writes nothing. @throws IncompatibleDataError if it cannot run on them */
  readonly inspect = (): Promise<Data> => this.#driver.inspect();

  /** Describes privileges that the role of the service needs and lacks; undefined if it lacks none. */
  missingPrivileges(): Promise<string | undefined> {
    return this.#driver.missingPrivileges();
  }

  /** Describes a privilege with which the service role could bypass tenant isolation; undefined if there is none. */
  excessPrivileges(): Promise<string | undefined> {
    return this.#driver.excessPrivileges();
  }

  /** The reason why statements cannot run through the pooler; undefined without a pooler or if they can. */
  async poolerError(): Promise<string | undefined> {
    return this.#driver.poolerError?.();
  }

  /** Reports every statement from now on to an observer. */
  observe(observer: StatementObserver): void {
    this.#observer = observer;
  }

  /** Starts listening for key changes in other processes, and recording when and how often keys were used. */
  async start(): Promise<void> {
    this.#stopListening = await this.#driver.listenForKeyChanges(() => this.apiKeyCache.invalidate());
    this.apiKeyLastUsed.start();
    this.apiKeyUsage.start();
  }

  async close(): Promise<void> {
    await Promise.all([this.apiKeyLastUsed.stop(), this.apiKeyUsage.stop()]);
    await this.#stopListening();
    await this.#driver.close();
  }
}
