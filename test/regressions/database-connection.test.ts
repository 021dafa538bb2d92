import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { ConnectionPool } from '../../database/connection/connection-pool.ts';
import { listen } from '../../database/postgresql/notifications.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { PipelinedReads } from '../../database/connection/pipelined-reads.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { Framework } from '../../entities/reference-data/reference-data.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl, ownerUrl } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

// The embedded database has no connections.
describe.runIf(databaseUrl !== undefined)('a connection (PostgreSQL only)', () => {
  async function withAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
    const admin = new Client({ connectionString: ownerUrl });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  }

  test('that breaks inside a transaction returns its slot to the pool (kysely-org/kysely#1990)', async () => {
    const acme = await createCompany();
    const database = await openPostgreSql(databaseUrl ?? '');
    const session = new Session(database, operatorPrincipal(acme.id), 'regression');
    await withAdmin(async (admin) => {
      for (let kills = 0; kills < 12; kills++) {
        const transaction = (await session.unitOfWork()).transactional(async (em) => {
          const [row] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
          await admin.query('select pg_terminate_backend($1)', [row?.pid]);
          await em.execute('select 1');
        });
        await expect(transaction).rejects.toThrow(/terminat|connection error/);
      }
    });
    expect(await (await session.unitOfWork()).count(Framework)).toBe(1);
    await database.close();
  });

  test('that breaks while idle or busy is replaced', async () => {
    const database = await openPostgreSql(databaseUrl ?? '');
    const pids = await Promise.all(
      Array.from({ length: 5 }, () =>
        database.query<{ pid: number }>('regression.pid', 'select pg_backend_pid() as pid, pg_sleep(0.05)', []),
      ),
    );
    const busy = database.query('regression.sleep', 'select pg_sleep(1)', []).catch((error: unknown) => error);
    await withAdmin((admin) =>
      admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as t (pid)', [
        pids.flat().map(({ pid }) => pid),
      ]),
    );
    expect(await busy).toMatchObject({ code: 'unavailable' });
    await wait(100); // the pool notices the closed idle connections
    const results = Array.from({ length: 20 }, () => database.query('regression.one', 'select 1 as one', []));
    expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
    await database.close();
  });

  test('that listens reconnects after a partition, and the reconnect counts as a change', async () => {
    const target = new URL(databaseUrl ?? '');
    const sockets = new Set<Socket>();
    const proxy = () =>
      createServer((client) => {
        const server = connect(Number(target.port || 5432), target.hostname);
        for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
        client.pipe(server).pipe(client);
      });
    const first = proxy().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    const through = new URL(target);
    through.port = String(port);
    let changeCount = 0;
    let sealCount = 0;
    const stopListening = await listen(through.href, {
      api_key_changed: () => (changeCount += 1),
      audit_sealed: () => (sealCount += 1),
    });
    expect([changeCount, sealCount]).toEqual([1, 1]);
    await withAdmin((admin) => admin.query(`notify api_key_changed, 'x'`));
    await vi.waitUntil(() => changeCount === 2, { timeout: 120_000 });
    await withAdmin((admin) => admin.query('notify audit_sealed'));
    await vi.waitUntil(() => sealCount >= 2, { timeout: 120_000 });
    first.close();
    for (const socket of sockets) socket.destroy();
    await wait(1500); // one reconnect fails meanwhile
    const second = proxy().listen(port, '127.0.0.1');
    await vi.waitUntil(() => changeCount === 3, { timeout: 120_000 });
    await withAdmin((admin) => admin.query(`notify api_key_changed, 'x'`));
    await vi.waitUntil(() => changeCount === 4, { timeout: 120_000 });
    await stopListening();
    second.close();
  });

  test('that waits too long for a lock causes a 503 with Retry-After and no change', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    await withAdmin(async (admin) => {
      await admin.query('begin');
      await admin.query('select from vendor where company_id = $1 and unique_id = $2 for update', [acme.id, uniqueId]);
      const path = `/external/smart-inventory/vendor/${uniqueId}/edit`;
      const response = await http('PATCH', path, { key: acme.key, body: { name: 'Late' } });
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1', 'x-error-code': 'unavailable' } });
      await admin.query('rollback');
    });
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Cloud Ltd', version: 1 });
  });

  test('returns dates in one format, whatever the settings of the database are', async () => {
    const name = new URL(databaseUrl ?? '').pathname.slice(1);
    await withAdmin(async (admin) => {
      await admin.query(`alter database ${name} set datestyle = 'SQL, DMY'`);
      await admin.query(`alter database ${name} set timezone = 'Asia/Kolkata'`);
      const database = await openPostgreSql(databaseUrl ?? '');
      const [row] = await database.query<{ at: string }>(
        'regression.date',
        `select '2026-11-21T00:00:00Z'::timestamptz as at`,
        [],
      );
      expect(row?.at).toBe('2026-11-21 00:00:00+00');
      await database.close();
      await admin.query(`alter database ${name} reset datestyle`);
      await admin.query(`alter database ${name} reset timezone`);
    });
  });
});

test('a read that waits for a pipeline opened by another read keeps its deadline', async () => {
  // Accepts connections and never responds.
  const silent = createServer();
  await new Promise<void>((listening) => void silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const connections = new ConnectionPool(
    { connectionString: `postgresql://nobody@127.0.0.1:${port}/nothing` },
    { connections: 2 },
  );
  const pipelinedReads = new PipelinedReads(connections);
  const errors: string[] = [];
  const run = (name: string, timeoutMs: number) =>
    pipelinedReads
      .run({ name, text: 'select 1', values: [] }, { write: false, deadline: performance.now() + timeoutMs })
      ?.catch((error: Error) => errors.push(`${name}: ${error.message}`));
  await Promise.all([run('long', 4000), run('short', 100)]);
  expect(errors).toEqual([
    'short: The database is busy. Try again shortly.',
    expect.stringMatching(/^long: .*timeout/),
  ]);
  // The failed connection does not block the next read.
  await run('again', 100);
  expect(errors).toHaveLength(3);
  silent.close();
  await connections.end();
});

test('a read without a connection fails at once and does not block the next read', async () => {
  const connections = new ConnectionPool(
    { connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' },
    { connections: 2 },
  );
  const pipelinedReads = new PipelinedReads(connections);
  const run = (deadline: number) =>
    pipelinedReads.run({ name: 'x', text: 'select 1', values: [] }, { write: false, deadline });
  await expect(run(performance.now() - 1)).rejects.toThrow('The database is busy');
  await expect(run(performance.now() + 4000)).rejects.toThrow('ECONNREFUSED');
  await connections.end();
});
