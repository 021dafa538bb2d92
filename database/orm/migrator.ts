import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM, Transaction } from '@mikro-orm/core';
import { MigrationRunner, Migrator as OrmMigrator } from '@mikro-orm/migrations';
import type { Migration, Query } from '@mikro-orm/migrations';
import { isLockConflict, MigrationError } from '../errors.ts';

/**
 * Maximum wait of a statement for a lock. While it waits, requests that need the same table wait too, so it gives up and is
 * repeated. `lock_timeout`: https://www.postgresql.org/docs/current/runtime-config-client.html
 */
export const SET_LOCK_TIMEOUT = `set local lock_timeout = '500ms'`;
/** Milliseconds between two attempts, in which the requests that waited run. */
const RETRY_PAUSE_MS = 500;
/** Milliseconds after which a statement is not repeated again. */
const RETRY_LIMIT_MS = 120_000;

/** Statements that keep no request waiting. They may wait for long transactions, so they have no `lock_timeout`. */
const BLOCKS_NO_REQUEST = /\bindex concurrently\b|\bvalidate constraint\b/;
/** A block that commits, which no transaction may surround. It sets its own `lock_timeout`. */
const COMMITS = /^do\b[^]*\bcommit;/;

/** Repeats `work` until no other transaction holds its locks. */
export async function untilUnlocked<T>(work: () => Promise<T>, limitMs = RETRY_LIMIT_MS): Promise<T> {
  for (const limit = performance.now() + limitMs; ; await wait(RETRY_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isLockConflict(error) || performance.now() > limit) throw error;
    }
  }
}

/** Runs the statements that a migration adds with `addSql`. */
class OnlineRunner extends MigrationRunner {
  override async run(
    migration: Migration,
    method: 'up' | 'down',
    afterRun?: (transaction?: Transaction) => Promise<void>,
  ): Promise<void> {
    migration.reset();
    try {
      await migration[method]();
      const queries = migration.getQueries();
      if (migration.isTransactional()) {
        await this.#inTransaction(queries, afterRun);
        return;
      }
      for (const query of queries) await this.#runAlone(query);
      await afterRun?.();
    } catch (error) {
      throw new MigrationError(migration.name ?? 'without a name', error);
    }
  }

  async #runAlone(query: Query): Promise<void> {
    const text = typeof query === 'string' ? query : '';
    // An index that a deadlock leaves invalid must be dropped first, so the next start repeats the whole migration.
    if (BLOCKS_NO_REQUEST.test(text)) await this.driver.execute(query);
    else if (COMMITS.test(text)) await untilUnlocked(() => this.driver.execute(query));
    else await this.#inTransaction([query]);
  }

  #inTransaction(queries: Query[], afterRun?: (transaction: Transaction) => Promise<void>): Promise<void> {
    return untilUnlocked(() =>
      this.driver.getConnection().transactional(async (transaction) => {
        for (const query of [SET_LOCK_TIMEOUT, ...queries]) await this.driver.execute(query, [], 'all', transaction);
        await afterRun?.(transaction);
      }),
    );
  }
}

/**
 * Applies each migration in its own transaction, or an online one statement by statement. `MikroORM.init` adds the migrator of the
 * ORM unless an extension has this name.
 */
export class Migrator extends OrmMigrator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension('@mikro-orm/migrator', () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the ORM does; all drivers here are SQL drivers
      return new this(orm.em as ConstructorParameters<typeof OrmMigrator>[0]);
    });
  }

  protected override createRunner(): OnlineRunner {
    return new OnlineRunner(this.driver, this.options, this.config);
  }
}
