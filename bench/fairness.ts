import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { measureCompanies } from './companies.ts';
import { startBenchService } from './service.ts';

// Waits of other requests: npm run bench:fairness -- [--companies] [postgresql://…]. First this process reads a vendor at an interval
// while the service imports, exports, verifies the audit log and writes a backup; then a company reads while another one sends
// expensive requests. With --companies it measures only the latter. Without a URL it uses the embedded database.

const INTERVAL_MS = 20;
const IMPORTED_ROWS = 20_000;
const VERIFIED_EVENTS = 50_000;

const { values: options, positionals } = parseArgs({
  options: { companies: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const service = await startBenchService(positionals[0]);

const { id: company } = await service.manage('company.create', { name: 'Bench' }, z.object({ id: z.number() }));
const { key } = await service.manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), company);
const framework = await service.manage('framework.create', { name: 'ISO' }, z.object({ id: z.number() }), company);
const headers = { 'X-API-Key': key };
const created = await fetch(`${service.url}/external/smart-inventory/vendor/new`, {
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: '{"name":"Read meanwhile"}',
});
const readUrl = service.url + String(created.headers.get('location'));

/** Reads a vendor at an interval until `work` has ended, and prints the waits in milliseconds. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const waits: number[] = [];
  const startedAt = performance.now();
  const state = { ended: false };
  const ended = work().finally(() => (state.ended = true));
  do {
    const sentAt = performance.now();
    const response = await fetch(readUrl, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`read: ${response.status}`);
    waits.push(performance.now() - sentAt);
    await wait(INTERVAL_MS);
  } while (!state.ended);
  await ended;
  const sorted = waits.toSorted((one, other) => one - other);
  const quantile = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const figures = { reads: waits.length, p50: quantile(0.5), p99: quantile(0.99), worst: quantile(1) };
  process.stdout.write(`${JSON.stringify({ work: name, seconds, ...figures })}\n`);
}

const csv = (column: string, rows: number) =>
  `${column},description\r\n${Array.from({ length: rows }, (_, index) => `Row ${index},${'x'.repeat(200)}\r\n`).join('')}`;

async function runImport(path: string, body: string): Promise<void> {
  const type = { 'Content-Type': 'text/csv' };
  const accepted = await fetch(service.url + path, { method: 'POST', headers: { ...headers, ...type }, body });
  const location = service.url + String(accepted.headers.get('location'));
  for (;;) {
    await wait(500);
    const { state } = z.object({ state: z.string() }).parse(await (await fetch(location, { headers })).json());
    if (state === 'done') return;
    if (state === 'failed') throw new Error(`import: ${path} failed`);
  }
}

async function exportTasks(): Promise<void> {
  const accept = { Accept: 'text/csv' };
  const path = `/external/task/framework/${framework.id}/list`;
  const response = await fetch(service.url + path, { headers: { ...headers, ...accept } });
  const lines = (await response.text()).split('\r\n').length;
  if (lines < IMPORTED_ROWS) throw new Error(`export: ${lines} lines`);
}

const verify = () => service.manage('audit.verify', {}, z.object({ intact: z.literal(true) }), company);
const vendors = '/external/smart-inventory/vendor/import';

async function measureBackgroundWork(): Promise<void> {
  await measure('nothing', () => wait(3000));
  await measure(`import of ${IMPORTED_ROWS} vendors`, () => runImport(vendors, csv('name', IMPORTED_ROWS)));
  const taskImport = `/external/task/framework/${framework.id}/import`;
  await measure(`import of ${IMPORTED_ROWS} tasks`, () => runImport(taskImport, csv('title', IMPORTED_ROWS)));
  await runImport(vendors, csv('name', VERIFIED_EVENTS - 2 * IMPORTED_ROWS));
  await measure(`export of ${IMPORTED_ROWS} tasks`, exportTasks);
  await measure(`verification of ${VERIFIED_EVENTS} events`, verify);
  await measure('backup', service.backUp);
  const again = csv('name', IMPORTED_ROWS / 4);
  await measure('all of it at once', () =>
    Promise.all([runImport(vendors, again), exportTasks(), verify(), service.backUp()]),
  );
}

try {
  if (!options.companies) await measureBackgroundWork();
  await measureCompanies(service);
} finally {
  await service.stop();
}
