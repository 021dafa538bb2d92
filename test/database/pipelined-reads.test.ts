import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { pipelinedRead } from '../../entities/statements/define-statement.ts';
import type { SessionValues } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
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
const failingRead = pipelinedRead<{ divisor: number }, { n: number }>(
  'test.pipelined-failing',
  ({ divisor }) => `select 6 / ${divisor}::int as n`,
);
const noSettings: SessionValues = {};
const repeat = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe.runIf(databaseUrl !== undefined)('concurrent pipelined reads (PostgreSQL only)', async () => {
  const database = await openPostgreSql(databaseUrl ?? 'postgresql:///unused');
  afterAll(() => database.close());

  test('share two connections, release them, and leave others to writes', async () => {
    const reads = Promise.all(repeat(100, () => database.run(readBackendPid, {}, noSettings)));
    const writer = database.query<{ pid: number }>('test.pipelined-writer', 'select pg_backend_pid() as pid', []);
    const pids = new Set((await reads).flat().map(({ pid }) => pid));
    expect(pids.size).toBe(2);
    expect(pids).not.toContain((await writer)[0]?.pid);
    expect(database.pool).toMatchObject({ total: 3, idle: 3, waiting: 0 });
  });

  test('share one connection while at most 32 are in flight', async () => {
    const backends = async (count: number) => {
      const results = await Promise.all(repeat(count, () => database.run(readBackendPid, {}, noSettings)));
      return new Set(results.flat().map(({ pid }) => pid)).size;
    };
    expect([await backends(32), await backends(33)]).toEqual([1, 2]);
  });

  test('use exclusive connections when both pipelines are full', async () => {
    const results = await Promise.all(repeat(1000, () => database.run(readBackendPid, {}, noSettings)));
    expect(results.flat()).toHaveLength(1000);
    expect(new Set(results.flat().map(({ pid }) => pid)).size).toBeGreaterThan(2);
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });

  test('keep their company and return its rows', async () => {
    const companies = await Promise.all(repeat(5, (index) => createCompany(`Company ${index}`)));
    const vendors = await Promise.all(
      companies.map(async ({ id, vendor }, index) => {
        const { uniqueId } = await vendor.create({ name: `Vendor ${index}` });
        return { id, uniqueId, name: `Vendor ${index}` };
      }),
    );
    const reads = repeat(500, (index) => ({ ...vendors[index % 5], reader: vendors[(index * 7) % 5] }));
    const rows = await Promise.all(
      reads.map(({ uniqueId = '', reader }) =>
        new Session(database, operatorPrincipal(reader?.id ?? 0), 'pipelined').first(vendorStatements.get, {
          uniqueId,
        }),
      ),
    );
    expect(rows.map((row) => row?.name)).toEqual(
      reads.map(({ id, name, reader }) => (id === reader?.id ? name : undefined)),
    );
  });

  test('that fail do not affect others', async () => {
    const results = await Promise.allSettled(
      repeat(200, (index) => database.run(failingRead, { divisor: index % 4 }, noSettings)),
    );
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value[0]?.n : result.reason.code))).toEqual(
      repeat(200, (index) => ['22012', 6, 3, 2][index % 4]),
    );
    expect(database.pool).toMatchObject({ total: database.pool?.idle });
  });

  test('are retried when their connection breaks', async () => {
    const reads = Promise.all(repeat(40, () => database.run(slowRead, {}, noSettings)));
    await expect
      .poll(() =>
        sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(0.02)' and state = 'active' and datname = current_database()`,
        ),
      )
      .not.toEqual([]);
    expect((await reads).flat()).toHaveLength(40);
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });
});
