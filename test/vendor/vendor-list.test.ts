import * as fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { tamper } from '../support/database/database.ts';
import { test } from '../support/fixtures/test.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readPages } from '../support/tenants/pages.ts';
import { untagged } from '../support/tenants/samples.ts';
import { http, url } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';

type PageQuery = NonNullable<Parameters<TestCompany['vendor']['page']>[0]>;
const namesIn = (vendors: readonly { name: string }[]) => vendors.map(({ name }) => name);

/** Path of the `rel="next"` link, whose URL begins with the `APP_URL` of the server of the tests. */
function nextLink({ headers }: HttpResponse): string | undefined {
  const { link } = headers;
  if (link === undefined) return undefined;
  const target = /^<http:\/\/localhost(\/[^<>"\s]+)>; rel="next"$/.exec(String(link))?.[1];
  if (target === undefined) throw new Error(`expected a rel="next" link, got ${String(link)}`);
  return target;
}

/** Reads all pages over REST by following the `rel="next"` links. */
async function followLinks(key: string, first: string): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const response = await http('GET', path, { key });
    expect(response.status).toBe(200);
    responses.push(response);
    path = nextLink(response);
  }
  return responses;
}

async function createCompanyWithVendors(...names: string[]) {
  const acme = await createCompany();
  for (const name of names) await acme.vendor.create({ name });
  return acme;
}

test('without parameters the list is an array of all vendors, with the total in X-Total-Count', async () => {
  const acme = await createCompanyWithVendors('b', 'a', 'B');
  const response = await http('GET', LIST_PATH, { key: acme.key });
  const all = await acme.vendor.list();
  expect(namesIn(all)).toEqual(['B', 'a', 'b']);
  expect(response).toMatchObject({ status: 200, text: JSON.stringify(all), headers: { 'x-total-count': '3' } });
  expect(response.headers).not.toHaveProperty('link');
});

test('the total is that of all vendors, whatever is sealed, also after another version has sealed', async () => {
  const acme = await createCompany();
  const vendors: string[] = [];
  const create = async () => void vendors.push((await acme.vendor.create({ name: 'Cloud' })).uniqueId);
  const steps = {
    create,
    async delete() {
      const vendor = vendors.pop();
      if (vendor !== undefined) await acme.vendor.delete({ vendor });
    },
    update: async () => void (await Promise.all(vendors.map((vendor) => acme.vendor.update({ vendor, name: 'New' })))),
    seal: async () => void (await acme.manage.audit.verify({})),
    sealByOtherVersion: () =>
      tamper(`update audit_watermark set vendors = 0, vendors_seq = vendors_seq - 1 where company_id = ${acme.id}`),
  };
  await create();
  await create();
  const names = fc.array(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(names, async (given) => {
      for (const name of given) await steps[name]();
      await create();
      await create();
      expect(await acme.vendor.page({ limit: 1 })).toMatchObject({ total: vendors.length });
    }),
    { numRuns: 20 },
  );
});

test('with a limit the next links lead through all vendors, in arrays', async () => {
  const acme = await createCompanyWithVendors('e', 'a', 'c', 'b', 'd');
  const responses = await followLinks(acme.key, `${LIST_PATH}?limit=2`);
  expect(responses.flatMap(({ body }) => body)).toEqual(await acme.vendor.list());
  expect(responses.map(({ body }) => (body as object[]).length)).toEqual([2, 2, 1]);
  expect(responses.map(({ headers }) => headers['x-total-count'])).toEqual(['5', '5', '5']);
  const onePage = await followLinks(acme.key, `${LIST_PATH}/?limit=5`);
  expect(onePage.map(({ text }) => text)).toEqual([JSON.stringify(await acme.vendor.list())]);
});

test('the next link keeps the filters and escapes special characters', async () => {
  const acme = await createCompanyWithVendors('a <&"> b=1', 'a <&"> b=1, too', 'other');
  const first = `${LIST_PATH}?q=${encodeURIComponent('<&"> B=')}&limit=1&status=active`;
  const responses = await followLinks(acme.key, first);
  expect(responses.map(({ headers }) => headers['x-total-count'])).toEqual(['2', '2']);
  expect(namesIn(responses.flatMap(({ body }) => body as { name: string }[]))).toEqual([
    'a <&"> b=1',
    'a <&"> b=1, too',
  ]);
  const head = await http('HEAD', first, { key: acme.key });
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'x-total-count': '2' } });
  const [, ...rest] = await followLinks(acme.key, nextLink(head) ?? '');
  expect(rest).toEqual([]);
});

