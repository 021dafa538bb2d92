import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { ConnectionPool } from '../../database/postgresql/connection-pool.ts';
import { listenForKeyChanges } from '../../database/postgresql/notifications.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { PipelinedReads } from '../../database/postgresql/pipelined-reads.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { Framework } from '../../entities/framework.ts';
import { createCompany } from '../support/tenants/company.ts';
import { databaseUrl, ownerUrl } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

// What a real PostgreSQL does to a connection; the embedded database has none.
describe.runIf(databaseUrl !== undefined)('the connection (PostgreSQL only)', () => {
  async function withAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
    const admin = new Client({ connectionString: ownerUrl });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  }

  test('that dies inside a transaction gives its place in the pool back (kysely-org/kysely#1990)', async () => {
    const acme = await createCompany();
    const database = await openPostgreSql(databaseUrl ?? '');
    const session = new Session(database, operatorPrincipal(acme.id), 'regression');
    await withAdmin(async (admin) => {
      for (let kills = 0; kills < 12; kills++) {
        const doomed = (await session.unitOfWork()).transactional(async (em) => {
          const [row] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
          await admin.query('select pg_terminate_backend($1)', [row?.pid]);
          await em.execute('select 1');
        });
        await expect(doomed).rejects.toThrow(/terminat|connection error/);
      }
    });
    expect(await (await session.unitOfWork()).count(Framework)).toBe(1);
    await database.close();
  }, 60_000);

  test('that dies idle, or while it answers, is replaced, and nothing else happens', async () => {
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
    await wait(100); // until the ends of the idle ones have arrived
    const answers = Array.from({ length: 20 }, () => database.query('regression.one', 'select 1 as one', []));
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
    await database.close();
  });

  test('that listens is made again after a cut, and what was missed counts as a change', async () => {
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
    let heard = 0;
    const unlisten = await listenForKeyChanges(through.href, () => (heard += 1));
    expect(heard).toBe(1);
    await withAdmin((admin) => admin.query(`notify api_key_changed, 'x'`));
    await vi.waitUntil(() => heard === 2);
    first.close();
    for (const socket of sockets) socket.destroy();
    await wait(1500); // an attempt that fails lies in between
    const second = proxy().listen(port, '127.0.0.1');
    await vi.waitUntil(() => heard === 3, { timeout: 10_000 });
    await withAdmin((admin) => admin.query(`notify api_key_changed, 'x'`));
    await vi.waitUntil(() => heard === 4);
    await unlisten();
    second.close();
  });

  test('that waits for a lock too long is 503 with Retry-After, and the change is not made', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    await withAdmin(async (admin) => {
      await admin.query('begin');
      await admin.query('select from vendor where company_id = $1 and unique_id = $2 for update', [acme.id, uniqueId]);
      const path = `/external/smart-inventory/vendor/${uniqueId}/edit`;
      const answer = await http('PATCH', path, { key: acme.key, body: { name: 'Late' } });
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', 'x-error-code': 'unavailable' } });
      await admin.query('rollback');
    });
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Cloud Ltd', version: 1 });
  });

  test('has its dates in one form, whatever the database’s settings are', async () => {
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

test('a read that waits for a connection which another had opened waits for as long as it may itself', async () => {
  // Takes connections, and never says a word.
  const silent = createServer();
  await new Promise<void>((listening) => void silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const connections = new ConnectionPool({ connectionString: `postgresql://nobody@127.0.0.1:${port}/nothing` }, 2);
  const shared = new PipelinedReads(connections);
  const ended: string[] = [];
  const run = (name: string, within: number) =>
    shared
      .run({ name, text: 'select 1', values: [] }, { write: false, deadline: performance.now() + within })
      ?.catch((error: Error) => ended.push(`${name}: ${error.message}`));
  await Promise.all([run('patient', 4000), run('late', 100)]);
  expect(ended).toEqual([
    'late: The database is busy. Try again shortly.',
    expect.stringMatching(/^patient: .*timeout/),
  ]);
  // And the connection that came to nothing is in nobody's way.
  await run('again', 100);
  expect(ended).toHaveLength(3);
  silent.close();
  await connections.end();
});

test('a read that is refused a connection at once is told so, and the next one is not in its way', async () => {
  const connections = new ConnectionPool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' }, 2);
  const shared = new PipelinedReads(connections);
  const run = (until: number) =>
    shared.run({ name: 'x', text: 'select 1', values: [] }, { write: false, deadline: until });
  await expect(run(performance.now() - 1)).rejects.toThrow('The database is busy');
  await expect(run(performance.now() + 4000)).rejects.toThrow('ECONNREFUSED');
  await connections.end();
});
