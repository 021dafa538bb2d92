import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { pipelinedRead } from '../../entities/statements/define-statement.ts';
import type { SessionValues } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { vendorStatements } from '../../entities/statements/vendor/vendor.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl, sql } from '../support/database/database.ts';

const readBackendPid = pipelinedRead<object, { pid: number }>(
  'test.pipelined-backend',
  'select pg_backend_pid() as pid',
);
const slowRead = pipelinedRead<object, { pid: number }>(
  'test.pipelined-slow',
  'select pg_backend_pid() as pid from pg_sleep(0.02)',
);
const failingRead = pipelinedRead<{ by: number }, { n: number }>(
  'test.pipelined-failing',
  ({ by }) => `select 6 / ${by}::int as n`,
);
const noSettings: SessionValues = {};
const repeat = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe.runIf(databaseUrl !== undefined)('brief statements that are asked at once (PostgreSQL only)', async () => {
  const database = await openPostgreSql(databaseUrl ?? '');
  afterAll(() => database.close());

  test('share two connections, give them back, and a writer finds another', async () => {
    const asked = Promise.all(repeat(100, () => database.run(readBackendPid, {}, noSettings)));
    const writer = database.query<{ pid: number }>('test.pipelined-writer', 'select pg_backend_pid() as pid', []);
    const pids = new Set((await asked).flat().map(({ pid }) => pid));
    expect(pids.size).toBe(2);
    expect(pids).not.toContain((await writer)[0]?.pid);
    expect(database.pool).toMatchObject({ total: 3, idle: 3, waiting: 0 });
  });

  test('share one while no more than 32 are under way', async () => {
    const backends = async (asked: number) => {
      const answers = await Promise.all(repeat(asked, () => database.run(readBackendPid, {}, noSettings)));
      return new Set(answers.flat().map(({ pid }) => pid)).size;
    };
    expect([await backends(32), await backends(33)]).toEqual([1, 2]);
  });

  test('and where that is not enough have their own', async () => {
    const answers = await Promise.all(repeat(1000, () => database.run(readBackendPid, {}, noSettings)));
    expect(answers.flat()).toHaveLength(1000);
    expect(new Set(answers.flat().map(({ pid }) => pid)).size).toBeGreaterThan(2);
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });

  test('are each told their own company, and get their own rows', async () => {
    const companies = await Promise.all(repeat(5, (index) => createCompany(`Company ${index}`)));
    const vendors = await Promise.all(
      companies.map(async ({ id, vendor }, index) => {
        const { uniqueId } = await vendor.create({ name: `Vendor ${index}` });
        return { id, uniqueId, name: `Vendor ${index}` };
      }),
    );
    const asks = repeat(500, (index) => ({ ...vendors[index % 5], asker: vendors[(index * 7) % 5] }));
    const found = await Promise.all(
      asks.map(({ uniqueId = '', asker }) =>
        new Session(database, operatorPrincipal(asker?.id ?? 0), 'shared').first(vendorStatements.get, { uniqueId }),
      ),
    );
    expect(found.map((row) => row?.name)).toEqual(
      asks.map(({ id, name, asker }) => (id === asker?.id ? name : undefined)),
    );
  });

  test('that fail hurt no other', async () => {
    const answers = await Promise.allSettled(
      repeat(200, (by) => database.run(failingRead, { by: by % 4 }, noSettings)),
    );
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]?.n : answer.reason.code))).toEqual(
      repeat(200, (by) => ['22012', 6, 3, 2][by % 4]),
    );
    expect(database.pool).toMatchObject({ total: database.pool?.idle });
  });

  test('are asked again where their connection is cut', async () => {
    const asked = Promise.all(repeat(40, () => database.run(slowRead, {}, noSettings)));
    await expect
      .poll(() =>
        sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(0.02)' and state = 'active' and datname = current_database()`,
        ),
      )
      .not.toEqual([]);
    expect((await asked).flat()).toHaveLength(40);
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });
});
