import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { operatorPrincipal } from '../entities/principal.ts';
import type { Principal } from '../entities/principal.ts';
import type { Database } from './database.ts';
import type { StatementRunner } from './statement-runner.ts';
import { cursorSecret } from './cursor-secret.ts';
import type { SessionValues, Statement } from '../entities/statements/define-statement.ts';

/**
 * One request at the database, for its principal: the only way from a procedure to a company's rows.
 * Without a principal nothing of a company can be read through entities, and nothing audited can be written.
 */
export class Session<P extends Principal | null = Principal> {
  readonly principal: P;
  readonly #database: Database;
  readonly #runner: StatementRunner;
  readonly #requestId: string;
  readonly #values: SessionValues;
  readonly #timeoutMs: number;
  #deadline: number | undefined;

  /**
   * @param runner where its statements are run, unless each is a transaction of its own
   * @param timeoutMs milliseconds that all it runs may take together, from the first on; left out, each may take its own
   */
  constructor(
    database: Database,
    principal: P,
    requestId: string,
    { runner = database, timeoutMs = Infinity }: { runner?: StatementRunner; timeoutMs?: number } = {},
  ) {
    this.#database = database;
    this.#runner = runner;
    this.#timeoutMs = timeoutMs;
    this.principal = principal;
    this.#requestId = requestId;
    this.#values = {
      company: principal?.company ?? null,
      user: principal?.user.uniqueId ?? null,
      key: principal?.key ?? null,
      keyFrameworks: principal?.frameworks ?? null,
      request: requestId,
    };
  }

  hasPrincipal(): this is Session {
    return this.principal !== null;
  }

  /** The same request, on behalf of the operator in a company. */
  asOperator(company: number): Session {
    return new Session(this.#database, operatorPrincipal(company), this.#requestId, {
      runner: this.#runner,
      timeoutMs: this.#timeoutMs,
    });
  }

  /** Runs a statement as the principal: one round trip, and a transaction of its own unless the session is inside one. */
  run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    return this.#runner.run(statement, input, this.#values, this.#startDeadline());
  }

  /** The first row, where there may be none. */
  async first<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | undefined> {
    return (await this.run(statement, input))[0];
  }

  /** The row of a statement that always gives one. */
  async one<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row> {
    const row = await this.first(statement, input);
    if (row === undefined) throw new Error(`${statement.name} gave no row`);
    return row;
  }

  /**
   * Gives work a session whose statements are one transaction: committed when the work ends, rolled back when it throws.
   * It may be done more than once, and must not wait for anything but its own statements: it holds a connection.
   */
  transaction<T>(work: (inside: Session<P>) => Promise<T>): Promise<T> {
    return this.#database.transaction(
      (runner) => work(new Session(this.#database, this.principal, this.#requestId, { runner })),
      this.#startDeadline(),
    );
  }

  /** The same for work that takes many statements, of which only each by itself has to end soon. */
  withoutDeadline(): Session<P> {
    return new Session(this.#database, this.principal, this.#requestId, { runner: this.#runner });
  }

  #startDeadline(): number | undefined {
    if (this.#timeoutMs === Infinity) return undefined;
    return (this.#deadline ??= performance.now() + this.#timeoutMs);
  }

  /** To be called when a change of an API key is committed: from then on this process knows it as it is. */
  invalidateApiKeys(): void {
    this.#database.apiKeyCache.invalidate();
  }

  /** Signs cursors, in every process on this database alike. */
  cursorSecret(): Promise<Buffer> {
    return cursorSecret(this.#database);
  }

  /**
   * Does work with a unit of work, and again as a whole with a new one where another transaction was in the way: it must leave
   * nothing behind but what it flushes.
   */
  inUnitOfWork<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return this.#database.unitOfWork(() => this.unitOfWork(), work, this.#startDeadline());
  }

  /** A unit of work, for what is not on a hot path: filtered to the principal's company, attributed to its user. */
  async unitOfWork(): Promise<SqlEntityManager> {
    if (this.#runner !== this.#database && this.#runner !== this.#database.readRunner)
      throw new Error('a unit of work would be no part of this transaction');
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