test('vendor.list returns the array, and vendor.page adds the total and the cursor', async () => {
  const acme = await createCompanyWithVendors('a', 'b', 'c');
  const all = await acme.vendor.list();
  const first = await acme.vendor.page({ limit: 2 });
  expect(first).toEqual({ items: all.slice(0, 2), nextCursor: expect.any(String), total: 3 });
  const secondPage = { limit: 2, cursor: first.nextCursor ?? '' };
  expect(await acme.vendor.page(secondPage)).toEqual({ items: all.slice(2), nextCursor: null, total: 3 });
  expect(await acme.vendor.list(secondPage)).toEqual(all.slice(2));
  expect(await acme.vendor.page()).toEqual({ items: all, nextCursor: null, total: 3 });
  const link = nextLink(await http('GET', `${LIST_PATH}?limit=2`, { key: acme.key }));
  const cursor = new URL(link ?? '', url).searchParams.get('cursor') ?? '';
  expect((await acme.vendor.page({ limit: 2, cursor })).items).toEqual(all.slice(2));
});

describe('a list of four vendors', () => {
  let acme: TestCompany;
  beforeAll(async () => {
    acme = await createCompanyWithVendors('100% Cloud', 'cloud_b', 'CLOUDxB', 'Żubr');
    const [, second] = await acme.vendor.list();
    await acme.vendor.update({ vendor: second?.uniqueId ?? '', status: 'archived' });
  });

  test.for<[PageQuery, string[]]>([
    [{}, ['100% Cloud', 'CLOUDxB', 'cloud_b', 'Żubr']],
    [{ status: 'active' }, ['100% Cloud', 'cloud_b', 'Żubr']],
    [{ status: 'archived' }, ['CLOUDxB']],
    [{ status: 'inactive' }, []],
    [{ q: 'cloud' }, ['100% Cloud', 'CLOUDxB', 'cloud_b']],
    [{ q: '_' }, ['cloud_b']],
    [{ q: 'D_B' }, ['cloud_b']],
    [{ q: '%' }, ['100% Cloud']],
    [{ q: '\\' }, []],
    [{ q: 'żUBR' }, ['Żubr']],
    [{ q: 'cloud ' }, []],
    [{ q: 'cloud', status: 'active' }, ['100% Cloud', 'cloud_b']],
  ])('filtered by %o contains %o, with and without a limit', async ([filters, names]) => {
    expect(namesIn(await acme.vendor.list(filters))).toEqual(names);
    for (const limit of [1, 2, 500]) {
      const seen: string[] = [];
      for await (const page of readPages((from) => acme.vendor.page({ ...filters, limit, ...from }))) {
        expect(page.total).toBe(names.length);
        seen.push(...namesIn(page.items));
      }
      expect(seen).toEqual(names);
    }
    expect((await acme.vendor.page(filters)).total).toBe(names.length);
  });

  test.for([
    [
      'limit',
      ['limit=0', 'limit=501', 'limit=05', 'limit=%2B5', 'limit=1e2', 'limit=', 'cursor=mine', 'limit=1&limit=2'],
    ],
    ['status', ['status=open', 'status=Active']],
    ['q', ['q=', `q=${'x'.repeat(256)}`, 'q=%00', 'q=%ED%A0%80', 'q=a&q=a']],
    ['cursor', ['limit=1&cursor=mine']],
    ['name', ['name=a']],
  ] as const)('rejects queries with an invalid %s with 400 and an error that names it', async ([field, queries]) => {
    for (const query of queries) {
      const response = await http('GET', `${LIST_PATH}?${query}`, { key: acme.key });
      expect(response).toMatchObject({ status: 400, headers: { 'x-error-code': 'invalid_request' } });
      expect([query, response.body]).toEqual([query, { error: expect.stringMatching(new RegExp(`^${field}: `)) }]);
      expect(response.headers).not.toHaveProperty('link');
    }
  });

  test('rejects a cursor of another filter, list or company', async ({ rival }) => {
    const cursor = (await acme.vendor.page({ limit: 1, q: 'cloud' })).nextCursor ?? '';
    expect(await acme.vendor.list({ limit: 500, q: 'cloud', cursor })).toHaveLength(2);
    const tampered = cursor.slice(0, -3) + (cursor.at(-3) === 'A' ? 'B' : 'A') + cursor.slice(-2);
    for (const call of [
      () => acme.vendor.list({ limit: 1, cursor }),
      () => acme.vendor.list({ limit: 1, q: 'CLOUD', cursor }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', status: 'active', cursor }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', cursor: tampered }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', cursor: '' }),
      () => rival.vendor.list({ limit: 1, q: 'cloud', cursor }),
      () => acme.task.list({ framework: acme.framework, limit: 1, cursor }),
    ]) {
      await expect(call).rejects.toThrow('cursor: expected a cursor of this list with the same filters');
    }
  });
});

