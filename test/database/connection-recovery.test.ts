import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { readStatement } from '../../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { Framework } from '../../entities/reference-data/reference-data.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { startPostgreSql, hasPostgreSql } from '../support/servers/postgresql.ts';
import type { PostgreSqlServer } from '../support/servers/postgresql.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { startPartitionProxy } from '../support/database/partition-proxy.ts';
import { withClient } from '../support/database/client.ts';
import { databaseUrl } from '../support/database/database.ts';
import { http, startServer } from '../support/http/server.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';
const CREATE_PATH = '/external/smart-inventory/vendor/new';
/** The guaranteed five seconds, plus a margin for a busy machine. */
const MAX_RESPONSE_MS = 8000;
/** Far more than the guaranteed two seconds, for a busy machine. */
const POLL_OPTIONS = { timeout: 120_000, interval: 50 };
const UNAVAILABLE = { status: 503, headers: { 'retry-after': '1', 'x-error-code': 'unavailable' } };

// Runs with the tests on PostgreSQL, on a separate server.
describe.runIf(databaseUrl !== undefined && hasPostgreSql)(
  'the service recovers (PostgreSQL only; skipped without initdb):',
  () => {
    let server: PostgreSqlServer;
    let database: Database;
    let at: string;
    let acme: Awaited<ReturnType<typeof createCompanyIn>>;
    beforeAll(async () => {
      server = await startPostgreSql();
      database = await openPostgreSql(server.url);
      await database.migrate();
      acme = await createCompanyIn(database);
      at = await startServer(database);
    });
    afterAll(async () => {
      await database.close();
      await server.remove();
    });

    const read = (baseUrl = at) => http('GET', LIST_PATH, { key: acme.key, baseUrl, repeats: false });
    const write = (name = 'Cloud Ltd', baseUrl = at) =>
      http('POST', CREATE_PATH, { key: acme.key, baseUrl, repeats: false, body: { name } });
    const repeat = <T>(times: number, run: () => Promise<T>) => Promise.all(Array.from({ length: times }, () => run()));

    /** Expects that queries succeed, and that the pool has no leased connection and no waiting request. */
    async function expectHealthyPool(over: Database = database): Promise<void> {
      const results = await repeat(40, () => over.query('healthy', 'select pg_sleep(0.01)', []));
      expect(results).toHaveLength(40);
      const { total, idle, waiting } = over.pool ?? {};
      expect({ idle, waiting }).toEqual({ idle: total, waiting: 0 });
    }

    test('after a restart of the database', async () => {
      await server.stop();
      expect(await read()).toMatchObject(UNAVAILABLE);
      expect(await write()).toMatchObject(UNAVAILABLE);
      expect(await http('GET', '/readyz', { baseUrl: at })).toMatchObject({ status: 503 });
      await server.start();
      await vi.waitUntil(async () => (await read()).status === 200, POLL_OPTIONS);
      expect((await write()).status).toBe(201);
      await expectHealthyPool();
    });

    test('after the database was frozen: requests end meanwhile and release their slots', async () => {
      await expectHealthyPool(); // opens all connections
      const startedAt = performance.now();
      server.freeze();
      try {
        const responses = await Promise.all([repeat(15, read), repeat(15, write)]);
        expect(performance.now() - startedAt).toBeLessThan(MAX_RESPONSE_MS);
        expect(new Set(responses.flat().map(({ status }) => status))).toEqual(new Set([503]));
        await expect(acme.manage.framework.create({ name: 'Meanwhile' })).rejects.toThrow(/cannot serve|busy/);
        expect(performance.now() - startedAt).toBeLessThan(2 * MAX_RESPONSE_MS);
      } finally {
        server.thaw();
      }
      await vi.waitUntil(async () => (await read()).status === 200, POLL_OPTIONS);
      expect((await write()).status).toBe(201);
      await expectHealthyPool();
    });

    test('after a network partition, with new connections', async () => {
      const proxy = await startPartitionProxy(server.url);
      const over = await openPostgreSql(proxy.url);
      const there = await startServer(over);
      await expectHealthyPool(over);
      proxy.cut();
      expect(await read(there)).toMatchObject(UNAVAILABLE);
      const [failure] = await repeat(1, () => over.query('cut', 'select 1', []).catch((error: unknown) => error));
      expect(failure).toMatchObject({ code: 'unavailable' });
      proxy.restore();
      // The pool replaces the other broken connections without trying each.
      expect((await read(there)).status).toBe(200);
      expect((await write('After the partition', there)).status).toBe(201);
      await expectHealthyPool(over);
      await over.close();
      proxy.stop();
    });

    test('a query does not wait for a connection longer than its deadline', async () => {
      const proxy = await startPartitionProxy(server.url);
      const over = await openPostgreSql(proxy.url, { maxConnections: 2 });
      const run = async (timeoutMs: number) => {
        const startedAt = performance.now();
        const deadline = startedAt + timeoutMs;
        const error = await over
          .run(readStatement('late', 'select 1'), {}, {}, deadline)
          .catch((failure: unknown) => failure);
        return { error, took: performance.now() - startedAt };
      };
      proxy.cut();
      for (const { error, took } of await repeat(5, () => run(200))) {
        expect(error).toMatchObject({ code: 'unavailable' });
        expect(took).toBeLessThan(TIMEOUTS_MS.connect - 100);
      }
      expect((await run(-1)).error).toMatchObject({ code: 'unavailable' });
      proxy.restore();
      await vi.waitUntil(
        () =>
          over.query('late.healthy', 'select 1', []).then(
            () => true,
            () => false,
          ),
        POLL_OPTIONS,
      );
      await expectHealthyPool(over);
      await over.close();
      proxy.stop();
    });

    test('a timeout of a query with a short deadline does not replace other connections', async () => {
      await expectHealthyPool();
      const before = database.pool?.total;
      const hasty = database.run(readStatement('hasty', 'select pg_sleep(0.5)'), {}, {}, performance.now() + 100);
      await expect(hasty).rejects.toMatchObject({ code: 'unavailable' });
      await database.query('after', 'select 1', []);
      expect(database.pool?.total).toBe(Number(before) - 1);
      await expectHealthyPool();
    });

    test('after all backends were terminated under load: reads succeed, writes may be 503', async () => {
      const load = Promise.all([repeat(30, read), repeat(30, write)]);
      await server.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      const [reads, writes] = await load;
      expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
      for (const { status } of writes) expect([201, 503]).toContain(status);
      await expectHealthyPool();
    });

    test('a retried read gets none of the connections that are being terminated', async () => {
      const open = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          database.query<{ pid: number }>('pid', 'select pg_backend_pid() as pid, pg_sleep($1)', [index / 20]),
        ),
      );
      const pids = open.flat().map(({ pid }) => pid);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await server.sql(`select pg_terminate_backend(pid) from unnest('{${pids.join(',')}}'::int[]) pid`);
      const result = database.run(readStatement('retry', 'select 1 as one'), {}, {});
      // The pool leases the most recently released connection first.
      for (const pid of pids.toReversed()) {
        await wait(100);
        process.kill(pid, 'SIGCONT');
      }
      expect(await result).toEqual([{ one: 1 }]);
      await expectHealthyPool();
    });

    test('after a backend was killed and PostgreSQL restarted all backends', async () => {
      const dying = database.query('dying', 'select pg_sleep(5)', []).catch((error: unknown) => error);
      const asleep = `select pid from pg_stat_activity where query = 'select pg_sleep(5)'`;
      const [backend] = await vi.waitFor(async () => {
        const backends = await server.sql<{ pid: number }>(asleep);
        expect(backends).toHaveLength(1);
        return backends;
      }, POLL_OPTIONS);
      const bystander = new Client({ connectionString: server.url });
      await bystander.connect();
      const disconnected = new Promise((resolve) => bystander.on('error', resolve));
      process.kill(Number(backend?.pid), 'SIGKILL');
      expect(await dying).toMatchObject({ code: 'unavailable' });
      await disconnected; // PostgreSQL closes all connections when it notices
      await vi.waitUntil(async () => (await read()).status === 200, POLL_OPTIONS);
      await expectHealthyPool();
    });

    test('writers that wait for one row leave slots to readers', async () => {
      const { body } = await write('Locked');
      const { uniqueId } = body as { uniqueId: string };
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      await admin.query('begin');
      await admin.query('select from vendor where unique_id = $1 for update', [uniqueId]);
      const edit = `/external/smart-inventory/vendor/${uniqueId}/edit`;
      let completed = 0;
      const writers = repeat(40, async () => {
        const { status } = await http('PATCH', edit, {
          key: acme.key,
          baseUrl: at,
          repeats: false,
          body: { name: `Name ${completed}` },
        });
        completed += 1;
        return status;
      });
      await vi.waitUntil(() => Number(database.pool?.waiting) > 0, POLL_OPTIONS);
      const readers = await repeat(50, read);
      expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(completed).toBeLessThan(40);
      await admin.query('rollback');
      await admin.end();
      for (const status of await writers) expect([204, 503]).toContain(status);
      await expectHealthyPool();
    });

    test('a request is rejected at once if the queue is full', async () => {
      const narrow = await openPostgreSql(server.url, { maxConnections: 1 });
      const slow = narrow.query('slow', 'select pg_sleep(1)', []);
      const waiting = repeat(100, () => narrow.query('one', 'select 1', []));
      let isSlowOver = false;
      void slow.then(() => (isSlowOver = true));
      await expect(narrow.query('one', 'select 1', [])).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('Too many'),
      });
      expect(isSlowOver).toBe(false);
      expect(await waiting).toHaveLength(100);
      await narrow.close();
    });

    test('a management write is retried as a whole after a deadlock', async () => {
      const [one, other] = [acme.framework, (await acme.manage.framework.create({ name: 'SOC 2' })).id];
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      const adminPid = (await admin.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
      const waitsForLock = async (pid: number | undefined) => {
        const sessions = 'select wait_event_type from pg_stat_activity where pid = $1';
        return (await server.sql<{ wait_event_type: string }>(sessions, pid))[0]?.wait_event_type === 'Lock';
      };
      await admin.query(`set deadlock_timeout = '10s'`); // PostgreSQL then chooses the other transaction as the victim
      await admin.query('begin');
      const lock = 'select from framework where company_id = $1 and id = $2 for update';
      await admin.query(lock, [acme.id, other]);
      let attempts = 0;
      let blocked: Promise<unknown> | undefined;
      await new Session(database, operatorPrincipal(acme.id), 'deadlock').inUnitOfWork((unit) => {
        attempts += 1;
        return unit.transactional(async (em) => {
          const first = await em.findOneOrFail(Framework, { id: one });
          first.name = `Attempt ${attempts}`;
          await em.flush();
          blocked ??= admin.query(lock, [acme.id, one]).then(() => admin.query('rollback'));
          // PostgreSQL looks for a deadlock once in each wait, so that the other transaction has to wait first.
          if (attempts === 1) await expect.poll(() => waitsForLock(adminPid)).toBe(true);
          const second = await em.findOneOrFail(Framework, { id: other });
          second.name = 'Reached';
          await em.flush();
        });
      });
      await blocked;
      await admin.end();
      expect(attempts).toBe(2);
      const names = (await acme.manage.framework.list()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['Attempt 2', 'Reached']));
      const events = await server.sql<{ changes: object }>(
        `select changes from audit_event where request_id = 'deadlock' order by id`,
      );
      expect(events).toHaveLength(2);
    });

    test('a read-only database serves reads, and writes as soon as it is writable', async () => {
      const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
      await server.sql('alter database postgres set default_transaction_read_only = on');
      await server.sql(terminate);
      await wait(100);
      expect((await read()).status).toBe(200);
      expect(await write()).toMatchObject(UNAVAILABLE);
      await expect(acme.manage.framework.create({ name: 'Not now' })).rejects.toThrow(/cannot serve/);
      expect(await http('GET', '/readyz', { baseUrl: at })).toMatchObject({
        status: 200,
        body: { status: 'read-only' },
      });
      await withClient(server.url, async (admin) => {
        await admin.query('set default_transaction_read_only = off');
        await admin.query('alter database postgres reset default_transaction_read_only');
      });
      // The pool closes connections with a read-only error, so that new ones see the current setting.
      await vi.waitUntil(async () => (await write()).status === 201, POLL_OPTIONS);
      await expectHealthyPool();
    });
  },
);
