import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { http, url } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';

type PageQuery = NonNullable<Parameters<TestCompany['vendor']['page']>[0]>;
const namesIn = (vendors: readonly { name: string }[]) => vendors.map(({ name }) => name);

/** The target of `rel="next"`, read as RFC 8288 says: against the request that it answers. */
function nextLink({ headers }: HttpResponse, requestPath: string): string | undefined {
  const { link } = headers;
  if (link === undefined) return undefined;
  const target = /^<([^<>"\s]+)>; rel="next"$/.exec(String(link))?.[1];
  if (target === undefined) throw new Error(`not a link: ${String(link)}`);
  const { pathname, search } = new URL(target, new URL(requestPath, url));
  return pathname + search;
}

/** Every page over REST, along the links. */
async function followLinks(key: string, first: string): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let at: string | undefined = first; at !== undefined;) {
    const response = await http('GET', at, { key });
    expect(response.status).toBe(200);
    responses.push(response);
    at = nextLink(response, at);
  }
  return responses;
}

async function createCompanyWithVendors(...names: string[]) {
  const acme = await createCompany();
  for (const name of names) await acme.vendor.create({ name });
  return acme;
}

test('without a parameter the list is a bare array of all vendors, with their number in X-Total-Count', async () => {
  const acme = await createCompanyWithVendors('b', 'a', 'B');
  const answer = await http('GET', LIST_PATH, { key: acme.key });
  const all = await acme.vendor.list();
  expect(namesIn(all)).toEqual(['B', 'a', 'b']);
  expect(answer).toMatchObject({ status: 200, text: JSON.stringify(all), headers: { 'x-total-count': '3' } });
  expect(answer.headers).not.toHaveProperty('link');
});

test('with a limit the links lead through all vendors, which stay a bare array', async () => {
  const acme = await createCompanyWithVendors('e', 'a', 'c', 'b', 'd');
  const answers = await followLinks(acme.key, `${LIST_PATH}?limit=2`);
  expect(answers.flatMap(({ body }) => body)).toEqual(await acme.vendor.list());
  expect(answers.map(({ body }) => (body as object[]).length)).toEqual([2, 2, 1]);
  expect(answers.map(({ headers }) => headers['x-total-count'])).toEqual(['5', '5', '5']);
  const whole = await followLinks(acme.key, `${LIST_PATH}/?limit=5`);
  expect(whole.map(({ text }) => text)).toEqual([JSON.stringify(await acme.vendor.list())]);
});

test('a link keeps the filters, whatever is in them', async () => {
  const acme = await createCompanyWithVendors('a <&"> b=1', 'a <&"> b=1, too', 'other');
  const first = `${LIST_PATH}?q=${encodeURIComponent('<&"> B=')}&limit=1&status=active`;
  const answers = await followLinks(acme.key, first);
  expect(answers.map(({ headers }) => headers['x-total-count'])).toEqual(['2', '2']);
  expect(namesIn(answers.flatMap(({ body }) => body as { name: string }[]))).toEqual(['a <&"> b=1', 'a <&"> b=1, too']);
  const head = await http('HEAD', first, { key: acme.key });
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'x-total-count': '2' } });
  const [, ...rest] = await followLinks(acme.key, nextLink(head, first) ?? '');
  expect(rest).toEqual([]);
});

test('over tRPC and for a caller the list is the same array, and page tells the total and the cursor too', async () => {
  const acme = await createCompanyWithVendors('a', 'b', 'c');
  const all = await acme.vendor.list();
  const first = await acme.vendor.page({ limit: 2 });
  expect(first).toEqual({ items: all.slice(0, 2), nextCursor: expect.any(String), total: 3 });
  const place = { limit: 2, cursor: first.nextCursor ?? '' };
  expect(await acme.vendor.page(place)).toEqual({ items: all.slice(2), nextCursor: null, total: 3 });
  expect(await acme.vendor.list(place)).toEqual(all.slice(2));
  expect(await acme.vendor.page()).toEqual({ items: all, nextCursor: null, total: 3 });
  const link = nextLink(await http('GET', `${LIST_PATH}?limit=2`, { key: acme.key }), LIST_PATH);
  const cursor = new URL(link ?? '', url).searchParams.get('cursor') ?? '';
  expect((await acme.vendor.page({ limit: 2, cursor })).items).toEqual(all.slice(2));
});

