import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN, operatorHeaders } from '../../support/http/client.ts';
import { startServiceProcess, stopServiceProcess } from '../../support/servers/service-process.ts';
import type { ServiceProcess } from '../../support/servers/service-process.ts';
import { temporaryFolder } from '../../support/setup/temporary-folder.ts';

// Coarse bounds for a busy machine: `npm run bench:fairness` measures the waits. Without turns, they are as long as the work.
const MAX_WAIT_MS = 2000;
const ROWS = 6000;
const dataDir = await temporaryFolder();

describe('while the embedded database works in the background, a read waits for less than two seconds:', () => {
  let service: ServiceProcess;
  let headers: Record<string, string>;
  let operator: Record<string, string>;
  let readUrl: string;

  beforeAll(async () => {
    service = await startServiceProcess({ DATA_DIR: dataDir, OPERATOR_TOKEN });
    headers = { 'X-API-Key': /svc_sk_live_\w+/.exec(service.stderr)?.[0] ?? '' };
    operator = { ...operatorHeaders(1), 'Content-Type': 'application/json' };
    const created = await fetch(`${service.url}/external/smart-inventory/vendor/new`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"name":"Read meanwhile"}',
    });
    readUrl = service.url + String(created.headers.get('location'));
  });
  afterAll(() => stopServiceProcess(service));

  /** Reads a vendor at an interval until `work` has ended. Returns the waits in milliseconds. */
  async function waitsDuring(work: Promise<unknown>): Promise<number[]> {
    const waits: number[] = [];
    const state = { ended: false };
    const ended = work.finally(() => (state.ended = true));
    while (!state.ended) {
      const sentAt = performance.now();
      const response = await fetch(readUrl, { headers });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      waits.push(performance.now() - sentAt);
      await wait(10);
    }
    await ended;
    return waits;
  }

  async function runImport(): Promise<void> {
    const accepted = await fetch(`${service.url}/external/smart-inventory/vendor/import`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/csv' },
      body: `name\r\n${Array.from({ length: ROWS }, (_, index) => `Row ${index}\r\n`).join('')}`,
    });
    const location = service.url + String(accepted.headers.get('location'));
    const state = async () => (await fetch(location, { headers })).json();
    await expect.poll(state, { interval: 200, timeout: 120_000 }).toMatchObject({ state: 'done', created: ROWS });
  }

  test('an import', async () => {
    const waits = await waitsDuring(runImport());
    expect(waits.length).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeLessThan(MAX_WAIT_MS);
  });

  test('an export, a verification of the audit log and a backup at once', async () => {
    const exportVendors = async () => {
      const list = `${service.url}/external/smart-inventory/vendor/list`;
      const csv = await (await fetch(list, { headers: { ...headers, Accept: 'text/csv' } })).text();
      expect(csv.trim().split('\r\n')).toHaveLength(ROWS + 2);
    };
    const verify = async () => {
      const request = { method: 'POST', headers: operator, body: '{}' };
      const response = await fetch(`${service.url}/trpc/management.audit.verify`, request);
      expect(await response.json()).toMatchObject({ result: { data: { intact: true } } });
    };
    const backUp = async () => {
      const response = await fetch(`${service.url}/operator/backup`, { method: 'POST', headers: operator });
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
    };
    const waits = await waitsDuring(Promise.all([exportVendors(), verify(), backUp()]));
    expect(waits.length).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThan(MAX_WAIT_MS);
  });
});
