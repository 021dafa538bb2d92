import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { readStatement } from '../../entities/statements/define-statement.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { makeParameters, pathOf, routes, targetOf } from '../support/fixtures/objects.ts';
import { startPostgreSql, hasPostgreSql } from '../support/servers/postgresql.ts';
import type { PostgreSqlServer } from '../support/servers/postgresql.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { databaseUrl } from '../support/database/database.ts';
import { http, startServer } from '../support/http/server.ts';

const VENDORS = '/external/smart-inventory/vendor';
const POLL_OPTIONS = { timeout: 120_000, interval: 50 };
/** The guaranteed five seconds, plus a margin for a busy machine. */
const MAX_RESPONSE_MS = 8000;

/** URL with the service role, which owns no tables. */
function serviceRoleUrl(url: string): string {
  const service = new URL(url);
  service.username = 'service';
  return service.href;
}

/** Listens on one address and connects clients to the servers in turn. */
async function startLoadBalancer(urls: readonly string[]) {
  const sockets = new Set<Socket>();
  let connectionCount = 0;
  const server = createServer((client) => {
    connectionCount += 1;
    const { hostname, port } = new URL(urls[connectionCount % urls.length] ?? '');
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one.on('error', () => other.destroy()));
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(urls[0] ?? '');
  url.port = String((server.address() as AddressInfo).port);
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, stop };
}

