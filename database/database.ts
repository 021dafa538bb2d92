import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { onceSuccessful, requestDeadline, retryTransient } from './retry.ts';
import type { QueryOptions } from './connection/connection-pool.ts';
import { withOptions } from './connection/kysely-pool.ts';
import type { DatabaseDriver, TransactionOptions } from './driver.ts';
import { ApiKeyCache } from './api-key/cache.ts';
import { ApiKeyRequests } from './api-key/requests.ts';
import { ApiKeyUsageCounter, ApiKeyLastUsed } from './api-key/usage.ts';
import type { Replica } from './postgresql/replicas.ts';
import { SealWaiters, Seals } from './seal-waiters.ts';
import { Installation } from './installation.ts';
import { observed, transactionRunner, ChangedCompanies } from './statement-runner.ts';
import type { StatementObserver, StatementRunner } from './statement-runner.ts';
import { bind } from '../entities/statements/define-statement.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from './timeouts.ts';

/** Interval between two writes of how keys were used. A request is listed within ten seconds, on every process. */
const FLUSH_INTERVAL_MS = 5000;

const READINESS_SQL = `select current_setting('transaction_read_only') as setting`;

/** Access to the database, with the API key cache of this process. */
export class Database implements StatementRunner {
  readonly apiKeyCache: ApiKeyCache;
  readonly apiKeyLastUsed = new ApiKeyLastUsed(this);
  readonly apiKeyUsage = new ApiKeyUsageCounter(this);
  readonly apiKeyRequests = new ApiKeyRequests(this);
  readonly changedCompanies = new ChangedCompanies();
  readonly seals = new Seals();
  readonly sealWaiters = new SealWaiters(this, this.seals);
  /**
   * Runs the read-only statements of requests. If replicas are configured, they run the statements of one company.
   * A result includes everything that was committed before the call.
   */
  readonly readRunner: StatementRunner;
  readonly lookupTimeoutMs: number;
  readonly pool: DatabaseDriver['pool'];
  readonly files: DatabaseDriver['files'];
  readonly embedded: DatabaseDriver['embedded'];
  readonly migrate: DatabaseDriver['migrate'];
  readonly isMigrated: DatabaseDriver['isMigrated'];
  readonly inspect: DatabaseDriver['inspect'];
  readonly missingPrivileges: DatabaseDriver['missingPrivileges'];
  readonly excessPrivileges: DatabaseDriver['excessPrivileges'];
  readonly poolerError: DatabaseDriver['poolerError'];
  readonly #driver: DatabaseDriver;
  readonly #openOrm = onceSuccessful(() => this.#driver.openOrm());
  #stopListening: () => Promise<void> = async () => {};
  #flushTimer: NodeJS.Timeout | undefined;
  #observer: StatementObserver | undefined;
  /** The pending check, shared by concurrent callers. */
  #readOnlyCheck: Promise<boolean> | undefined;

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
    this.lookupTimeoutMs = driver.lookupTimeoutMs ?? TIMEOUTS_MS.lookup;
    this.apiKeyCache = new ApiKeyCache(this, this.lookupTimeoutMs);
    this.pool = driver.pool;
    this.files = driver.files;
    this.embedded = driver.embedded;
    this.migrate = driver.migrate;
    this.isMigrated = driver.isMigrated;
    this.inspect = driver.inspect;
    this.missingPrivileges = driver.missingPrivileges;
    this.excessPrivileges = driver.excessPrivileges;
    this.poolerError = driver.poolerError;
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
    const company = companyOf(statement, session);
    const options = { write: statement.readOnly !== true, pipelined: statement.pipelined === true, deadline, company };
    const bound = bind(statement, input, session);
    const { rows } = await this.#retry(statement.name, () => server.run(bound, options), options);
    this.changedCompanies.addWrite(statement, session);
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
  async transaction<T>(
    work: (runner: StatementRunner) => Promise<T>,
    { deadline = requestDeadline(), company }: Partial<TransactionOptions> = {},
  ): Promise<T> {
    const changed = new ChangedCompanies();
    const attempt = () =>
      this.#driver.transaction((run) => work(transactionRunner(run, changed, this.#observer)), {
        deadline,
        company,
      });
    const result = await this.#retry('transaction', attempt, { write: true, deadline });
    for (const changedCompany of changed.take()) this.changedCompanies.add(changedCompany);
    return result;
  }

  /**
   * Runs `work` with the entity manager that `open` returns. After a serialization conflict `work` runs again with a new
   * entity manager, so it must have no side effects except flushed changes.
   * @throws ApiError 503 if the database is unavailable
   */
  unitOfWork<T>(
    open: () => Promise<SqlEntityManager>,
    work: (em: SqlEntityManager) => Promise<T>,
    { deadline = requestDeadline(), company }: Partial<TransactionOptions> = {},
  ): Promise<T> {
    const attempt = () => withOptions({ deadline, company }, async () => work(await open()));
    return this.#retry('unit of work', attempt, { write: true, deadline });
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

  /** Replicas and their state in this process. */
  get replicas(): readonly Pick<Replica, 'isAvailable' | 'reads' | 'pool'>[] {
    return this.#driver.replicas?.all ?? [];
  }

  readonly installation = new Installation(this);

  /** Forks the entity manager. The fork has no company yet, so access to the rows of a company throws. */
  async entityManager(): Promise<SqlEntityManager> {
    return (await this.#openOrm()).em.fork();
  }

  /** Reports every statement from now on to an observer. */
  observe(observer: StatementObserver): void {
    this.#observer = observer;
  }

  /** Starts listening for key changes and seals of other processes, and recording how keys were used. */
  async start(): Promise<void> {
    this.#stopListening = await this.#driver.listen({
      api_key_changed: () => this.apiKeyCache.invalidate(),
      audit_sealed: () => this.seals.announce(),
    });
    this.#flushTimer = setInterval(() => void this.#flush(), FLUSH_INTERVAL_MS).unref();
  }

  async #flush(): Promise<void> {
    await Promise.all([this.apiKeyLastUsed.flush(), this.apiKeyUsage.flush(), this.apiKeyRequests.flush()]);
  }

  async close(): Promise<void> {
    clearInterval(this.#flushTimer);
    try {
      await this.#flush();
      await this.#stopListening();
    } finally {
      await this.#driver.close();
    }
  }
}

/** Returns the company whose turn it is when the statement runs; undefined for a statement about all companies. */
const companyOf = ({ rowScope }: Pick<Statement<never, never>, 'rowScope'>, { company }: SessionValues) =>
  rowScope === 'company' && typeof company === 'number' ? company : undefined;
