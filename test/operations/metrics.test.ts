import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { sealAuditLog, findSealLag } from '../../entities/statements/audit-seal.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { startMetricsServer } from '../../server/telemetry/metrics-server.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import type { Metrics } from '../../server/telemetry/metrics.ts';
import { processCounters } from '../../server/http/process-counters.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, databaseUrl, tamper } from '../support/database/database.ts';
import { scrapeMetrics } from '../support/http/prometheus-samples.ts';
import { findFreePort } from '../support/servers/redis.ts';

const VENDOR_LIST = '/external/smart-inventory/vendor/list';

/** An endpoint that tells what these count. */
async function serveMetricsOf(...all: Metrics[]) {
  const endpoint = await startMetricsServer({ port: 0, host: '127.0.0.1' }, () =>
    Promise.all(all.map((metrics) => metrics.collect())),
  );
  return { ...endpoint, scrape: () => scrapeMetrics(endpoint.url) };
}

describe('the numbers of a server', () => {
  let acme: TestCompany;
  let app: Awaited<ReturnType<typeof startApp>>;
  let endpoint: Awaited<ReturnType<typeof serveMetricsOf>>;
  beforeAll(async () => {
    acme = await createCompany();
    const metrics = startMetrics(database);
    app = await startApp({ observers: [metrics.observeRequest], rateLimits: await openTestRateLimits(4) });
    endpoint = await serveMetricsOf(metrics);
  });
  afterAll(() => Promise.all([app.stop(), endpoint.stop()]));

  test('tell of requests by pattern, method and status, and of refusals for their rate', async () => {
    const headers = { 'X-API-Key': acme.key };
    for (let request = 0; request < 3; request++) await app.ask(VENDOR_LIST, headers);
    await app.ask(`/external/smart-inventory/vendor/${acme.apiKey.uniqueId}/item`, headers);
    await app.ask(VENDOR_LIST, headers);
    await app.ask('/external/one/two', {});
    await app.ask('/one/two', {});
    const count = (route: string, status: string) =>
      `http_request_duration_seconds_count{route="${route}",method="GET",status="${status}"}`;
    await expect.poll(endpoint.scrape, { timeout: 10_000 }).toMatchObject({
      [count(VENDOR_LIST, '2xx')]: 3,
      [count(VENDOR_LIST, '4xx')]: 1,
      [count('/external/smart-inventory/vendor/{vendor}/item', '4xx')]: 1,
      [count('/external', '4xx')]: 1,
      [count('none', '4xx')]: 1,
      'rate_limited_requests_total{by="key"}': 1,
      'rate_limited_requests_total{by="address"}': 0,
    });
    const told = await endpoint.scrape();
    const bucket = `http_request_duration_seconds_bucket{le="+Inf",route="${VENDOR_LIST}",method="GET",status="2xx"}`;
    expect(told[bucket]).toBe(3);
    const all = JSON.stringify(told);
    for (const secret of [acme.key, acme.apiKey.uniqueId]) expect(all).not.toContain(secret);
  });

  test('tell of the pool, the event loop, the process and what was shed', async () => {
    processCounters.shedRequests += 2;
    const told = await endpoint.scrape();
    expect(told['shed_requests_total']).toBe(processCounters.shedRequests);
    expect(told['nodejs_eventloop_lag_p99_seconds']).toBeGreaterThan(0);
    expect(told['process_resident_memory_bytes']).toBeGreaterThan(1e6);
    const connections = told['database_connections{state="total"}'];
    if (databaseUrl === undefined) expect(connections).toBeUndefined();
    else
      expect({ connections, waiting: told['database_waiting'] }).toEqual({
        connections: expect.toSatisfy((n) => n > 0),
        waiting: 0,
      });
    processCounters.shedRequests -= 2;
  });

  test('are told in the form of Prometheus at /metrics, and nowhere else', async () => {
    const answer = await fetch(endpoint.url);
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toContain('# TYPE http_request_duration_seconds histogram');
    expect((await fetch(new URL('/', endpoint.url))).status).toBe(404);
    expect((await app.ask('/metrics', {})).status).toBe(404);
  });
});

test('the lag of sealing is the age of the oldest event that is not sealed for good', async () => {
  const lag = async () => (await new Session(database, null, 'lag').one(findSealLag, {})).seconds;
  const made: number[] = [];
  // Were the service of another test just about to seal one company, the next would be seen.
  await expect
    .poll(
      async () => {
        const { id } = await createCompany();
        made.push(id);
        await tamper(`update audit_event set occurred_at = now() - interval '1000000 s' where company_id = ${id}`);
        return lag();
      },
      { timeout: 20_000 },
    )
    .toSatisfy((seconds: number) => seconds > 999_999 && seconds < 1_001_000);
  // Sealed, then marked, then settled once nobody who writes is older than the mark.
  await expect
    .poll(
      async () => {
        for (const id of made) await new Session(database, operatorPrincipal(id), 'lag').one(sealAuditLog, {});
        return lag();
      },
      { timeout: 20_000 },
    )
    .toBeLessThan(999_999);
});

test('the lag is not a number while the database does not tell, and the rest is told', async () => {
  const away = await openPostgreSql(`postgresql://nobody@127.0.0.1:${await findFreePort()}/nothing`);
  const endpoint = await serveMetricsOf(startMetrics(away));
  const told = await endpoint.scrape();
  expect(told['audit_seal_lag_seconds']).toBeNaN();
  expect(told['shed_requests_total']).toBe(processCounters.shedRequests);
  await endpoint.stop();
  await away.close();
});

test('numbers of several processes are told as one', async () => {
  const [one, other] = [startMetrics(database), startMetrics(database)];
  const seen = { requestId: 'x', key: null, company: null, method: 'GET', route: '/healthz', status: 200, duration: 3 };
  one.observeRequest(seen);
  one.observeRequest({ ...seen, method: 'WHATEVER', aborted: true });
  other.observeRequest(seen);
  const endpoint = await serveMetricsOf(one, other);
  expect(await endpoint.scrape()).toMatchObject({
    'http_request_duration_seconds_count{route="/healthz",method="GET",status="2xx"}': 2,
    'http_request_duration_seconds_sum{route="/healthz",method="GET",status="2xx"}': 0.006,
    'http_request_duration_seconds_count{route="/healthz",method="other",status="aborted"}': 1,
  });
  await endpoint.stop();
});

test('a port that is taken is told by the name of its setting', async () => {
  const endpoint = await serveMetricsOf();
  const { port } = new URL(endpoint.url);
  const again = startMetricsServer({ port: Number(port), host: '127.0.0.1' }, async () => []);
  await expect(again).rejects.toThrow(ConfigError);
  await expect(again).rejects.toThrow(/^METRICS_HOST, METRICS_PORT: [^\n]+$/);
  await endpoint.stop();
});
