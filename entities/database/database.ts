import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import { asRefusal } from './failure.ts';

/** The connection to PostgreSQL or to the embedded PGlite; both understand the same statements. */
export interface Database {
  /** Runs one prepared statement in its own transaction. Throws a Refusal when the database cannot be reached. */
  query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]>;
  /** A fork that has been told no company yet: reading or writing a company's rows with it throws. */
  entityManager(): SqlEntityManager;
  /** Brings the schema up to date. Processes that start together take turns; one of them applies. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

type Run = (name: string, text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

/** Makes a database of an initialised ORM and what differs between drivers: how to run a bound statement, and to migrate. */
export function databaseOf(orm: MikroORM<AbstractSqlDriver>, run: Run, migrate: () => Promise<void>): Database {
  return {
    async query<Row>(name: string, text: string, values: unknown[]) {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a statement declares the rows of its own text
        return (await run(name, text, values)).rows as Row[];
      } catch (error) {
        throw asRefusal(error) ?? error;
      }
    },
    entityManager: () => orm.em.fork(),
    migrate,
    close: () => orm.close(),
  };
}
