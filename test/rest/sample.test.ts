import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readPages } from '../support/tenants/pages.ts';

/** Longest seed, of characters that UTF-8 writes in one to four bytes. */
const SEEDS = ['1', ' Q4: 2026 ', 'Prüfung № 7 🎲', `${'🎲'.repeat(49)}:x`];

/** The order of the contract, stated apart from the code. */
const keyOf = (seed: string, uniqueId: string) =>
  createHash('sha256')
    .update(Buffer.from(`${seed}:${uniqueId}`, 'utf8'))
    .digest('hex');
const sampled = (seed: string, ids: readonly string[]) =>
  ids.toSorted((one, other) => (keyOf(seed, one) < keyOf(seed, other) ? -1 : 1));

let acme: TestCompany;
let caller: Awaited<ReturnType<typeof callerForKey>>;
beforeAll(async () => {
  acme = await createCompany();
  const { key } = await acme.manage.apiKey.create({
    name: 'Auditor',
    scopes: [
      'task:read',
      'task:write',
      'vendor:read',
      'vendor:write',
      'requirement:write',
      'evidence:read',
      'evidence:write',
    ],
  });
  caller = await callerForKey(key);
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  for (let index = 0; index < 14; index++) {
    const framework = index % 3 === 0 ? other.id : acme.framework;
    const { uniqueId: taskUniqueId } = await acme.newTask({
      framework,
      title: `Task ${index}`,
      labels: index % 2 === 0 ? ['even'] : [],
    });
    if (index % 4 === 0) await acme.task.update({ taskUniqueId, status: 'done' });
    const { uniqueId: vendor } = await acme.vendor.create({ name: `Vendor ${index}`, criticality: 1 + (index % 4) });
    await caller.requirement.create({
      framework: acme.framework,
      ref: `A.${index}`,
      title: 'Control',
      applicable: index % 2 === 0,
      justification: 'x',
    });
    const parent = index % 2 === 0 ? { taskUniqueId } : { vendor };
    await caller.evidence.link({
      ...parent,
      url: 'https://evidence.example/1',
      name: 'Report',
      ...(index % 3 === 0 && { validUntil: '2026-01-01', date: '2025-01-01' }),
    });
  }
});

interface Query {
  sort?: 'sample';
  seed?: string;
  limit?: number;
  cursor?: string;
}
interface Page {
  items?: readonly object[] | undefined;
  nextCursor?: string | null | undefined;
}
type List = (query: Query) => Promise<Page>;
const idsOf = (items: readonly object[] = []) => items.map((item) => String(Reflect.get(item, 'uniqueId')));

/** Each list, without a filter and with some. */
const LISTS: readonly (readonly [string, List])[] = [
  ['tasks of a framework', (query) => caller.task.list({ framework: acme.framework, ...query })],
  ['open tasks of a framework', (query) => caller.task.list({ framework: acme.framework, status: 'open', ...query })],
  ['all tasks', (query) => caller.task.listAll(query)],
  ['tasks with a label', (query) => caller.task.listAll({ label: 'even', ...query })],
  ['tasks with a label and a text', (query) => caller.task.listAll({ label: 'even', q: 'task', ...query })],
  ['tasks of nobody with evidence', (query) => caller.task.listAll({ assignee: 'none', evidence: 'some', ...query })],
  ['tasks that were closed', (query) => caller.task.listAll({ closedAfter: '2026-01-01', ...query })],
  ['changed tasks', (query) => caller.task.listAll({ updatedSince: '2020-01-01T00:00:00Z', ...query })],
  ['vendors', (query) => caller.vendor.page({ limit: 100, ...query })],
  ['whole vendors', (query) => caller.vendor.page({ limit: 100, view: 'full', ...query })],
  ['critical vendors', (query) => caller.vendor.page({ limit: 100, criticality: '1,2', ...query })],
  ['requirements', (query) => caller.requirement.list({ framework: acme.framework, ...query })],
  [
    'requirements that apply',
    (query) => caller.requirement.list({ framework: acme.framework, status: 'not_assessed', ...query }),
  ],
  ['evidence', (query) => caller.evidence.listAll(query)],
  ['expiring evidence', (query) => caller.evidence.listAll({ expiring: true, ...query })],
];

