import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { isAdmin, operatorPrincipal } from '../entities/principal.ts';
import type { Principal } from '../entities/principal.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';
import type { Database } from './database.ts';
import type { Owner } from './driver.ts';
import type { Installation } from './installation.ts';
import type { StatementRunner } from './statement-runner.ts';
import { requireVersion } from './upgrade/require-version.ts';
import type { WaitEnd } from './seal-waiters.ts';

/** A time of the past at which the work of a session happens, in a company that may have such times. */
export interface Past {
  now: Date;
  /** Last work of each unit of work, in its transaction: sets its time. */
  endOfUnit: (em: SqlEntityManager) => Promise<unknown>;
}

type Work<T> = (em: SqlEntityManager) => Promise<T>;

/** Work whose changes are written, and get their time, before they are committed. */
const endingIn =
  <T>(past: Past | undefined, work: Work<T>): Work<T> =>
  (em) =>
    past === undefined
      ? work(em)
      : em.transactional(async (inside) => {
          const result = await work(inside);
          await inside.flush();
          await past.endOfUnit(inside);
          return result;
        });

interface Options {
  runner?: StatementRunner;
  timeoutMs?: number;
  past?: Past | undefined;
}

/**
 * Database session of one request. Procedures access the rows of a company only through a session.
 * Without a principal, entities return no rows of any company and audited tables reject writes.
 */
export class Session<P extends Principal | null = Principal> {
  readonly principal: P;
  readonly #database: Database;
  readonly #runner: StatementRunner;
  readonly #requestId: string;
  readonly #values: SessionValues;
  readonly #timeoutMs: number;
  readonly #past: Past | undefined;
  #deadline: number | undefined;

  /**
   * @param runner runs the statements; by default each in a separate transaction
   * @param timeoutMs total time for all statements, from the start of the first; by default each has a separate timeout
   * @param past time at which the work happens, if it is not the present
   */
  constructor(
    database: Database,
    principal: P,
    requestId: string,
    { runner = database, timeoutMs = Infinity, past }: Options = {},
  ) {
    this.#database = database;
    this.#runner = runner;
    this.#timeoutMs = timeoutMs;
    this.#past = past;
    this.principal = principal;
    this.#requestId = requestId;
    this.#values = {
      company: principal?.company ?? null,
      user: principal?.user.uniqueId ?? null,
      key: principal?.key ?? null,
      keyFrameworks: principal?.frameworks ?? null,
      scopes: principal?.scopes ?? [],
      isAdmin: principal !== null && isAdmin(principal),
      request: requestId,
    };
  }

  hasPrincipal(): this is Session {
    return this.principal !== null;
  }

  /** Returns a session of the same request that acts as the operator of a company. */
  asOperator(company: number): Session {
    return this.actingAs(operatorPrincipal(company), this.#requestId);
  }

  /** Returns a session of another principal, and perhaps request, within the same transaction if there is one. */
  actingAs(principal: Principal, requestId = this.#requestId): Session {
    const options = { runner: this.#runner, timeoutMs: this.#timeoutMs, past: this.#past };
    return new Session(this.#database, principal, requestId, options);
  }

  /** Runs a statement as the principal in one round trip. Outside of `transaction` it is a separate transaction. */
  run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    return this.#runner.run(statement, input, this.#values, this.#startDeadline());
  }

  /** Runs a statement and returns its first row, if any. */
  async first<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | undefined> {
    return (await this.run(statement, input))[0];
  }

  /** Runs a statement that always returns a row. */
  async one<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row> {
    const row = await this.first(statement, input);
    if (row === undefined) throw new Error(`${statement.name}: returned no row`);
    return row;
  }

  /**
   * Runs `work` with a session whose statements form one transaction: commits when `work` ends, rolls back if it throws.
   * `work` may run more than once. It holds a connection, so it must wait only for its statements. Inside of a transaction it
   * joins that transaction, which an error then rolls back as a whole.
   */
  transaction<T>(work: (inside: Session<P>) => Promise<T>): Promise<T> {
    if (this.#isInTransaction) return work(this);
    return this.#database.transaction(
      (runner) => work(new Session(this.#database, this.principal, this.#requestId, { runner, past: this.#past })),
      this.#transactionOptions(),
    );
  }

  /** Returns a session without a total deadline, for work of many statements. Each statement keeps its timeout. */
  withoutDeadline(): Session<P> {
    return new Session(this.#database, this.principal, this.#requestId, { runner: this.#runner, past: this.#past });
  }

  /** Returns a session whose work happens at a time of the past, in a company that may have such times. */
  inThePast(past: Past): Session<P> {
    return new Session(this.#database, this.principal, this.#requestId, { runner: this.#runner, past });
  }

  /** The time at which the work of this session happens. */
  get now(): Date {
    return this.#past?.now ?? new Date();
  }

  get #isInTransaction(): boolean {
    return this.#runner !== this.#database && this.#runner !== this.#database.readRunner;
  }

  #transactionOptions() {
    const deadline = this.#startDeadline();
    return { ...(deadline !== undefined && { deadline }), company: this.principal?.company };
  }

  #startDeadline(): number | undefined {
    if (this.#timeoutMs === Infinity) return undefined;
    return (this.#deadline ??= performance.now() + this.#timeoutMs);
  }

  /** Invalidates cached API keys in this process. Call it after the commit of a key change. */
  invalidateApiKeys(): void {
    this.#database.apiKeyCache.invalidate();
  }

  /** Access as the owner of the tables; undefined if the database is not embedded. For the end of a company only. */
  get owner(): Owner | undefined {
    return this.#database.embedded?.owner;
  }

  /** Requires that no process of an older version runs, and keeps them out from then on. @throws ApiError 503 */
  requireVersion(version: string): Promise<void> {
    return requireVersion(this.#database, version, this.#isInTransaction ? this.#runner : undefined);
  }

  /**
   * Waits until the company has another last seal than `head`. Holds no connection.
   * @returns false if the wait ended without news, or too many requests wait
   * @throws ApiError 503 if the database is unavailable
   */
  waitForSeals(head: string, end: WaitEnd): Promise<boolean> {
    if (this.principal === null) throw new Error('wait for seals: expected a company');
    const { company, key, user } = this.principal;
    return this.#database.sealWaiters.wait({ company, caller: key ?? user.uniqueId, head }, end);
  }

  /** Secrets and settings that all processes on this database share. */
  get installation(): Installation {
    return this.#database.installation;
  }

  /**
   * Runs `work` with a unit of work. After a serialization conflict `work` runs again with a new one, so it must have no
   * side effects except flushed changes.
   */
  async inUnitOfWork<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    const open = () => this.unitOfWork();
    const result = await this.#database.unitOfWork(open, endingIn(this.#past, work), this.#transactionOptions());
    if (this.principal !== null) this.#database.changedCompanies.add(this.principal.company);
    return result;
  }

  /**
   * Opens a unit of work, for code outside of hot paths. It reads only the principal's company and attributes changes to the
   * principal's user.
   */
  async unitOfWork(): Promise<SqlEntityManager> {
    if (this.#isInTransaction) throw new Error('unit of work: not supported inside a transaction');
    const em = await this.#database.entityManager();
    if (this.principal === null) return em;
    const { company, user, key } = this.principal;
    em.setFilterParams('company', { company });
    em.setSessionContext({
      variables: {
        'app.company': company,
        'app.user': user.uniqueId,
        'app.key': key ?? '',
        'app.request': this.#requestId,
      },
    });
    return em;
  }
}