describe('of four vendors', () => {
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
  ])('%o matches %o, with a limit and without', async ([filters, names]) => {
    expect(namesIn(await acme.vendor.list(filters))).toEqual(names);
    for (const limit of [1, 2, 500]) {
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await acme.vendor.page({ ...filters, limit, cursor: cursor ?? undefined });
        expect(page.total).toBe(names.length);
        seen.push(...namesIn(page.items));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(names);
    }
    expect((await acme.vendor.page(filters)).total).toBe(names.length);
  });

  test.for([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=05', 'limit'],
    ['limit=%2B5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['status=open', 'status'],
    ['status=Active', 'status'],
    ['q=', 'q'],
    [`q=${'x'.repeat(256)}`, 'q'],
    ['q=%00', 'q'],
    ['q=%ED%A0%80', 'q'],
    ['cursor=mine', 'limit'],
    ['limit=1&cursor=mine', 'cursor'],
    ['limit=1&limit=2', 'limit'],
    ['q=a&q=a', 'q'],
    ['name=a', 'name'],
  ] as const)('the query %s is 400 and names %s', async ([query, field]) => {
    const answer = await http('GET', `${LIST_PATH}?${query}`, { key: acme.key });
    expect(answer).toMatchObject({ status: 400, headers: { 'x-error-code': 'invalid_request' } });
    expect(answer.body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) });
    expect(answer.headers).not.toHaveProperty('link');
  });

  test('a cursor fits no other filter, list or company', async () => {
    const rival = await createCompany('Rival');
    const cursor = (await acme.vendor.page({ limit: 1, q: 'cloud' })).nextCursor ?? '';
    expect(await acme.vendor.list({ limit: 500, q: 'cloud', cursor })).toHaveLength(2);
    const changed = cursor.slice(0, -3) + (cursor.at(-3) === 'A' ? 'B' : 'A') + cursor.slice(-2);
    for (const call of [
      () => acme.vendor.list({ limit: 1, cursor }),
      () => acme.vendor.list({ limit: 1, q: 'CLOUD', cursor }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', status: 'active', cursor }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', cursor: changed }),
      () => acme.vendor.page({ limit: 1, q: 'cloud', cursor: '' }),
      () => rival.vendor.list({ limit: 1, q: 'cloud', cursor }),
      () => acme.task.list({ framework: acme.framework, limit: 1, cursor }),
    ]) {
      await expect(call).rejects.toThrow('cursor: expected a cursor of this list with the same filters');
    }
  });
});

test('a page needs the right to the list', async () => {
  const acme = await createCompany();
  const { vendor } = callerWithPermissions(acme, { scopes: ['task:read'] });
  await expect(vendor.page({ limit: 1 })).rejects.toThrow('scope: the key lacks vendor:read');
});

test('the longest and strangest names have cursors that are taken back', async () => {
  const names = ['\u0001', '"', '\\', '漢', '😀', '\u2028'].map(
    (text) => `${text.repeat(Math.floor(254 / text.length))}x`,
  );
  const acme = await createCompany();
  // Twice each, so that a page ends between two of one name.
  for (const name of [...names, ...names]) await acme.vendor.create({ name });
  const answers = await followLinks(acme.key, `${LIST_PATH}?limit=1&q=x`);
  expect(answers.flatMap(({ body }) => body)).toEqual(await acme.vendor.list());
  expect(answers).toHaveLength(12);
});

test('a vendor that keeps its name is seen exactly once, whatever comes, goes and changes between the pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (limit, choices) => {
      const acme = await createCompany();
      const { vendor } = await callerForKey(acme.key);
      const living: string[] = [];
      const create = async (name: string) => living.push((await vendor.create({ name })).uniqueId);
      for (let at = 0; at < 12; at++) await create('aabbcdef'.charAt(at % 8));
      // Just before the walk.
      for (const one of living.slice(0, 3)) await vendor.update({ vendor: one, name: 'e' });
      const throughout = new Set((await vendor.list()).map(({ uniqueId }) => uniqueId));
      const seen: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await vendor.page({ limit, cursor: cursor ?? undefined });
        seen.push(...page.items.map(({ uniqueId }) => uniqueId));
        cursor = page.nextCursor;
        const choice = choices.next().value ?? 0;
        const at = (choice >> 3) % living.length;
        const one = living[at] ?? '';
        const name = 'abcdef'.charAt((choice >> 3) % 6);
        if (choice % 8 === 0) await create(name);
        else if (choice % 8 === 1)
          await vendor.update({ vendor: one, description: `Changed ${choice}`, active: false });
        else if (choice % 8 < 4) {
          await vendor.update({ vendor: one, name });
          throughout.delete(one);
        } else if (living.length > 2) {
          await vendor.delete({ vendor: one });
          living.splice(at, 1);
          throughout.delete(one);
        }
      }
      const met = seen.filter((id) => throughout.has(id));
      expect(met).toHaveLength(throughout.size);
      expect(new Set(met)).toEqual(throughout);
    }),
    { numRuns: 30 },
  );
});

test('a vendor that is renamed during a walk has its place by its new name at once', async () => {
  const acme = await createCompanyWithVendors('a', 'b', 'c', 'd');
  const [a, , , d] = await acme.vendor.list();
  const first = await acme.vendor.page({ limit: 1 });
  await acme.vendor.update({ vendor: a?.uniqueId ?? '', name: 'z' });
  await acme.vendor.update({ vendor: d?.uniqueId ?? '', name: '0' });
  const rest = await acme.vendor.page({ limit: 500, cursor: first.nextCursor ?? '' });
  expect(namesIn([...first.items, ...rest.items])).toEqual(['a', 'b', 'c', 'z']);
  expect(namesIn(await acme.vendor.list())).toEqual(['0', 'b', 'c', 'z']);
});

test('a vendor has its new place at once, on a page too', async () => {
  const acme = await createCompanyWithVendors('a', 'b');
  const [a] = await acme.vendor.list();
  await acme.vendor.update({ vendor: a?.uniqueId ?? '', name: 'c' });
  for (const query of [{}, { limit: 5 }, { status: 'active' }, { status: 'active', limit: 1 }] as const) {
    const { items } = await acme.vendor.page(query);
    expect(namesIn(items)).toEqual(['b', 'c'].slice(0, 'limit' in query ? query.limit : 2));
  }
});
