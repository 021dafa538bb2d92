import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import { asRefusal, mayRunAgain } from './failure.ts';
import { KeyCache } from './key-cache.ts';
import { KeyUsage } from './key-usage.ts';
import type { SessionValues, Statement } from './statement.ts';

/** What differs between PostgreSQL and the embedded PGlite; both understand the same statements. */
export interface DatabaseDriver {
  orm: MikroORM<AbstractSqlDriver>;
  /** Runs a bound statement, prepared under its name where that pays. */
  run(name: string, text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  /** Brings the schema up to date. Processes that start together take turns; one of them applies. */
  migrate(): Promise<void>;
  /** Calls back whenever a key was changed, by whichever process. @returns ends that */
  listen(keysChanged: () => void): Promise<() => Promise<void>>;
}

/** How often a statement is run that another transaction was in the way of. */
const ATTEMPTS = 3;

/** The connection to the database, and what this process remembers of API keys. */
export class Database {
  readonly keys: KeyCache;
  readonly usage: KeyUsage;
  readonly #driver: DatabaseDriver;
  #unlisten: () => Promise<void> = async () => {};

  constructor(driver: DatabaseDriver) {
    this.#driver = driver;
    this.keys = new KeyCache(this);
    this.usage = new KeyUsage(this);
  }

  /** Runs a statement in a transaction of its own. @throws Refusal 503 when the database cannot serve it */
  run<Input extends object, Row>(
    statement: Statement<Input, Row>,
    input: Input,
    session: SessionValues,
  ): Promise<Row[]> {
    return this.query<Row>(statement.name, statement.text, statement.values(session, input));
  }

  /** Runs SQL with its values in order, prepared under a name. */
  async query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
        return (await this.#driver.run(name, text, values)).rows as Row[];
      } catch (error) {
        if (attempt === ATTEMPTS || !mayRunAgain(error)) throw asRefusal(error) ?? error;
        await wait(Math.random() * 20 * attempt);
      }
    }
  }

  /** A fork that has been told no company yet: reading or writing a company's rows with it throws. */
  entityManager(): SqlEntityManager {
    return this.#driver.orm.em.fork();
  }

  migrate(): Promise<void> {
    return this.#driver.migrate();
  }

  /** From now on hears of changes of keys in other processes, and writes down when keys were used. */
  async attend(): Promise<void> {
    this.#unlisten = await this.#driver.listen(() => this.keys.forget());
    this.usage.start();
  }

  async close(): Promise<void> {
    await this.usage.stop();
    await this.#unlisten();
    await this.#driver.orm.close();
  }
}
