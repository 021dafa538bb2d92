import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { sealAuditLog, findSealLag } from '../../entities/audit/seal-statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { webhookAttempts } from '../../procedures/webhook/jobs.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { startMetricsServer } from '../../server/telemetry/metrics-server.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import type { Metrics } from '../../server/telemetry/metrics.ts';
import { processCounters } from '../../server/http/process-counters.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createWebhookKey } from '../support/tenants/webhooks.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, databaseUrl, sql, tamper } from '../support/database/database.ts';
import { scrapeMetrics } from '../support/http/prometheus-samples.ts';
import { findFreePort } from '../support/http/listen.ts';

const VENDOR_LIST = '/external/smart-inventory/vendor/list';

/** Starts a metrics server that aggregates these metrics. */
async function serveMetricsOf(...all: Metrics[]) {
  const endpoint = await startMetricsServer({ port: 0, host: '127.0.0.1' }, () =>
    Promise.all(all.map((metrics) => metrics.collect())),
  );
  return { ...endpoint, scrape: () => scrapeMetrics(endpoint.url) };
}

describe('the metrics of a server', () => {
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

  test('count requests by path pattern, method and status, and rate-limited requests', async () => {
    const headers = { 'X-API-Key': acme.key };
    for (let request = 0; request < 3; request++) await app.ask(VENDOR_LIST, headers);
    await app.ask(`/external/smart-inventory/vendor/${acme.apiKey.uniqueId}/item`, headers);
    await app.ask(VENDOR_LIST, headers);
    await app.ask('/external/one/two', {});
    await app.ask('/one/two', {});
    const count = (route: string, status: string) =>
      `http_request_duration_seconds_count{route="${route}",method="GET",status="${status}"}`;
    await expect.poll(endpoint.scrape, { timeout: 120_000 }).toMatchObject({
      [count(VENDOR_LIST, '2xx')]: 3,
      [count(VENDOR_LIST, '4xx')]: 1,
      [count('/external/smart-inventory/vendor/{vendor}/item', '4xx')]: 1,
      [count('/external', '4xx')]: 1,
      [count('none', '4xx')]: 1,
      'rate_limited_requests_total{by="key"}': 1,
      'rate_limited_requests_total{by="address"}': 0,
    });
    const samples = await endpoint.scrape();
    const bucket = `http_request_duration_seconds_bucket{le="+Inf",route="${VENDOR_LIST}",method="GET",status="2xx"}`;
    expect(samples[bucket]).toBe(3);
    const all = JSON.stringify(samples);
    for (const secret of [acme.key, acme.apiKey.uniqueId]) expect(all).not.toContain(secret);
  });

  test('include the pool, the event loop, the process and shed requests', async () => {
    processCounters.shedRequests += 2;
    const samples = await endpoint.scrape();
    expect(samples['shed_requests_total']).toBe(processCounters.shedRequests);
    expect(samples['nodejs_eventloop_lag_p99_seconds']).toBeGreaterThan(0);
    expect(samples['process_resident_memory_bytes']).toBeGreaterThan(1e6);
    const connections = samples['database_connections{state="total"}'];
    if (databaseUrl === undefined) expect(connections).toBeUndefined();
    else
      expect({ connections, waiting: samples['database_waiting'] }).toEqual({
        connections: expect.toSatisfy((n) => n > 0),
        waiting: 0,
      });
    processCounters.shedRequests -= 2;
  });

  test('are available in the Prometheus text format at /metrics only', async () => {
    const response = await fetch(endpoint.url);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('# TYPE http_request_duration_seconds histogram');
    expect((await fetch(new URL('/', endpoint.url))).status).toBe(404);
    expect((await app.ask('/metrics', {})).status).toBe(404);
  });
});

test('the seal lag is the age of the oldest event that is not sealed', async () => {
  const lag = async () => (await new Session(database, null, 'lag').one(findSealLag, {})).seconds;
  const companies: number[] = [];
  // The event is older than those of other tests. Repeated, because the service of another test may seal the company before the lag is read.
  await expect
    .poll(
      async () => {
        const { id } = await createCompany();
        companies.push(id);
        await tamper(`update audit_event set occurred_at = now() - interval '100000000 s' where company_id = ${id}`);
        return lag();
      },
      { timeout: 120_000 },
    )
    .toSatisfy((seconds: number) => seconds > 99_999_999 && seconds < 100_001_000);
  // An event counts as sealed when no open transaction is older than the watermark of the seal.
  await expect
    .poll(
      async () => {
        for (const id of companies) await new Session(database, operatorPrincipal(id), 'lag').one(sealAuditLog, {});
        return lag();
      },
      { timeout: 120_000 },
    )
    .toBeLessThan(99_999_999);
});