describe('the full view', () => {
  test('returns the vendor objects, page by page, over REST and tRPC', async () => {
    const acme = await createCompanyWithVendors('c', 'a', 'b');
    const [a] = await acme.vendor.list();
    await acme.vendor.update({ vendor: a?.uniqueId ?? '', description: '<p>Hosting</p>', status: 'archived' });
    const vendors = [];
    for (const { uniqueId } of await acme.vendor.list())
      vendors.push(untagged(await acme.vendor.get({ vendor: uniqueId })));
    expect(namesIn(vendors)).toEqual(['a', 'b', 'c']);
    expect(await acme.vendor.list({ view: 'full', limit: 100 })).toEqual(vendors);
    const first = await acme.vendor.page({ view: 'full', limit: 2 });
    expect(first).toEqual({ items: vendors.slice(0, 2), total: 3, nextCursor: expect.any(String) });
    const responses = await followLinks(acme.key, `${LIST_PATH}?view=full&limit=2`);
    expect(responses.flatMap(({ body }) => body)).toEqual(vendors);
    expect(responses.map(({ headers }) => headers['x-total-count'])).toEqual(['3', '3']);
    const filtered = await http('GET', `${LIST_PATH}?view=full&limit=100&status=archived`, { key: acme.key });
    expect(filtered.body).toEqual(vendors.slice(0, 1));
    const none = await http('GET', `${LIST_PATH}?view=full&limit=1&q=x`, { key: acme.key });
    expect(none).toMatchObject({ status: 200, text: '[]' });
  });

  test('leaves the default body as it is', async () => {
    const acme = await createCompanyWithVendors('a');
    for (const query of ['', '?limit=100', '?status=active', '?updatedSince=2020-01-01T00:00:00Z']) {
      const { body } = await http('GET', LIST_PATH + query, { key: acme.key });
      expect(body).toEqual([{ uniqueId: expect.any(String), name: 'a', status: 'active' }]);
    }
  });

  test.for([
    ['view=full', 'limit: required with view=full'],
    ['view=full&limit=101', 'limit: expected an integer from 1 to 100 with view=full'],
    ['view=full&limit=500', 'limit: expected an integer from 1 to 100 with view=full'],
    ['view=full&limit=501', 'limit: expected an integer from 1 to 500'],
    ['view=full&limit=0', 'limit: expected an integer from 1 to 500'],
    ['view=full&cursor=x', 'limit: required with view=full'],
    ['view=&limit=1', 'view: expected full'],
    ['view=Full&limit=1', 'view: expected full'],
    ['view=list', 'view: expected full'],
    ['view=full,full&limit=1', 'view: expected full'],
  ])('rejects %s with the error %s', async ([query, error]) => {
    const { key } = await createCompany();
    expect(await http('GET', `${LIST_PATH}?${query}`, { key })).toMatchObject({ status: 400, body: { error } });
  });
});

test('updatedSince selects vendors that were changed at this time or later, for the list and its total', async () => {
  const acme = await createCompanyWithVendors('a', 'b');
  const [first, second] = await acme.vendor.list();
  await acme.vendor.update({ vendor: first?.uniqueId ?? '', status: 'inactive' });
  const changed = await acme.vendor.updateAndGet({ vendor: second?.uniqueId ?? '', description: 'changed' });
  const names = async (query: PageQuery) => {
    const { items, total } = await acme.vendor.page({ limit: 500, ...query });
    expect(total).toBe(items.length);
    expect(namesIn(await acme.vendor.list(query))).toEqual(namesIn(items));
    return namesIn(items);
  };
  const updatedAtPlus = (ms: number) => new Date(new Date(changed.updatedAt).getTime() + ms).toISOString();
  expect(await names({ updatedSince: '1900-01-01T00:00:00Z' })).toEqual(['a', 'b']);
  expect(await names({ updatedSince: changed.updatedAt, q: 'b' })).toEqual(['b']);
  expect(await names({ updatedSince: updatedAtPlus(1) })).toEqual([]);
  expect(await names({ updatedSince: updatedAtPlus(3_600_000).replace('Z', '+01:00') })).toContain('b');
  expect(await names({ updatedSince: '1900-01-01T00:00:00Z', status: 'inactive' })).toEqual(['a']);
  const cursor = (await acme.vendor.page({ limit: 1, updatedSince: '2000-01-01T00:00:00Z' })).nextCursor ?? '';
  expect(namesIn(await acme.vendor.list({ limit: 1, updatedSince: '2000-01-01T00:00:00Z', cursor }))).toEqual(['b']);
  await expect(acme.vendor.list({ limit: 1, cursor })).rejects.toThrow('cursor: expected a cursor of this list');
  for (const updatedSince of ['', '2026-01-01', 'now', '3000-01-01T00:00:00Z', '2026-02-30T00:00:00Z']) {
    const path = `${LIST_PATH}?updatedSince=${updatedSince}`;
    const error = expect.stringMatching(/^updatedSince: expected a timestamp/);
    expect(await http('GET', path, { key: acme.key })).toMatchObject({ status: 400, body: { error } });
  }
});

