import { setTimeout as wait } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MigrationError } from '../../../database/errors.ts';
import { untilUnlocked } from '../../../database/orm/migrator.ts';
import { OnlineMigration } from '../../../database/orm/online-migration.ts';
import { MIGRATION_LOCK_ID, migrate } from '../../../database/postgresql/open.ts';
import { ownerUrl } from '../../support/database/database.ts';
import { openEmptyDatabase } from '../../support/database/empty-database.ts';
import { createScratchDatabase } from '../../support/database/scratch-database.ts';

/** Longest wait of a request that the contract allows, in milliseconds. */
const MAX_WAIT_MS = 1000;
/** Milliseconds for which another transaction holds the table. */
const BLOCKED_MS = 2000;

class First extends Migration {
  override name = 'First';
  override up(): void {
    this.addSql('create table item (id int primary key)');
    this.addSql('insert into item values (1), (1000)');
  }
}

class Second extends Migration {
  override name = 'Second';
  override up(): void {
    this.addSql(`alter table item add state text not null default 'open'`);
  }
}

class Third extends OnlineMigration {
  override name = 'Third';
  override up(): void {
    this.addSql('drop index concurrently if exists item_by_state');
    this.addSql('create index concurrently item_by_state on item (state)');
    this.addSql('alter table item add constraint item_id check (id < 1000)');
  }
}

test('each migration is applied on its own, and an error names the one that failed', async () => {
  const { orm } = await openEmptyDatabase({ migrations: { migrationsList: [First, Second, Third] } });
  const connection = orm.em.getConnection();
  const error: unknown = await orm.migrator.up().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MigrationError);
  expect(error).toHaveProperty(
    'message',
    'migration Third failed: check constraint "item_id" of relation "item" is violated by some row',
  );
  const applied = () => connection.execute('select name from mikro_orm_migrations order by id');
  expect(await applied()).toEqual([{ name: 'First' }, { name: 'Second' }]);
  expect(await connection.execute('select id, state from item where id = 1')).toEqual([{ id: 1, state: 'open' }]);
  await connection.execute('delete from item where id = 1000');
  await orm.migrator.up();
  expect(await applied()).toEqual([{ name: 'First' }, { name: 'Second' }, { name: 'Third' }]);
});

describe.runIf(ownerUrl !== undefined)('on PostgreSQL,', () => {
  /** Opens a connection, until the end of the test. */
  async function connect(connectionString: string | undefined): Promise<Client> {
    const client = new Client({ connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test('a migration that needs a table in use lets requests pass until it is free', async () => {
    const { orm, url } = await openEmptyDatabase({ migrations: { migrationsList: [First, Second] } });
    await orm.migrator.up({ to: 'First' });
    const [blocker, reader] = [await connect(url), await connect(url)];
    await blocker.query('begin');
    await blocker.query('select from item');
    const startedAt = performance.now();
    const freed = wait(BLOCKED_MS).then(() => blocker.query('commit'));
    const migration = new AbortController();
    const migrated = orm.migrator.up().finally(() => migration.abort());
    const waits: number[] = [];
    while (!migration.signal.aborted) {
      const sentAt = performance.now();
      await reader.query('select from item');
      waits.push(performance.now() - sentAt);
      await wait(10);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(BLOCKED_MS);
    await Promise.all([freed, migrated]);
    expect(Math.max(...waits)).toBeGreaterThan(100); // it waited behind the migration
    expect(Math.max(...waits)).toBeLessThan(MAX_WAIT_MS);
    expect((await reader.query('select state from item')).rows).toEqual([{ state: 'open' }, { state: 'open' }]);
  });

  test('a lock that is never released ends in an error that names the remedy', async () => {
    const [holder, other] = [await connect(ownerUrl), await connect(ownerUrl)];
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(1)');
    await other.query(`set lock_timeout = '10ms'`);
    let attempts = 0;
    const work = () => {
      attempts += 1;
      return other.query('select pg_advisory_lock(1)');
    };
    const error: unknown = await untilUnlocked(work, 2000).catch((reason: unknown) => reason);
    await holder.query('rollback');
    expect(attempts).toBeGreaterThan(1); // how many fit depends on the machine
    expect(new MigrationError('Second', error).message).toBe(
      'migration Second failed: canceling statement due to lock timeout; another transaction holds the table: end it (pg_stat_activity), then start again',
    );
  });

  test('a process that waits for the migrations of another one does not delay an index', async () => {
    const { url, drop } = await createScratchDatabase(ownerUrl ?? '');
    onTestFinished(drop);
    const other = await connect(url);
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_ID]);
    let isMigrated = false;
    const migrated = migrate(url, other.user ?? '').then(() => (isMigrated = true));
    await expect
      .poll(async () => (await other.query('select from pg_stat_activity where query ~ $1', ['try_advisory'])).rowCount)
      .toBe(1);
    await other.query(`set statement_timeout = '20s'`);
    await other.query('create table item (id int)');
    await other.query('create index concurrently item_by_id on item (id)');
    expect(isMigrated).toBe(false);
    await other.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK_ID]);
    await migrated;
    expect((await other.query('select from mikro_orm_migrations')).rowCount).toBeGreaterThan(10);
  });
});
