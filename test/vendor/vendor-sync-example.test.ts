import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { startFaultyProxy } from '../support/servers/faulty-proxy.ts';
import type { ProxyFault } from '../support/servers/faulty-proxy.ts';
import { url } from '../support/http/server.ts';

const folder = await mkdtemp(join(tmpdir(), 'vendor-sync-'));
afterAll(() => rm(folder, { recursive: true }));
const root = join(import.meta.dirname, '../..');

interface Row {
  name: string;
  description: string;
  active: boolean;
}

/** Runs the example. @returns its exit code, or null if it was killed, and its output */
async function runSync(server: string, { key }: TestCompany, rows: Row[], killAfterMs?: number) {
  const file = join(folder, 'vendors.csv');
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map(({ name, description, active }) => `${quoted(name)},${quoted(description)},${active}\r\n`);
  await writeFile(file, `\uFEFFname,description,active\r\n${lines.join('')}`);
  const env = { ...process.env, SERVER: server, API_KEY: key };
  const child = spawn(process.execPath, ['docs/examples/vendor-sync.ts', file], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close');
  if (killAfterMs !== undefined) {
    await Promise.race([ended, wait(killAfterMs)]);
    child.kill('SIGKILL');
  }
  await ended;
  return { code: child.exitCode, output };
}

/** Vendors of the service as rows. Duplicate vendors are separate rows. */
async function listRows({ vendor }: TestCompany): Promise<Row[]> {
  const vendors = await Promise.all((await vendor.list()).map(({ uniqueId }) => vendor.get({ vendor: uniqueId })));
  return vendors.map(({ name, description, active }) => ({ name, description, active }));
}
const sortByName = (rows: Row[]) => rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));

const createRows = (first: number, last: number, description: string): Row[] =>
  Array.from({ length: last - first }, (_, index) => ({
    name: `Vendor "${first + index}", Ltd`,
    description: `${description}\nof ${first + index}`,
    active: index % 3 !== 0,
  }));

test('the sync makes vendors equal to the file, changes nothing on a rerun and restores removed vendors', async () => {
  const acme = await createCompany();
  for (const name of ['Doubled', 'Doubled', 'Not in the file']) await acme.vendor.create({ name });
  const rows = [...createRows(0, 60, 'First'), { name: 'Doubled', description: '', active: true }];
  expect(await runSync(url, acme, rows)).toEqual({ code: 0, output: 'created 60, changed 0, deleted 2\n' });
  expect(await listRows(acme)).toEqual(sortByName(rows));
  const events = await acme.events();
  expect(await runSync(url, acme, rows)).toEqual({ code: 0, output: 'created 0, changed 0, deleted 0\n' });
  expect(await acme.events()).toEqual(events);
  expect(await runSync(url, acme, rows.slice(1))).toEqual({ code: 0, output: 'created 0, changed 0, deleted 1\n' });
  expect(await runSync(url, acme, rows)).toEqual({ code: 0, output: 'created 1, changed 0, deleted 0\n' });
  expect(await listRows(acme)).toEqual(sortByName(rows));
});

test.for([
  ['contains a vendor twice', [...createRows(0, 2, 'x'), ...createRows(0, 1, 'y')]],
  ['has no rows', []],
] as const)('a file that %s changes nothing', async ([, rows]) => {
  const acme = await createCompany();
  await acme.vendor.create({ name: 'Kept' });
  expect((await runSync(url, acme, [...rows])).code).toBe(1);
  expect(await acme.vendor.list()).toHaveLength(1);
});

test('the sync survives lost responses, errors and kills without duplicate vendors', async () => {
  const acme = await createCompany();
  let requestCount = 0;
  // The divisors are primes, so that over the runs every kind of request meets every fault.
  const choose = (): ProxyFault => {
    requestCount += 1;
    if (requestCount % 7 === 0) return 'lost';
    if (requestCount % 11 === 0) return 'reset';
    if (requestCount % 13 === 0) return 503;
    if (requestCount % 97 === 0) return 429;
    return requestCount % 17 === 0 ? 'slow' : 'none';
  };
  const proxy = await startFaultyProxy(url, choose);
  const files = [createRows(0, 40, 'First'), [...createRows(10, 30, 'First'), ...createRows(30, 50, 'Second')]];
  for (const rows of files) {
    for (const killAfter of [500, 700, 900]) await runSync(proxy.url, acme, rows, killAfter + Math.random() * 200);
    expect(await runSync(proxy.url, acme, rows)).toMatchObject({ code: 0 });
    expect(await listRows(acme)).toEqual(sortByName(rows));
  }
  expect(requestCount).toBeGreaterThan(150);
  proxy.stop();
}, 60_000);
