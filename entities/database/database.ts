import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { PoolNumbers, Terms } from './connections.ts';
import { asRefusal, isLost, mayRunAgain } from './failure.ts';
import { KeyCache } from './key-cache.ts';
import { KeyUsage } from './key-usage.ts';
import { bind } from './statement.ts';
import type { Bound, SessionValues, Statement } from './statement.ts';
import { TIMEOUTS } from './timeouts.ts';
import { watched } from './watch.ts';
import type { Watch } from './watch.ts';

/** Runs a bound statement in one round trip, prepared under its name where that pays. */
export type Run = (bound: Bound) => Promise<{ rows: unknown[] }>;

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

/** What differs between PostgreSQL and the embedded PGlite; both understand the same statements. */
export interface DatabaseDriver {
  /** The ORM over the same connections; asked for once. */
  openOrm(): Promise<MikroORM<AbstractSqlDriver>>;
  /** The pool that it runs statements over, where there is one. */
  pool?: PoolNumbers;
  /** Runs a statement in a transaction of its own. */
  run(bound: Bound, terms: Terms): Promise<{ rows: unknown[] }>;
  /** Runs what the work runs in one transaction: committed when the work ends, rolled back when it throws. */
  transaction<T>(work: (run: Run) => Promise<T>, until: number): Promise<T>;
  /** Does work with entity managers, which wait for nothing longer than that. */
  untilThen?<T>(until: number, work: () => Promise<T>): Promise<T>;
  /** Brings the schema up to date. Processes that start together take turns; one of them applies. */
  migrate(): Promise<void>;
  /** What lets this connection's role past the policies that keep companies apart; undefined when nothing does. */
  tooStrong(): Promise<string | undefined>;
  /** Calls back whenever a key was changed, by whichever process. @returns ends that */
  listen(keysChanged: () => void): Promise<() => Promise<void>>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** How often a transaction is begun that another was in the way of. */
const ATTEMPTS = 3;

/** The connection to the database, and what this process remembers of API keys. */
export class Database implements Runner {
  readonly keys: KeyCache;
  readonly usage: KeyUsage;
  readonly #driver: DatabaseDriver;
  #orm: ReturnType<DatabaseDriver['openOrm']> | undefined;
  #unlisten: () => Promise<void> = async () => {};
  #watch: Watch | undefined;

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
    this.keys = new KeyCache(this);
    this.usage = new KeyUsage(this);
  }

  /** Runs a statement in a transaction of its own. @throws Refusal 503 when the database cannot serve it */
  async run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    until = inAll(),
  ): Promise<Row[]> {
    const terms = { writes: statement.reads !== true, until };
    const bound = bind(statement, input, session);
    const { rows } = await this.#again(statement.name, () => this.#driver.run(bound, terms), terms);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return rows as Row[];
  }

  /** Runs SQL with its values in order, prepared under a name, as nobody: it meets no row of any company. */
  async query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const until = inAll();
    const attempt = () => this.#driver.run({ name, text, values }, { writes: false, until });
    const { rows } = await this.#again(name, attempt, { writes: true, until });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return rows as Row[];
  }

  /**
   * Runs statements in one transaction. Where another is in the way the whole work is done again: it must leave nothing
   * behind but what it runs here. What it throws rolls everything back.
   * @throws Refusal 503 when the database cannot serve it; where that is at the end, it may be committed or not
   */
  transaction<T>(work: (runner: Runner) => Promise<T>, until = inAll()): Promise<T> {
    const attempt = () => this.#driver.transaction((run) => work(runnerOf(run, this.#watch)), until);
    return this.#again('transaction', attempt, { writes: true, until });
  }

  /**
   * Does work with a fork of the entity manager that `open` gives; with a new one where another transaction was in the way:
   * it must leave nothing behind but what it flushes. @throws Refusal 503 when the database cannot serve it
   */
  unitOfWork<T>(
    open: () => Promise<SqlEntityManager>,
    work: (em: SqlEntityManager) => Promise<T>,
    until = inAll(),
  ): Promise<T> {
    const attempt = async () => work(await open());
    const bounded = () => this.#driver.untilThen?.(until, attempt) ?? attempt();
    return this.#again('unit of work', bounded, { writes: true, until });
  }

  #again<T>(name: string, attempt: () => Promise<T>, terms: Terms): Promise<T> {
    return watched(this.#watch, name, () => again(attempt, terms));
  }

  /** Whether the database answers, but takes no writes: a standby, or one told so. @throws Refusal 503 when it does not */
  async isReadOnly(): Promise<boolean> {
    const [row] = await this.query<{ setting: string }>(
      'ready',
      `select current_setting('transaction_read_only') as setting`,
      [],
    );
    return row?.setting === 'on';
  }

  /** The pool of connections; the embedded database has none. */
  get pool(): PoolNumbers | undefined {
    return this.#driver.pool;
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

  /** What lets the role of the service past the policies that keep companies apart; undefined when nothing does. */
  tooStrong(): Promise<string | undefined> {
    return this.#driver.tooStrong();
  }

  /** From now on tells of each statement. */
  watch(watch: Watch): void {
    this.#watch = watch;
  }

  /** From now on hears of changes of keys in other processes, and writes down when keys were used. */
  async attend(): Promise<void> {
    this.#unlisten = await this.#driver.listen(() => this.keys.forget());
    this.usage.start();
  }

  async close(): Promise<void> {
    await this.usage.stop();
    await this.#unlisten();
    await this.#driver.close();
  }
}

const inAll = () => performance.now() + TIMEOUTS.request;

/**
 * Begins a transaction again where another was in the way; and where the connection broke, if it only reads.
 * @throws Refusal 503 when the database cannot serve it
 */
async function again<T>(attempt: () => Promise<T>, { writes, until }: Terms): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      const mayTry = tried < ATTEMPTS && (mayRunAgain(error) || (!writes && isLost(error)));
      const rest = Math.random() * 20 * tried;
      if (!mayTry || performance.now() + rest >= until) throw asRefusal(error) ?? error;
      await wait(rest);
    }
  }
}

const runnerOf = (run: Run, watch: Watch | undefined): Runner => ({
  async run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input, session: SessionValues) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return (await watched(watch, statement.name, () => run(bind(statement, input, session)))).rows as Row[];
  },
});