test('cursors work for names of maximum length and with special characters', async () => {
  const names = ['"', '\\', '漢', '😀'].map((text) => `${text.repeat(Math.floor(254 / text.length))}x`);
  const acme = await createCompany();
  // Each name exists twice, so that a page ends between two vendors with the same name.
  for (const name of [...names, ...names]) await acme.vendor.create({ name });
  // Names from before they had rules may have control characters.
  for (const code of [1, 0x2028, 1, 0x2028]) {
    const { uniqueId } = await acme.vendor.create({ name: 'x' });
    await tamper(`update vendor set name = repeat(chr(${code}), 254) || 'x' where unique_id = '${uniqueId}'`);
  }
  const responses = await followLinks(acme.key, `${LIST_PATH}?limit=1&q=x`);
  expect(responses.flatMap(({ body }) => body)).toEqual(await acme.vendor.list());
  expect(responses).toHaveLength(12);
});

test('pages contain each vendor exactly once unless it is created, renamed or deleted between the pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (limit, choices) => {
      const acme = await createCompany();
      const { vendor } = await callerForKey(acme.key);
      const currentIds: string[] = [];
      const create = async (name: string) => currentIds.push((await vendor.create({ name })).uniqueId);
      for (let index = 0; index < 12; index++) await create('aabbcdef'.charAt(index % 8));
      // These renames happen directly before the first page is read.
      for (const id of currentIds.slice(0, 3)) await vendor.update({ vendor: id, name: 'e' });
      const stableIds = new Set((await vendor.list()).map(({ uniqueId }) => uniqueId));
      const seen: string[] = [];
      for await (const page of readPages((from) => vendor.page({ limit, ...from }))) {
        seen.push(...page.items.map(({ uniqueId }) => uniqueId));
        const choice = choices.next().value ?? 0;
        const index = (choice >> 3) % currentIds.length;
        const id = currentIds[index] ?? '';
        const name = 'abcdef'.charAt((choice >> 3) % 6);
        if (choice % 8 === 0) await create(name);
        else if (choice % 8 === 1) await vendor.update({ vendor: id, description: `Changed ${choice}`, active: false });
        else if (choice % 8 < 4) {
          await vendor.update({ vendor: id, name });
          stableIds.delete(id);
        } else if (currentIds.length > 2) {
          await vendor.delete({ vendor: id });
          currentIds.splice(index, 1);
          stableIds.delete(id);
        }
      }
      const seenStableIds = seen.filter((id) => stableIds.has(id));
      expect(seenStableIds).toHaveLength(stableIds.size);
      expect(new Set(seenStableIds)).toEqual(stableIds);
    }),
    { numRuns: 30 },
  );
});

test('a vendor renamed between pages is sorted by its new name', async () => {
  const acme = await createCompanyWithVendors('a', 'b', 'c', 'd');
  const [a, , , d] = await acme.vendor.list();
  const first = await acme.vendor.page({ limit: 1 });
  await acme.vendor.update({ vendor: a?.uniqueId ?? '', name: 'z' });
  await acme.vendor.update({ vendor: d?.uniqueId ?? '', name: '0' });
  const rest = await acme.vendor.page({ limit: 500, cursor: first.nextCursor ?? '' });
  expect(namesIn([...first.items, ...rest.items])).toEqual(['a', 'b', 'c', 'z']);
  expect(namesIn(await acme.vendor.list())).toEqual(['0', 'b', 'c', 'z']);
});

test('a renamed vendor is sorted by its new name, with and without filters and limits', async () => {
  const acme = await createCompanyWithVendors('a', 'b');
  const [a] = await acme.vendor.list();
  await acme.vendor.update({ vendor: a?.uniqueId ?? '', name: 'c' });
  for (const query of [{}, { limit: 5 }, { status: 'active' }, { status: 'active', limit: 1 }] as const) {
    const { items } = await acme.vendor.page(query);
    expect(namesIn(items)).toEqual(['b', 'c'].slice(0, 'limit' in query ? query.limit : 2));
  }
});
