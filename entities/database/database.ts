import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { again, inAll } from './again.ts';
import type { PoolNumbers, Terms } from './connections.ts';
import type { DatabaseDriver } from './driver.ts';
import type { DatabaseFiles } from './files.ts';
import { KeyCache } from './key-cache.ts';
import { KeyUsage } from './key-usage.ts';
import type { Replica } from './replicas.ts';
import { runnerOf } from './runner.ts';
import type { Runner } from './runner.ts';
import { bind } from './statement.ts';
import type { Bound, SessionValues, Statement } from './statement.ts';
import { TIMEOUTS } from './timeouts.ts';
import { watched } from './watch.ts';
import type { Watch } from './watch.ts';

const READY: Bound = {
  name: 'ready',
  text: `select current_setting('transaction_read_only') as setting`,
  values: [],
};

/** The connection to the database, and what this process remembers of API keys. */
export class Database implements Runner {
  readonly keys: KeyCache;
  readonly usage: KeyUsage;
  /**
   * Where requests run their statements which write nothing: those that read a company's rows go to replicas, where there
   * are any, and are answered with all that was committed before.
   */
  readonly reader: Runner;
  readonly #driver: DatabaseDriver;
  #orm: ReturnType<DatabaseDriver['openOrm']> | undefined;
  #unlisten: () => Promise<void> = async () => {};
  #watch: Watch | undefined;
  /** The answer that is being waited for. */
  #readOnly: Promise<boolean> | undefined;

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
    this.keys = new KeyCache(this);
    this.usage = new KeyUsage(this);
    const { replicas } = driver;
    this.reader =
      replicas === undefined
        ? this
        : {
            run: (statement, input, session, until) =>
              statement.reads === true && statement.reach === 'company'
                ? this.#run(replicas, statement, input, session, until)
                : this.run(statement, input, session, until),
          };
  }

  /** Runs a statement in a transaction of its own. @throws Refusal 503 when the database cannot serve it */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    until?: number,
  ): Promise<Row[]> {
    return this.#run(this.#driver, statement, input, session, until);
  }

  async #run<Input extends object, Row>(
    at: Pick<DatabaseDriver, 'run'>,
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
    until = inAll(),
  ): Promise<Row[]> {
    const terms = { writes: statement.reads !== true, isBrief: statement.brief === true, until };
    const bound = bind(statement, input, session);
    const { rows } = await this.#again(statement.name, () => at.run(bound, terms), terms);
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

  /**
   * Whether the database answers, but takes no writes: a standby, or one told so. It is asked at once, however many wait for it,
   * and once for all who want to know at the same time.
   * @throws Refusal 503 when it does not answer
   */
  isReadOnly(): Promise<boolean> {
    this.#readOnly ??= this.#askReadOnly().finally(() => (this.#readOnly = undefined));
    return this.#readOnly;
  }

  async #askReadOnly(): Promise<boolean> {
    const terms = { writes: false, until: performance.now() + TIMEOUTS.ready, isFirst: true };
    const { rows } = await again(() => this.#driver.run(READY, terms), terms);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
    return (rows as { setting: string }[])[0]?.setting === 'on';
  }

  /** The pool of connections; the embedded database has none. */
  get pool(): PoolNumbers | undefined {
    return this.#driver.pool;
  }

  /** The replicas, as this process sees them. */
  get replicas(): readonly Pick<Replica, 'isIn' | 'reads' | 'pool'>[] {
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
  tooWeak(): Promise<string | undefined> {
    return this.#driver.tooWeak();
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
