import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { TO_FIRST_VERSION } from './first-version.ts';
import versions from '../../migrations/versions.json' with { type: 'json' };
import { knownMigrations } from '../../database/orm/migrations.ts';
import { NewerDataError } from '../../database/upgrade/inspect.ts';
import { Session } from '../../database/session.ts';
import { requireVersion } from '../../database/upgrade/require-version.ts';
import { readDataVersion, recordProcess } from '../../entities/version/data-version.ts';
import { VERSION, isOlder, POSTGRESQL_MAJOR } from '../../database/version.ts';
import { startProcessRecord } from '../../server/jobs/record-process.ts';
import { operator } from '../support/tenants/company.ts';
import { ownerUrl, sql } from '../support/database/database.ts';
import { loadSql } from './scenario/load.ts';

const NEWER_MIGRATION = 'Migration99990101000000_newer';
const log = { warn: () => {} };
const unexpected = ({ message }: Error) => expect.unreachable(message);

let database: Database;
let close: () => Promise<void>;
let count = 0;
const withoutPrincipal = () => new Session(database, null, 'test');
const readVersion = () => withoutPrincipal().one(readDataVersion, {});
const recordThisProcess = () => withoutPrincipal().run(recordProcess, { process: randomUUID(), version: VERSION });
/** Runs SQL as the owner of the tables. */
const run = (text: string) => database.query(`test.version-${(count += 1)}`, text, []);
const asOwner = async (...statements: string[]) => {
  if (ownerUrl === undefined) await run('reset role');
  for (const statement of statements) await run(statement);
  if (ownerUrl === undefined) await run(`select set_config('role', 'compliance_app', false)`);
};

// The order of the tests matters: the first two begin with a database without our tables, and leave one that is migrated.
beforeAll(async () => {
  ({ database, close } = await loadSql([], ownerUrl));
});
afterAll(() => close());

describe('versions', () => {
  test.for([
    ['0.1.0', '0.2.0'],
    ['0.9.0', '0.10.0'],
    ['0.9.9', '1.0.0'],
    ['1.2.3', '1.2.10'],
  ] as const)('%s is older than %s', ([one, other]) => {
    expect([isOlder(one, other), isOlder(other, one), isOlder(one, one)]).toEqual([true, false, false]);
  });

  test('the operator reads those of the service and the data', async () => {
    const { service, ...data } = await operator.version();
    expect(service).toBe(VERSION);
    expect(Object.keys(data)).toEqual(['data', 'oldest']);
  });

  test.runIf(ownerUrl === undefined)('the embedded database has the PostgreSQL that the start expects', async () => {
    const [row] = await sql(`select current_setting('server_version_num')::int / 10000 as major`);
    expect(row).toEqual({ major: POSTGRESQL_MAJOR });
  });
});

describe('an inspection', () => {
  test('rejects tables with our names that no version created, and leaves others alone', async () => {
    await run('create table visitor (id int)');
    await run('create table vendor (id int)');
    await run('create table task (id int)');
    const message = 'contains tables that no version of this service created (task, vendor)';
    await expect(database.inspect()).rejects.toThrow(message);
    await expect(database.migrate()).rejects.toThrow(message);
    const tables = await run(`select tablename from pg_tables where schemaname = 'public' order by 1`);
    expect(tables).toEqual([{ tablename: 'task' }, { tablename: 'vendor' }, { tablename: 'visitor' }]);
    await run('drop table task');
    await run('drop table vendor');
  });

  test('finds every migration pending without our tables, and none after the migrations', async () => {
    expect((await database.inspect()).pending).toEqual((await knownMigrations()).toSorted());
    await database.migrate();
    expect(await database.isMigrated()).toBe(true);
    expect(await database.inspect()).toMatchObject({ pending: [], isInterrupted: false });
    expect(await readVersion()).toEqual({ data: '0.1.0', oldest: '0.1.0' });
  });

  test('rejects data that need a newer version, and accepts data on which a newer one has run', async () => {
    await asOwner(`insert into mikro_orm_migrations (name) values ('${NEWER_MIGRATION}')`);
    await asOwner(`update data_version set data = '90.1.0'`);
    expect(await database.inspect()).toEqual({ version: '90.1.0', pending: [], isInterrupted: false });
    await asOwner(`update data_version set oldest = '90.0.0'`);
    await expect(database.inspect()).rejects.toThrow(NewerDataError);
    await expect(database.inspect()).rejects.toThrow(
      `contains data of version 90.1.0, and the oldest version that can run on them is 90.0.0; this is ${VERSION}`,
    );
    await expect(database.migrate()).rejects.toThrow(NewerDataError);
  });

  test('finds an upgrade that was interrupted', async () => {
    const pending = (await knownMigrations()).toSorted().filter((name) => name > versions['0.1.0']);
    await asOwner(...TO_FIRST_VERSION);
    expect(await database.inspect()).toEqual({ version: '0.1.0', pending, isInterrupted: false });
    await asOwner(`insert into mikro_orm_migrations (name) values ('${NEWER_MIGRATION}')`);
    expect(await database.inspect()).toMatchObject({ pending, isInterrupted: true });
    await database.migrate();
    expect(await database.isMigrated()).toBe(true);
  });
});

