import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { scrapeMetrics } from '../support/http/prometheus-samples.ts';
import { findFreePort } from '../support/http/listen.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';

const folder = await mkdtemp(join(tmpdir(), 'change-feed-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const POLL_OPTIONS = { timeout: 120_000 };

test('SIGTERM ends waiting requests with a complete response, long before their time is over', async () => {
  const metricsPort = await findFreePort();
  const service = await startServiceProcess({ DATA_DIR: join(folder, 'data'), METRICS_PORT: String(metricsPort) });
  const key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  const listChanges = async (query: string) => {
    const response = await fetch(`${service.url}/external/changes?${query}`, { headers: { 'X-API-Key': key } });
    return (await response.json()) as { items: object[]; cursor: string; more: boolean };
  };
  // The job seals the events of the demo company, which ends the wait.
  const first = await listChanges('wait=30');
  expect(first.items[0]).toMatchObject({ sequence: 1, action: 'company.create' });
  const waitingRequests = async () =>
    (await scrapeMetrics(`http://127.0.0.1:${metricsPort}/metrics`))['change_feed_waiting_requests'];
  let isStopped = false;
  const waiting = (async () => {
    let { cursor } = await listChanges('from=now');
    for (;;) {
      const page = await listChanges(`cursor=${cursor}&wait=30`);
      if (isStopped) return page;
      ({ cursor } = page);
    }
  })();
  await expect.poll(waitingRequests, POLL_OPTIONS).toBe(1);
  const start = performance.now();
  isStopped = true;
  expect(await stopServiceProcess(service)).toBe(0);
  expect(performance.now() - start).toBeLessThan(15_000);
  expect(await waiting).toMatchObject({ items: [], more: false });
});