describe.runIf(databaseUrl !== undefined && hasPostgreSql)(
  'replicas (PostgreSQL only; skipped without initdb):',
  () => {
    let primary: PostgreSqlServer;
    let standby: Awaited<ReturnType<PostgreSqlServer['standby']>>;
    let processes: { database: Database; at: string }[];
    let acme: Awaited<ReturnType<typeof createCompanyIn>>;
    beforeAll(async () => {
      primary = await startPostgreSql({ wal_level: 'replica', max_wal_senders: '8' });
      await primary.sql('create role service login');
      standby = await primary.standby();
      processes = await Promise.all(
        ['one', 'other'].map(async () => {
          const database = await openPostgreSql(serviceRoleUrl(primary.url), {
            ownerUrl: primary.url,
            replicaUrls: [serviceRoleUrl(standby.url)],
          });
          await database.migrate();
          return { database, at: await startServer(database) };
        }),
      );
      acme = await createCompanyIn(one().database);
    });
    afterAll(async () => {
      await Promise.all(processes.map(({ database }) => database.close()));
      await standby.remove();
      await primary.remove();
    });

    const one = () => processes[0] ?? expect.fail('no process');
    const other = () => processes[1] ?? expect.fail('no process');
    const list = (at = other().at) => http('GET', `${VENDORS}/list`, { key: acme.key, baseUrl: at });
    const add = (name: string, at = one().at) =>
      http('POST', `${VENDORS}/new`, { key: acme.key, baseUrl: at, body: { name } });
    const namesIn = ({ body }: { body: unknown }) => (body as { name: string }[]).map(({ name }) => name);
    const readsOf = ({ database } = other()) => database.replicas.reduce((sum, { reads }) => sum + reads, 0);
    const areAvailable = ({ database } = other()) => database.replicas.every((replica) => replica.isAvailable);
    /** Waits until the replica is available. Reads trigger its probes. */
    const waitUntilAvailable = (process = other()) =>
      vi.waitUntil(async () => (await list(process.at)).status === 200 && areAvailable(process), POLL_OPTIONS);

    /** They read people, which only statements for all companies reach, seal events, or need a file that another process makes. */
    const ON_PRIMARY = new Set([
      '/external/member/list',
      '/external/audit/checkpoint',
      '/external/proof/{proof}/content',
    ]);

    test('each read-only operation runs on a replica', async () => {
      const target = { ...(await targetOf(acme)), baseUrl: one().at };
      const { key } = target;
      for (const { method, template, queryFields } of routes) {
        if (method !== 'GET' || ON_PRIMARY.has(template)) continue;
        const path = pathOf(template, await makeParameters(template, target));
        const optional = { limit: '1', asOf: new Date().toISOString() };
        await waitUntilAvailable();
        const required = queryFields.includes('q') && template.endsWith('/search') ? 'q=review' : '';
        const queries = Object.entries(optional)
          .filter(([name]) => queryFields.includes(name))
          .map(([name, value]) => `${required}&${name}=${value}`);
        for (const query of [required, ...queries]) {
          await vi.waitUntil(async () => {
            const before = readsOf();
            expect(await http('GET', `${path}?${query}`, { key, baseUrl: other().at })).toMatchObject({ status: 200 });
            return readsOf() > before;
          }, POLL_OPTIONS);
        }
      }
    });

    test('the metrics contain the number of available replicas', async () => {
      await waitUntilAvailable();
      const metrics = await startMetrics(other().database).collect();
      expect(metrics.find(({ name }) => name === 'database_replicas')?.values).toEqual([
        { labels: { state: 'read' }, value: 1 },
        { labels: { state: 'left out' }, value: 0 },
      ]);
    });

    test('a process reads at once what another has written, even from a replica with a delay', async () => {
      await standby.sql(`alter system set recovery_min_apply_delay = '15ms'`);
      await standby.sql('select pg_reload_conf()');
      await waitUntilAvailable();
      const before = readsOf();
      const rival = await createCompanyIn(one().database, 'Rival');
      const writer = async (turns: number, name: string) => {
        for (let turn = 0; turn < turns; turn++) {
          const created = await add(`${name} ${turn}`);
          expect(created.status).toBe(201);
          const { uniqueId } = created.body as { uniqueId: string };
          const item = `${VENDORS}/${uniqueId}`;
          const read = () => http('GET', `${item}/item`, { key: acme.key, baseUrl: other().at });
          expect(await read()).toMatchObject({ status: 200, body: { version: 1 } });
          const edit = { key: acme.key, baseUrl: one().at, body: { description: `turn ${turn}` } };
          expect((await http('PATCH', `${item}/edit`, edit)).status).toBe(204);
          expect(await read()).toMatchObject({ status: 200, body: { version: 2, description: `turn ${turn}` } });
          expect(namesIn(await list())).toContain(`${name} ${turn}`);
          expect((await http('DELETE', `${item}/delete`, { key: acme.key, baseUrl: one().at })).status).toBe(204);
          expect((await read()).status).toBe(404);
          expect(namesIn(await list())).not.toContain(`${name} ${turn}`);
        }
      };
      const stop = new AbortController();
      const noise = (async () => {
        while (!stop.signal.aborted)
          await http('POST', `${VENDORS}/new`, { key: rival.key, baseUrl: one().at, body: { name: 'Noise' } });
      })();
      try {
        await Promise.all(['First', 'Second', 'Third'].map((name) => writer(15, name)));
      } finally {
        stop.abort();
        await noise;
      }
      expect(readsOf()).toBeGreaterThan(before);
      await standby.sql('alter system reset recovery_min_apply_delay');
      await standby.sql('select pg_reload_conf()');
    });

    test('row-level security applies on replicas', async () => {
      const rival = await createCompanyIn(one().database, 'Isolated');
      await waitUntilAvailable();
      const { readRunner } = other().database;
      const visibleCompanies = readStatement<object, { company: number }>(
        'replicas.seen',
        'select distinct company_id as company from framework where not pg_is_in_recovery() is null',
      );
      const before = readsOf();
      await vi.waitUntil(async () => {
        expect(await readRunner.run(visibleCompanies, {}, { company: rival.id })).toEqual([{ company: rival.id }]);
        expect(await readRunner.run(visibleCompanies, {}, {})).toEqual([]);
        return readsOf() >= before + 2;
      }, POLL_OPTIONS);
    });

    test('a replica that falls behind is not used, and keys are read from the primary', async () => {
      const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'Short-lived' });
      await waitUntilAvailable();
      await standby.sql('select pg_wal_replay_pause()');
      expect((await add('While paused')).status).toBe(201);
      expect(namesIn(await list())).toContain('While paused');
      expect(areAvailable()).toBe(false);
      await acme.manage.apiKey.revoke({ uniqueId });
      expect(await http('GET', `${VENDORS}/list`, { key, baseUrl: other().at })).toMatchObject({ status: 401 });
      const before = readsOf();
      for (let turn = 0; turn < 20; turn++) expect((await list()).status).toBe(200);
      expect(readsOf()).toBe(before);
      await standby.sql('select pg_wal_replay_resume()');
      await waitUntilAvailable();
      await vi.waitUntil(async () => (await list()).status === 200 && readsOf() > before, POLL_OPTIONS);
    });

    test('a stopped replica is not used until it is back', async () => {
      await waitUntilAvailable();
      await standby.stop();
      const responses = await Promise.all(Array.from({ length: 20 }, () => list()));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      expect(areAvailable()).toBe(false);
      await standby.start();
      await waitUntilAvailable();
    });

    test('a frozen replica delays reads only briefly, and is used when it is back', async () => {
      await waitUntilAvailable();
      const startedAt = performance.now();
      standby.freeze();
      try {
        const responses = await Promise.all(Array.from({ length: 20 }, () => list()));
        expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
        expect(performance.now() - startedAt).toBeLessThan(MAX_RESPONSE_MS);
        expect(areAvailable()).toBe(false);
        expect((await list()).status).toBe(200);
      } finally {
        standby.thaw();
      }
      await waitUntilAvailable();
    });

    test('the position of each replica behind one address is checked', async () => {
      const late = await primary.standby();
      const address = await startLoadBalancer([standby.url, late.url]);
      const database = await openPostgreSql(serviceRoleUrl(primary.url), {
        replicaUrls: [serviceRoleUrl(address.url)],
      });
      const at = await startServer(database);
      const [replica = expect.fail('no replica')] = database.replicas;
      // Concurrent reads open connections to both servers.
      const readConcurrently = () => Promise.all(Array.from({ length: 8 }, () => list(at)));
      await vi.waitUntil(async () => (await readConcurrently()).length > 0 && replica.reads > 20, POLL_OPTIONS);
      await late.sql('select pg_wal_replay_pause()');
      for (let turn = 0; turn < 5; turn++) {
        // The probe may use a connection to either server.
        await vi
          .waitUntil(async () => (await readConcurrently()).length > 0 && replica.isAvailable, { timeout: 3000 })
          .catch(() => false);
        expect((await add(`Behind ${turn}`)).status).toBe(201);
        for (const response of await readConcurrently()) expect(namesIn(response)).toContain(`Behind ${turn}`);
      }
      await database.close();
      address.stop();
      await late.remove();
    });

    test('a replica that has the log of another timeline is not used, however long that log is', async () => {
      const promoted = await primary.standby();
      const diverged = await primary.standby();
      await promoted.sql('select pg_promote()');
      /** As after a failover to a standby that lacks the end of the log, which another standby has. */
      const lengthenFormerLog = async () => {
        const [now] = await promoted.sql<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
        const isAhead = async () => {
          await primary.sql(`select pg_logical_emit_message(true, 'test', repeat('x', 4000000))`);
          const condition = 'select pg_last_wal_replay_lsn() > $1::pg_lsn as ahead';
          return (await diverged.sql<{ ahead: boolean }>(condition, now?.lsn))[0]?.ahead === true;
        };
        await vi.waitUntil(isAhead, POLL_OPTIONS);
      };
      await lengthenFormerLog();
      const open = async (replicaUrl: string) => {
        const replicaUrls = [serviceRoleUrl(replicaUrl)];
        const database = await openPostgreSql(serviceRoleUrl(promoted.url), { replicaUrls });
        return { database, at: await startServer(database) };
      };
      const former = await open(diverged.url);
      expect((await add('On the new timeline', former.at)).status).toBe(201);
      for (let turn = 0; turn < 20; turn++) {
        expect(namesIn(await list(former.at))).toContain('On the new timeline');
        await wait(100); // so that probes run
      }
      expect(readsOf(former)).toBe(0);
      // One address leads to that standby and to one that follows the new primary.
      const following = await promoted.standby();
      await lengthenFormerLog();
      const address = await startLoadBalancer([diverged.url, following.url]);
      const both = await open(address.url);
      await vi.waitUntil(async () => {
        const lists = await Promise.all(Array.from({ length: 8 }, () => list(both.at)));
        for (const response of lists) expect(namesIn(response)).toContain('On the new timeline');
        return readsOf(both) > 0;
      }, POLL_OPTIONS);
      for (const { database } of [former, both]) await database.close();
      address.stop();
      for (const server of [following, diverged, promoted]) await server.remove();
    });

    test('a promoted replica is not used', async () => {
      await waitUntilAvailable();
      await standby.sql('select pg_promote()');
      expect((await add('After the promotion')).status).toBe(201);
      expect(namesIn(await list())).toContain('After the promotion');
      expect(areAvailable()).toBe(false);
      const before = readsOf();
      for (let turn = 0; turn < 20; turn++) expect((await list()).status).toBe(200);
      expect(readsOf()).toBe(before);
    });
  },
);
