import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { faultyProxy } from './support/faulty-proxy.ts';
import type { Fault } from './support/faulty-proxy.ts';
import { url } from './support/server.ts';

const folder = await mkdtemp(join(tmpdir(), 'vendor-sync-'));
afterAll(() => rm(folder, { recursive: true }));
const root = join(import.meta.dirname, '..');

interface Row {
  name: string;
  description: string;
  active: boolean;
}

/** @returns how the example ended: its status, or null where it was killed, and what it said */
async function sync(server: string, { key }: TestCompany, rows: Row[], killAfter?: number) {
  const file = join(folder, 'vendors.csv');
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map(({ name, description, active }) => `${quoted(name)},${quoted(description)},${active}\r\n`);
  await writeFile(file, `\uFEFFname,description,active\r\n${lines.join('')}`);
  const env = { ...process.env, SERVER: server, API_KEY: key };
  const child = spawn(process.execPath, ['docs/examples/vendor-sync.ts', file], { cwd: root, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const ended = once(child, 'close');
  if (killAfter !== undefined) {
    await Promise.race([ended, wait(killAfter)]);
    child.kill('SIGKILL');
  }
  await ended;
  return { code: child.exitCode, said };
}

/** What the service has, as rows; a vendor that is there twice is two rows. */
async function rowsOf({ vendor }: TestCompany): Promise<Row[]> {
  const vendors = await Promise.all((await vendor.list()).map(({ uniqueId }) => vendor.get({ vendor: uniqueId })));
  return vendors.map(({ name, description, active }) => ({ name, description, active }));
}
const byName = (rows: Row[]) => rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));

const rowsFrom = (first: number, last: number, description: string): Row[] =>
  Array.from({ length: last - first }, (_, index) => ({
    name: `Vendor "${first + index}", Ltd`,
    description: `${description}\nof ${first + index}`,
    active: index % 3 !== 0,
  }));

test('vendors become what the file says, twice the same, and what was removed and comes back too', async () => {
  const acme = await company();
  for (const name of ['Doubled', 'Doubled', 'Not in the file']) await acme.vendor.create({ name });
  const rows = [...rowsFrom(0, 60, 'First'), { name: 'Doubled', description: '', active: true }];
  expect(await sync(url, acme, rows)).toEqual({ code: 0, said: 'created 60, changed 0, deleted 2\n' });
  expect(await rowsOf(acme)).toEqual(byName(rows));
  const events = await acme.events();
  expect(await sync(url, acme, rows)).toEqual({ code: 0, said: 'created 0, changed 0, deleted 0\n' });
  expect(await acme.events()).toEqual(events);
  expect(await sync(url, acme, rows.slice(1))).toEqual({ code: 0, said: 'created 0, changed 0, deleted 1\n' });
  expect(await sync(url, acme, rows)).toEqual({ code: 0, said: 'created 1, changed 0, deleted 0\n' });
  expect(await rowsOf(acme)).toEqual(byName(rows));
});

test.for([
  ['names a vendor twice', [...rowsFrom(0, 2, 'x'), ...rowsFrom(0, 1, 'y')]],
  ['has no rows', []],
] as const)('a file that %s changes nothing', async ([, rows]) => {
  const acme = await company();
  await acme.vendor.create({ name: 'Kept' });
  expect((await sync(url, acme, [...rows])).code).toBe(1);
  expect(await acme.vendor.list()).toHaveLength(1);
});

test('vendors become what the file says through lost answers, refusals and kills, none twice', async () => {
  const acme = await company();
  let asked = 0;
  // Primes, so that over the runs each fault meets every kind of request.
  const choose = (): Fault => {
    asked += 1;
    if (asked % 7 === 0) return 'lost';
    if (asked % 11 === 0) return 'cut';
    if (asked % 13 === 0) return 503;
    if (asked % 97 === 0) return 429;
    return asked % 17 === 0 ? 'slow' : 'none';
  };
  const proxy = await faultyProxy(url, choose);
  const files = [rowsFrom(0, 40, 'First'), [...rowsFrom(10, 30, 'First'), ...rowsFrom(30, 50, 'Second')]];
  for (const rows of files) {
    for (const killAfter of [500, 700, 900]) await sync(proxy.url, acme, rows, killAfter + Math.random() * 200);
    expect(await sync(proxy.url, acme, rows)).toMatchObject({ code: 0 });
    expect(await rowsOf(acme)).toEqual(byName(rows));
  }
  expect(asked).toBeGreaterThan(150);
  proxy.stop();
}, 60_000);
