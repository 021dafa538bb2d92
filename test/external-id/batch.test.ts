import { describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { callerWithPermissions, createCompany } from '../support/tenants/company.ts';

const acme = await createCompany();
const { vendor, task } = acme;

let count = 0;
const newKey = () => ({ source: 'jira', externalId: `B-${(count += 1)}` });
const etagOf = ({ etag }: { etag?: string | undefined } = {}) => etag;

describe('results', () => {
  test('each item has the result of its single request, in the order of the items', async () => {
    const [existing, gone] = [await vendor.create({ name: 'Old' }), await vendor.create({ name: 'Gone' })];
    const [key, linked] = [newKey(), newKey()];
    await vendor.putByExternalId({ ...linked, name: 'Linked' });
    const { succeeded, failed, results } = await vendor.batch({
      items: [
        { op: 'create', body: { name: ' Cloud ' } },
        { op: 'update', uniqueId: existing.uniqueId, body: { name: 'New' } },
        { op: 'upsert', ...key, body: { name: 'Up' } },
        { op: 'update', ...linked, body: { description: 'x' } },
        { op: 'delete', uniqueId: gone.uniqueId },
        { op: 'create', body: { name: '' } },
        { op: 'update', uniqueId: crypto.randomUUID(), body: {} },
        { op: 'delete', ...newKey() },
      ],
    });
    expect({ succeeded, failed }).toEqual({ succeeded: 5, failed: 3 });
    const etag = expect.stringMatching(/^\d+-[0-9a-f]{8}$/);
    expect(results).toEqual([
      { index: 0, status: 201, item: expect.objectContaining({ name: 'Cloud', version: 1 }), etag },
      { index: 1, status: 204, etag },
      { index: 2, status: 201, item: expect.objectContaining({ name: 'Up', externalIds: [key] }), etag },
      { index: 3, status: 204, etag },
      { index: 4, status: 204 },
      { index: 5, status: 400, error: 'name: expected text of 1 to 255 characters', code: 'invalid_request' },
      { index: 6, status: 404, error: 'vendor: not found', code: 'not_found' },
      { index: 7, status: 404, error: 'vendor: not found', code: 'not_found' },
    ]);
    expect(await vendor.getByExternalId(linked)).toMatchObject({ name: 'Linked', description: 'x' });
    expect(await vendor.get({ vendor: existing.uniqueId })).toMatchObject({ name: 'New', version: 2 });
    await expect(vendor.get({ vendor: gone.uniqueId })).rejects.toThrow('vendor: not found');
  });

  test('entity tags of results work as ifMatch, and a stale one is 412', async () => {
    const key = newKey();
    const upsert = (name: string, ifMatch?: string) =>
      vendor.batch({ items: [{ op: 'upsert', ...key, ifMatch, body: { name } }] });
    const first = etagOf((await upsert('a')).results[0]);
    expect((await upsert('b', first)).results[0]).toMatchObject({ status: 200, item: { name: 'b', version: 2 } });
    expect((await upsert('c', first)).results[0]).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await upsert('b')).results[0]).toMatchObject({ status: 200, item: { version: 2 } });
  });

  test('tasks in several frameworks are created, changed and deleted', async () => {
    const { id: other } = await acme.manage.framework.create({ name: 'Other' });
    const key = { ...newKey(), framework: other };
    const { uniqueId } = await acme.newTask();
    const { results } = await task.batch({
      items: [
        { op: 'upsert', ...key, body: { title: 'Up', status: 'done' } },
        { op: 'create', framework: acme.framework, body: { title: 'New' } },
        { op: 'update', uniqueId, body: { status: 'in_review' } },
        { op: 'create', framework: 2147483647, body: { title: 'New' } },
        { op: 'create', framework: other, body: { title: 'New', gaps: [acme.gap] } },
      ],
    });
    expect(results.map(({ status, item, error }) => [status, item?.status ?? error])).toEqual([
      [201, 'done'],
      [201, 'todo'],
      [200, 'in_review'],
      [404, 'framework: not found'],
      [422, expect.stringContaining('gaps: ')],
    ]);
    const items = [
      { op: 'delete' as const, ...key },
      { op: 'delete' as const, uniqueId },
    ];
    expect((await task.batch({ items })).results).toMatchObject([{ status: 204 }, { status: 204 }]);
    expect(await task.list({ framework: other })).toEqual({ total: 0 });
  });

  test('scopes and frameworks hold for each item', async () => {
    const { id: other } = await acme.manage.framework.create({ name: 'Forbidden' });
    const hidden = await task.create({ framework: other, title: 'x' });
    const limited = callerWithPermissions(acme, { scopes: ['task:write'], frameworks: [acme.framework] });
    const { results } = await limited.task.batch({
      items: [
        { op: 'create', framework: acme.framework, body: { title: 'x' } },
        { op: 'create', framework: other, body: { title: 'x' } },
        { op: 'update', uniqueId: hidden.uniqueId, body: { title: 'y' } },
        { op: 'upsert', framework: other, ...newKey(), body: { title: 'y' } },
        { op: 'update', framework: other, ...newKey(), body: { title: 'y' } },
        { op: 'delete', framework: acme.framework, ...newKey() },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual([201, 403, 403, 403, 403, 403]);
    expect(results.at(-1)).toMatchObject({ error: 'scope: the key lacks task:delete', code: 'forbidden' });
    expect(await task.get({ taskUniqueId: hidden.uniqueId })).toEqual(hidden);
  });
});

test('an object of another company is not found, and stays as it is', async ({ other }) => {
  const key = newKey();
  const { item } = await other.vendor.putByExternalId({ ...key, name: 'x' });
  const items = [
    { op: 'delete' as const, uniqueId: item.uniqueId },
    { op: 'update' as const, ...key, body: { name: 'y' } },
  ];
  expect((await vendor.batch({ items })).results.map(({ status }) => status)).toEqual([404, 404]);
  expect(await other.vendor.getByExternalId(key)).toEqual(item);
});

describe('atomic', () => {
  test('one item that fails rejects everything, and names the first wrong field', async () => {
    const key = newKey();
    const good = { op: 'upsert' as const, ...key, body: { name: 'x' } };
    const missing = { op: 'delete' as const, uniqueId: crypto.randomUUID() };
    const wrong = { op: 'create' as const, body: {} };
    const run = (...items: Parameters<typeof vendor.batch>[0]['items']) => vendor.batch({ atomic: true, items });
    await expect(run(good, missing, wrong)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'items.2.name: required',
    });
    await expect(run(good, missing)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'items.1: not found' });
    await expect(vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
    expect(await run(good)).toMatchObject({ succeeded: 1, results: [{ status: 201 }] });
  });

  test('the lowest index is named, whatever the order of execution', async () => {
    const { id: other } = await acme.manage.framework.create({ name: 'Later' });
    const invalid = { departmentId: 2147483647 };
    const items = [
      { op: 'create' as const, framework: other, body: { title: 'x', ...invalid } },
      { op: 'create' as const, framework: acme.framework, body: { title: 'x', ...invalid } },
    ];
    await expect(task.batch({ atomic: true, items })).rejects.toThrow('items.0.departmentId: ');
  });
});

test('a dry run has the same results and writes nothing', async () => {
  const key = newKey();
  const request = {
    items: [
      { op: 'upsert' as const, ...key, body: { name: 'x' } },
      { op: 'create' as const, body: {} },
    ],
  };
  const { results } = await vendor.batch({ ...request, dryRun: true });
  expect(results).toMatchObject([{ status: 201, item: { name: 'x' } }, { status: 400 }]);
  await expect(vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
});

describe('a malformed batch is rejected as a whole', () => {
  const uniqueId = crypto.randomUUID();
  const key = { source: 'a', externalId: 'b' };
  const upsert = { op: 'upsert', ...key };
  test.for<[string, unknown]>([
    ['items: required', undefined],
    ['items: expected an array of 1 to 100 items', []],
    ['items: expected an array of 1 to 100 items', Array.from({ length: 101 }, () => ({ op: 'create' }))],
    ['items.0.op: required', [{}]],
    ['items.1.op: expected one of create', [{ op: 'create' }, { op: 'patch' }]],
    ['items.0.extra: unknown field', [{ op: 'create', extra: 1 }]],
    ['items.0.framework: unknown field', [{ op: 'create', framework: 1 }]],
    ['items.0.body: expected an object', [{ op: 'create', body: 'x' }]],
    ['items.0.uniqueId: expected text', [{ op: 'delete', uniqueId: 1 }]],
    ['items.0.mode: expected one of replace, merge', [{ op: 'upsert', ...key, mode: 'x' }]],
    ['items.0.uniqueId: required', [{ op: 'update' }]],
    ['items.0.externalId: required', [{ op: 'delete', source: 'a' }]],
    ['items.0.source: required', [{ op: 'upsert', externalId: 'a' }]],
    ['items.0.source: required', [{ op: 'upsert', uniqueId }]],
    ['items.0.source: not allowed', [{ op: 'delete', uniqueId, source: 'a' }]],
    ['items.0.uniqueId: not allowed', [{ op: 'create', uniqueId }]],
    ['items.0.mode: not allowed', [{ op: 'update', uniqueId, mode: 'merge' }]],
    ['items.0.body: not allowed', [{ op: 'delete', uniqueId, body: {} }]],
    ['items.1: expected another target than that of items.0', [1, 2].map(() => ({ op: 'delete', uniqueId }))],
    ['items.1: expected another target than that of items.0', [upsert, upsert]],
  ])('%s', async ([message, items]) => {
    const body: unknown = { items };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input is malformed on purpose
    await expect(vendor.batch(body as Parameters<typeof vendor.batch>[0])).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
    });
  });

  test('one object by two ids is the same target', async () => {
    const linked = newKey();
    const { item } = await vendor.putByExternalId({ ...linked, name: 'x' });
    const items = [
      { op: 'update' as const, uniqueId: item.uniqueId, body: { name: 'y' } },
      { op: 'delete' as const, ...linked },
    ];
    await expect(vendor.batch({ items })).rejects.toThrow('items.1: expected another target than that of items.0');
    expect(await vendor.getByExternalId(linked)).toEqual(item);
  });

  test('a malformed external id and fields of the path in a body fail only their item', async () => {
    const { results } = await vendor.batch({
      items: [
        { op: 'upsert', source: 'A', externalId: 'x', body: { name: 'x' } },
        { op: 'update', source: 'a', externalId: '\0', body: { name: 'x' } },
        { op: 'upsert', ...newKey(), body: { name: 'x', recreate: true } },
        { op: 'update', uniqueId: 'x', body: { vendor: 'y' } },
        { op: 'create', body: { name: 'ok' } },
      ],
    });
    expect(results.map(({ status, error }) => [status, error])).toEqual([
      [400, expect.stringContaining('source: expected')],
      [400, expect.stringContaining('externalId: expected')],
      [400, 'recreate: unknown field'],
      [400, 'vendor: unknown field'],
      [201, undefined],
    ]);
  });
});