describe('a process', () => {
  const processes = () => run('select version from service_process order by 1');
  /** Records a process of another version that gave a sign of life some seconds ago. */
  const runs = (version: string, seconds = 0) =>
    asOwner(
      `insert into service_process (unique_id, version, seen_at)
      values ('${randomUUID()}', '${version}', now() - interval '${seconds} seconds')`,
    );

  beforeAll(() => database.migrate());
  beforeEach(() => asOwner(`update data_version set data = '0.1.0', oldest = '0.1.0'`, 'delete from service_process'));

  test('records its version, as that of the data if it is newer, until it stops', async () => {
    await asOwner(`update data_version set data = '0.0.1', oldest = '0.0.1'`);
    const recorded = await startProcessRecord(database, log, unexpected);
    expect(recorded.version).toEqual({ data: '0.0.1', oldest: '0.0.1' });
    expect(await readVersion()).toEqual({ data: VERSION, oldest: '0.0.1' });
    expect(await processes()).toEqual([{ version: VERSION }]);
    await recorded.stop();
    expect(await processes()).toEqual([]);
  });

  test('does not lower the version of the data', async () => {
    await asOwner(`update data_version set data = '90.1.0'`);
    const recorded = await startProcessRecord(database, log, unexpected);
    await recorded.stop();
    expect(await readVersion()).toEqual({ data: '90.1.0', oldest: '0.1.0' });
  });

  test('that cannot run on the data is not recorded', async () => {
    await asOwner(`update data_version set data = '90.1.0', oldest = '90.0.0'`);
    await expect(startProcessRecord(database, log, unexpected)).rejects.toThrow(NewerDataError);
    expect(await processes()).toEqual([]);
  });

  test('that becomes too old while it runs is notified', async () => {
    const { promise: notified, resolve } = Promise.withResolvers<Error>();
    const recorded = await startProcessRecord(database, log, resolve, 20);
    await asOwner(`update data_version set data = '90.1.0', oldest = '90.0.0'`);
    expect(await notified).toBeInstanceOf(NewerDataError);
    await recorded.stop();
  });

  test('without a sign of life for 30 seconds is deleted', async () => {
    await runs('0.0.8', 31);
    await runs('0.0.9', 25);
    await recordThisProcess();
    expect(await processes()).toEqual([{ version: '0.0.9' }, { version: VERSION }]);
  });

  test('of an older version prevents the first use of what only newer code keeps', async () => {
    await runs('90.1.9');
    await expect(requireVersion(database, '90.2.0')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'A process of version 90.1.9 runs, and this needs version 90.2.0.',
    });
    expect(await readVersion()).toEqual({ data: '0.1.0', oldest: '0.1.0' });
    await requireVersion(database, '90.1.9');
    expect(await readVersion()).toEqual({ data: '0.1.0', oldest: '90.1.9' });
  });

  test('that ended without notice prevents nothing, and no older one is recorded after the first use', async () => {
    await runs('90.1.9', 31);
    await requireVersion(database, '90.2.0');
    expect((await readVersion()).oldest).toBe('90.2.0');
    await recordThisProcess();
    expect(await processes()).toEqual([]);
  });
});