test('webhooks have metrics of their backlog, its age and their attempts', async () => {
  const acme = await createCompany();
  const { caller } = await createWebhookKey(acme);
  const { uniqueId } = await caller.webhook.create({ url: 'http://127.0.0.1:9/', events: ['vendor.delete'] });
  const endpoint = await serveMetricsOf(startMetrics(database));
  try {
    const before = await endpoint.scrape();
    await caller.webhook.test({ webhook: uniqueId });
    await tamper(
      `update webhook_delivery set created_at = now() - interval '100000000 s' where company_id = ${acme.id}`,
    );
    webhookAttempts.failed += 3;
    const after = await endpoint.scrape();
    const waiting = 'webhook_deliveries_waiting';
    expect(after[waiting]).toBe(Number(before[waiting]) + 1);
    expect(after['webhook_oldest_delivery_seconds']).toBeGreaterThan(99_999_999);
    const attempts = Object.entries(after).filter(([name]) => name.startsWith('webhook_attempts_total'));
    const increases = attempts.map(([name, value]) => value - Number(before[name]));
    expect(increases.toSorted((one, two) => one - two)).toEqual([0, 3]);
  } finally {
    webhookAttempts.failed -= 3;
    await sql('delete from webhook_delivery where company_id = $1', acme.id);
    await endpoint.stop();
  }
});

test('the oldest freeze is that of a company that was not moved away', async () => {
  const acme = await createCompany();
  const endpoint = await serveMetricsOf(startMetrics(database));
  const set = (columns: string) => tamper(`update company set ${columns} where id = ${acme.id}`);
  const oldest = async () => (await endpoint.scrape())['company_oldest_freeze_seconds'];
  try {
    await set(`frozen_at = now() - interval '100000000 s'`);
    expect(await oldest()).toBeGreaterThan(99_999_999);
    await set(`moved_to = 'https://b.example'`);
    expect(await oldest()).toBeLessThan(99_999_999);
  } finally {
    await set('moved_to = null, frozen_at = null');
    await endpoint.stop();
  }
});

test('the seal lag is NaN if the database is unavailable, and the other metrics are available', async () => {
  const unavailable = await openPostgreSql(`postgresql://nobody@127.0.0.1:${await findFreePort()}/nothing`);
  const endpoint = await serveMetricsOf(startMetrics(unavailable));
  const samples = await endpoint.scrape();
  expect(samples['audit_seal_lag_seconds']).toBeNaN();
  expect(samples['shed_requests_total']).toBe(processCounters.shedRequests);
  await endpoint.stop();
  await unavailable.close();
});

test('metrics of several processes are aggregated', async () => {
  const [one, other] = [startMetrics(database), startMetrics(database)];
  const summary = {
    requestId: 'x',
    key: null,
    company: null,
    method: 'GET',
    route: '/healthz',
    status: 200,
    duration: 3,
  };
  one.observeRequest(summary);
  one.observeRequest({ ...summary, method: 'WHATEVER', aborted: true });
  other.observeRequest(summary);
  const endpoint = await serveMetricsOf(one, other);
  expect(await endpoint.scrape()).toMatchObject({
    'http_request_duration_seconds_count{route="/healthz",method="GET",status="2xx"}': 2,
    'http_request_duration_seconds_sum{route="/healthz",method="GET",status="2xx"}': 0.006,
    'http_request_duration_seconds_count{route="/healthz",method="other",status="aborted"}': 1,
  });
  await endpoint.stop();
});

test('an error for a port in use names the setting', async () => {
  const endpoint = await serveMetricsOf();
  const { port } = new URL(endpoint.url);
  const second = startMetricsServer({ port: Number(port), host: '127.0.0.1' }, async () => []);
  await expect(second).rejects.toThrow(ConfigError);
  await expect(second).rejects.toThrow(/^METRICS_HOST, METRICS_PORT: [^\n]+$/);
  await endpoint.stop();
});
