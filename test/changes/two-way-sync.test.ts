import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { url } from '../support/http/server.ts';
import { startFaultyProxy } from '../support/servers/faulty-proxy.ts';
import type { ProxyFault } from '../support/servers/faulty-proxy.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { loseEvents, seal } from '../support/tenants/feed.ts';

const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'two-way-sync-'));
afterAll(() => rm(folder, { recursive: true }));

const Row = z.object({ id: z.string(), name: z.string(), description: z.string(), status: z.string() });
type Row = z.infer<typeof Row>;
let fileCount = 0;

/** A company, and the file that the example keeps equal to its vendors. */
async function createPair(server = url) {
  const acme = await createCompany();
  const { key } = await acme.manage.apiKey.create({ name: 'Synchronisation' });
  const file = join(folder, `${(fileCount += 1)}.csv`);
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const write = (rows: readonly Row[]) =>
    writeFile(
      file,
      [
        'id,name,description,status',
        ...rows.map((row) => [row.id, row.name, row.description, row.status].map(quoted).join()),
      ]
        .map((line) => `${line}\r\n`)
        .join(''),
    );
  const read = async () => z.array(Row).parse(parse(await readFile(file), { columns: true, bom: true }));
  /** Runs the example. @returns its exit code, or null if it was killed, and its output */
  const run = async (killAfterMs?: number) => {
    await seal(acme);
    const env = { ...process.env, SERVER: server, API_KEY: key };
    const child = spawn(process.execPath, ['docs/examples/two-way-sync.ts', file], { cwd: root, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const ended = once(child, 'close');
    if (killAfterMs !== undefined) {
      await Promise.race([ended, wait(killAfterMs)]);
      child.kill('SIGKILL');
    }
    await ended;
    return { code: child.exitCode, output };
  };
  return { acme, file, write, read, run };
}

/** Vendors of the service as rows. */
async function listRows({ vendor }: TestCompany): Promise<Row[]> {
  const vendors = await Promise.all((await vendor.list()).map(({ uniqueId }) => vendor.get({ vendor: uniqueId })));
  return vendors.map(({ externalIds, name, description, status }) => ({
    id: externalIds.find(({ source }) => source === 'csv')?.externalId ?? '',
    name,
    description,
    status,
  }));
}

const sortById = (rows: readonly Row[]) => rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
const row = (id: string, name = `Vendor ${id}`): Row => ({
  id,
  name,
  description: `"${id}",\nline 2`,
  status: 'active',
});
const DONE = { code: 0, output: '' };

/** The uniqueId of the vendor with an external id. */
const findVendor = async ({ vendor }: TestCompany, externalId: string) =>
  (await vendor.getByExternalId({ source: 'csv', externalId })).uniqueId;

describe('the two-way synchronisation', () => {
  test('writes changes of each side to the other, and nothing if both are equal', async () => {
    const { acme, write, read, run } = await createPair();
    const created = await acme.vendor.create({ name: 'From the service' });
    await write([row('a'), row('b'), row('c')]);
    expect(await run()).toEqual(DONE);
    expect(sortById(await read())).toEqual(sortById(await listRows(acme)));
    expect(await read()).toMatchObject([
      row('a'),
      row('b'),
      row('c'),
      { id: created.uniqueId, name: 'From the service' },
    ]);

    await acme.vendor.update({ vendor: created.uniqueId, name: 'Renamed in the service', status: 'archived' });
    await acme.vendor.delete({ vendor: await findVendor(acme, 'c') });
    await write([row('a', 'Renamed in the file'), ...(await read()).slice(2), row('d')]);
    expect(await run()).toEqual(DONE);
    const expected = [
      row('a', 'Renamed in the file'),
      { id: created.uniqueId, name: 'Renamed in the service', description: '', status: 'archived' },
      row('d'),
    ];
    expect(await read()).toEqual(expected);
    expect(sortById(await listRows(acme))).toEqual(sortById(expected));
    const events = await acme.events();
    expect(await run()).toEqual(DONE);
    expect(await acme.events()).toEqual(events);
    expect(await read()).toEqual(expected);
  });

  test('follows its rules for conflicts: the file wins, and a change wins over a deletion', async () => {
    const { acme, write, read, run } = await createPair();
    await write([row('both'), row('deleted in file'.replaceAll(' ', '-')), row('deleted-in-service'), row('deleted')]);
    expect(await run()).toEqual(DONE);
    await acme.vendor.update({ vendor: await findVendor(acme, 'both'), name: 'Service' });
    await acme.vendor.update({ vendor: await findVendor(acme, 'deleted-in-file'), name: 'Changed' });
    for (const id of ['deleted-in-service', 'deleted'])
      await acme.vendor.delete({ vendor: await findVendor(acme, id) });
    await write([row('both', 'File'), row('deleted-in-service', 'Changed')]);
    expect(await run()).toEqual(DONE);
    const expected = [
      row('both', 'File'),
      row('deleted-in-service', 'Changed'),
      { ...row('deleted-in-file'), name: 'Changed' },
    ];
    expect(await read()).toEqual(expected);
    expect(sortById(await listRows(acme))).toEqual(sortById(expected));
  });

  test('loses nothing when the service is restored to an earlier state', async () => {
    const { acme, write, read, run } = await createPair();
    await write([row('a'), row('b')]);
    expect(await run()).toEqual(DONE);
    await run(); // takes the events of its own changes
    await acme.vendor.update({ vendor: await findVendor(acme, 'b'), name: 'State of the backup' });
    await loseEvents(acme, 3);
    expect(await run()).toEqual(DONE);
    expect(await read()).toEqual([row('a'), row('b')]);
    expect(await listRows(acme)).toEqual([row('a'), row('b')]);
  });

  test.for([
    ['has an id twice', 'id,name,description,status\na,A,,active\na,B,,active\n', 'an id occurs more than once'],
    ['has other columns', 'id,name\na,A\n', 'expected the columns'],
    ['is empty', '', 'expected the columns'],
  ] as const)('changes nothing if the file %s', async ([, text, error]) => {
    const { acme, file, run } = await createPair();
    await acme.vendor.create({ name: 'Kept' });
    await writeFile(file, text);
    expect(await run()).toEqual({ code: 1, output: expect.stringContaining(error) });
    expect(await acme.vendor.list()).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('reports a row that the service rejects, and synchronises the others', async () => {
    const { acme, write, read, run } = await createPair();
    await write([row('a'), { ...row('bad'), status: 'unknown' }, row('b')]);
    expect(await run()).toEqual({ code: 1, output: expect.stringMatching(/^bad: .*status/) });
    expect(await listRows(acme)).toEqual([row('a'), row('b')]);
    await write([row('a'), row('bad', 'Good'), row('b')]);
    expect(await run()).toEqual(DONE);
    expect(sortById(await read())).toEqual(sortById(await listRows(acme)));
  });

  test('makes both sides equal after kills at any point, lost responses and errors', async () => {
    let requestCount = 0;
    // The divisors are primes, so that over the runs every kind of request meets every fault.
    const proxy = await startFaultyProxy(url, (): ProxyFault => {
      requestCount += 1;
      if (requestCount % 7 === 0) return 'lost';
      if (requestCount % 11 === 0) return 'reset';
      return requestCount % 13 === 0 ? 503 : 'none';
    });
    const { acme, write, read, run } = await createPair(proxy.url);
    await write(Array.from({ length: 20 }, (_, index) => row(`row-${index}`)));
    for (let round = 0; round < 3; round++) {
      for (let kills = 0; kills < 3; kills++) await run(300 + randomInt(1200));
      expect(await run()).toMatchObject({ code: 0 });
      expect(sortById(await read())).toEqual(sortById(await listRows(acme)));
      // Each side changes, deletes and creates other vendors.
      const vendors = await acme.vendor.list();
      for (const { uniqueId, name } of vendors.slice(0, 4))
        await acme.vendor.update({ vendor: uniqueId, name: `${name}!` });
      for (const { uniqueId } of vendors.slice(4, 6)) await acme.vendor.delete({ vendor: uniqueId });
      await acme.vendor.create({ name: `Service ${round}` });
      const changedInService = new Set(vendors.slice(0, 6).map(({ name }) => name));
      const rows = await read();
      const others = rows.filter(({ name }) => !changedInService.has(name));
      const edited = others
        .slice(2)
        .map((one, index) => (index < 4 ? Object.assign(one, { name: `${one.name}?` }) : one));
      await write([...rows.filter(({ name }) => changedInService.has(name)), ...edited, row(`new-${round}`)]);
      for (let kills = 0; kills < 3; kills++) await run(300 + randomInt(1200));
      expect(await run()).toMatchObject({ code: 0 });
      const names = (await read()).map(({ name }) => name);
      for (const name of vendors.slice(0, 4).map((vendor) => `${vendor.name}!`)) expect(names).toContain(name);
      for (const { name } of edited) expect(names).toContain(name);
      for (const { name } of others.slice(0, 2)) expect(names).not.toContain(name);
      expect(names).toContain(`Service ${round}`);
      expect(new Set(names).size).toBe(names.length); // nothing exists twice
      expect(sortById(await read())).toEqual(sortById(await listRows(acme)));
    }
    proxy.stop();
  });
});