describe.for(LISTS)('a sample of %s', ([, list]) => {
  test('is in the order of the digests, on pages of any size', async () => {
    const all = idsOf((await list({ limit: 100 })).items);
    expect(all.length).toBeGreaterThan(2);
    for (const seed of SEEDS) {
      for (const limit of [1, 5, 100]) {
        const seen: string[] = [];
        for await (const page of readPages((from) => list({ sort: 'sample', seed, limit, ...from })))
          seen.push(...idsOf(page.items));
        expect(seen).toEqual(sampled(seed, all));
      }
    }
  });

  test('takes a cursor only with the same seed', async () => {
    const { nextCursor } = await list({ sort: 'sample', seed: 'a', limit: 1 });
    const query: Query = { sort: 'sample', limit: 1, cursor: String(nextCursor) };
    expect((await list({ ...query, seed: 'a' })).items).toHaveLength(1);
    await expect(list({ ...query, seed: 'b' })).rejects.toThrow('cursor: expected a cursor of this list');
    await expect(list({ limit: 1, cursor: String(nextCursor) })).rejects.toThrow(
      'cursor: expected a cursor of this list',
    );
  });

  test('needs a seed of 1 to 100 characters, which nothing else takes', async () => {
    await expect(list({ sort: 'sample', limit: 1 })).rejects.toThrow('seed: required with sort=sample');
    await expect(list({ seed: 'a', limit: 1 })).rejects.toThrow('seed: expected only with sort=sample');
    for (const seed of ['', 'x'.repeat(101), 'a\0', '\ud800'])
      await expect(list({ sort: 'sample', seed, limit: 1 })).rejects.toThrow('seed: expected');
  });
});

describe('over REST', () => {
  const get = (path: string, accept = 'application/json') =>
    http('GET', `/external/${path}`, { key: acme.key, headers: { accept } });
  const PATHS = () => [
    `task/framework/${acme.framework}/list?`,
    'task/list?',
    'smart-inventory/vendor/list?',
    `framework/${acme.framework}/requirement/list?`,
  ];

  test('a list of vendors needs a limit', async () => {
    const path = 'smart-inventory/vendor/list?sort=sample&seed=a%20b';
    expect(await get(path)).toMatchObject({ status: 400, body: { error: 'limit: required with sort=sample' } });
    const { items } = await acme.vendor.page({ limit: 100 });
    expect(idsOf((await get(`${path}&limit=4`)).body as object[])).toEqual(sampled('a b', idsOf(items)).slice(0, 4));
  });

  test('an export has as many rows as its limit, at most 500', async () => {
    for (const path of PATHS()) {
      const [list, sample] = [`${path}limit=100`, `${path}sort=sample&seed=Pr%C3%BCfung`];
      const { body } = await get(list);
      const all = idsOf(Array.isArray(body) ? body : (body as Page).items);
      const ndjson = await get(`${sample}&limit=4`, 'application/x-ndjson');
      expect(ndjson).toMatchObject({ status: 200 });
      const rows = ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(idsOf(rows)).toEqual(sampled('Prüfung', all).slice(0, 4));
      const csv = await get(`${sample}&limit=4`, 'text/csv');
      expect(
        csv.text
          .trim()
          .split('\r\n')
          .slice(1)
          .map((line) => line.split(',', 1)[0]),
      ).toEqual(idsOf(rows));
      const whole = await get(`${sample}&limit=500`, 'text/csv');
      expect(whole.text.trim().split('\r\n')).toHaveLength(1 + all.length);
      for (const [query, field] of [
        ['', 'limit'],
        ['&limit=501', 'limit'],
        ['&limit=0', 'limit'],
        ['&limit=4&cursor=x', 'cursor'],
      ])
        expect(await get(`${sample}${query}`, 'text/csv')).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(`^${field}: `) },
        });
      expect(await get(list, 'text/csv')).toMatchObject({
        status: 400,
        body: { error: 'limit: not allowed with Accept: text/csv' },
      });
    }
  });
});
