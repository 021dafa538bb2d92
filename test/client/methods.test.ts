import { describe, expect, test } from 'vitest';
import {
  ApiError,
  BatchError,
  ComplianceClient,
  CursorLostError,
  ImportError,
  unwrap,
} from '../../clients/typescript/src/index.ts';
import { createCompany } from '../support/tenants/company.ts';
import { loseEvents, seal } from '../support/tenants/feed.ts';
import { runImports } from '../support/tenants/imports.ts';
import { url } from '../support/http/server.ts';

const clientOf = ({ key }: { key: string }) => new ComplianceClient({ baseUrl: `${url}/`, apiKey: key });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('vendors and tasks', () => {
  test('are created, read, changed, linked and deleted, with entity tags and history', async () => {
    const acme = await createCompany();
    const client = clientOf(acme);
    const { vendors } = client;
    const tasks = client.tasks(acme.framework);
    const vendor = await vendors.create({ name: 'Cloud Ltd' });
    expect(vendor).toMatchObject({ name: 'Cloud Ltd', etag: expect.stringMatching(/^1-/) });
    expect(await vendors.get(vendor.uniqueId)).toEqual(vendor);
    const changed = await vendors.update(vendor.uniqueId, { status: 'archived' }, { ifMatch: vendor.etag });
    expect(changed).toMatchObject({ status: 'archived', version: 2 });
    const conflict = vendors.update(vendor.uniqueId, { name: 'Lost' }, { ifMatch: vendor.etag });
    await expect(conflict).rejects.toMatchObject({ name: 'ApiError', status: 412, code: 'precondition_failed' });
    await vendors.link(vendor.uniqueId, 'erp', 'a/b c');
    expect((await vendors.getByExternalId('erp', 'a/b c')).uniqueId).toBe(vendor.uniqueId);
    await vendors.delete(vendor.uniqueId);
    const actions = (await collect(vendors.history(vendor.uniqueId))).map(({ action }) => action);
    expect(actions).toEqual(['vendor.delete', 'vendor.update', 'vendor.update', 'vendor.create']);

    const task = await tasks.create({ title: 'Review' });
    const done = await tasks.update(task.uniqueId, { status: 'done', dueDate: '2027-01-31' });
    expect(done).toMatchObject({ framework: acme.framework, status: 'done', dueDate: '2027-01-31' });
    expect(await tasks.get(task.uniqueId)).toEqual(done);
  });

  test('are upserted by external id, with the effect and all options', async () => {
    const acme = await createCompany();
    const client = clientOf(acme);
    const { vendors } = client;
    const tasks = client.tasks(acme.framework);
    const created = await vendors.upsert('erp', '4711', { name: 'Cloud Ltd', description: 'Hosting' });
    expect(created).toMatchObject({
      upsert: 'created',
      item: { externalIds: [{ source: 'erp', externalId: '4711' }] },
    });
    const merge = { mode: 'merge', ifMatch: created.item.etag } as const;
    expect(await vendors.upsert('erp', '4711', { name: 'Cloud Inc' }, merge)).toMatchObject({
      upsert: 'updated',
      item: { description: 'Hosting' },
    });
    expect((await vendors.upsert('erp', '4711', { name: 'Cloud Inc' }, { mode: 'merge' })).upsert).toBe('unchanged');
    await expect(vendors.upsert('erp', '4711', { name: 'X' }, { ifNoneMatch: '*' })).rejects.toThrow(ApiError);
    await expect(vendors.upsert('erp', '1', { name: 'X' }, { create: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    await vendors.upsert('erp', '1', { name: 'X' }, { dryRun: true });
    await vendors.deleteByExternalId('erp', '4711');
    await expect(vendors.upsert('erp', '4711', { name: 'X' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await vendors.upsert('erp', '4711', { name: 'X' }, { recreate: true })).upsert).toBe('created');
    expect(await acme.vendor.list()).toHaveLength(1);
    const task = await tasks.upsert('jira', 'SEC-1', { title: 'Review', status: 'done' });
    expect((await tasks.getByExternalId('jira', 'SEC-1')).uniqueId).toBe(task.item.uniqueId);
  });

  test('an error has the code, status, message and request id of the response', async () => {
    const acme = await createCompany();
    const { vendors, rest } = clientOf(acme);
    const error: unknown = await vendors.create({ name: '' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, code: 'invalid_request', message: expect.stringMatching(/^name: /) });
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^[\w-]{36}$/) });
    await expect(
      unwrap(rest.GET('/external/framework/{framework}/gap/list', { params: { path: { framework: 2147483647 } } })),
    ).rejects.toMatchObject({ code: 'not_found' });
    const [framework] = await unwrap(rest.GET('/external/framework/list'));
    expect(framework).toMatchObject({ id: acme.framework, archived: false });
    const { error: text } = await rest.POST('/external/smart-inventory/vendor/new', { body: { name: '' } });
    expect(text).toEqual({ error: expect.stringMatching(/^name: /) });
    await expect(
      new ComplianceClient({ baseUrl: url, apiKey: 'svc_sk_live_x' }).vendors.get('x'),
    ).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('lists', () => {
  test('yield the items of all pages, with filters and an order', async () => {
    const acme = await createCompany();
    const client = clientOf(acme);
    const { vendors } = client;
    for (const name of ['A&B', 'b=1', 'c+d', 'ä', 'e']) await acme.vendor.create({ name, active: name !== 'e' });
    for (const priority of [4, 1, 3, 2]) await acme.newTask({ priority, labels: ['a b+c&d'] });
    expect((await collect(vendors.list({ limit: 2 }))).map(({ name }) => name)).toEqual([
      'A&B',
      'b=1',
      'c+d',
      'e',
      'ä',
    ]);
    expect((await collect(vendors.list({ status: 'inactive' }))).map(({ version }) => version)).toEqual([1]);
    expect((await collect(vendors.list({ q: 'A&b' }))).map(({ name }) => name)).toEqual(['A&B']);
    const filter = { sort: 'priority', label: 'a b+c&d', limit: 1 } as const;
    expect((await collect(client.tasks(acme.framework).list(filter))).map(({ priority }) => priority)).toEqual([
      1, 2, 3, 4,
    ]);
    const urgent = await collect(client.tasks(acme.framework).list({ priority: [1, 2], status: ['open', 'done'] }));
    expect(urgent.map(({ priority }) => priority)).toEqual([2, 1]);
    const query = { priority: [1, 4], status: ['open' as const, 'done' as const] };
    expect(await unwrap(client.rest.GET('/external/task/list', { params: { query } }))).toEqual({ total: 2 });
    // @ts-expect-error -- a typing error
    const misspelt = client.tasks(acme.framework).list({ status: ['opne'] });
    await expect(collect(misspelt)).rejects.toThrow('status: expected one or more of open, todo');
    const events = await collect(client.auditEvents({ resourceType: 'task', limit: 3 }));
    expect(events.map(({ action }) => action)).toEqual(['task.create', 'task.create', 'task.create', 'task.create']);
  });

  test('read a page only when its first item is needed', async () => {
    const acme = await createCompany();
    for (const name of ['a', 'b', 'c', 'd']) await acme.vendor.create({ name });
    let count = 0;
    const fetchCounted = (request: Request) => {
      count += 1;
      return fetch(request);
    };
    const { vendors } = new ComplianceClient({ baseUrl: url, apiKey: acme.key, fetch: fetchCounted });
    for await (const { name } of vendors.list({ limit: 2 })) if (name === 'b') break;
    expect(count).toBe(1);
  });
});

describe('the change feed', () => {
  test('yields pages from a stored cursor up to the newest event', async () => {
    const acme = await createCompany();
    const { changes } = clientOf(acme);
    await seal(acme);
    const start = await changes.now();
    for (const name of ['a', 'b', 'c']) await acme.vendor.create({ name });
    await seal(acme);
    const pages = await collect(changes.follow({ cursor: start, limit: 2 }));
    expect(pages.map(({ items }) => items.map((event) => event.changes['name']))).toEqual([['a', 'b'], ['c']]);
    const rest = await collect(changes.follow({ cursor: pages[0]?.cursor, limit: 2 }));
    expect(rest.flatMap(({ items }) => items.map((event) => event.changes['name']))).toEqual(['c']);
    const all = await collect(changes.follow());
    expect(all.flatMap(({ items }) => items)[0]).toMatchObject({ sequence: 1, action: 'company.create' });
  });

  test('waits for events until the signal aborts', async () => {
    const acme = await createCompany();
    const { changes } = clientOf(acme);
    await seal(acme);
    const controller = new AbortController();
    const names: unknown[] = [];
    const follow = async () => {
      const cursor = await changes.now();
      await acme.vendor.create({ name: 'first' });
      await seal(acme);
      for await (const { items } of changes.follow({ cursor, wait: 20, signal: controller.signal })) {
        names.push(...items.map((event) => event.changes['name']));
        if (names.length === 1) void acme.vendor.create({ name: 'second' }).then(() => seal(acme));
        else controller.abort(new Error('enough'));
      }
    };
    await expect(follow()).rejects.toThrow('enough');
    expect(names).toEqual(['first', 'second']);
  });

  test('throws CursorLostError after a restore of an earlier state', async () => {
    const acme = await createCompany();
    const { changes } = clientOf(acme);
    await seal(acme);
    const cursor = await changes.now();
    await loseEvents(acme, 2);
    const error: unknown = await collect(changes.follow({ cursor })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CursorLostError);
    expect(error).toMatchObject({ status: 410, code: 'cursor_lost' });
  });
});

describe('batches', () => {
  test('are sent in chunks of 100, with one result for each item in the given order', async () => {
    const acme = await createCompany();
    const { vendors } = clientOf(acme);
    const progress: number[] = [];
    const items = Array.from({ length: 250 }, (_, index) => ({
      op: 'upsert' as const,
      source: 'erp',
      externalId: String(index),
      body: { name: index % 100 === 7 ? '' : `Vendor ${index}` },
    }));
    const { succeeded, failed, results } = await vendors.batch(items, { onProgress: (done) => progress.push(done) });
    expect({ succeeded, failed, progress }).toEqual({ succeeded: 247, failed: 3, progress: [100, 200, 250] });
    expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    expect(results.map(({ item, code }) => item?.name ?? code)).toEqual(
      items.map(({ body }) => body.name || 'invalid_request'),
    );
  });

  test('split large items so that no request exceeds 2 MiB', async () => {
    const acme = await createCompany();
    const tasks = clientOf(acme).tasks(acme.framework);
    const description = '€'.repeat(20_000);
    const items = Array.from({ length: 60 }, (_, index) => ({
      op: 'create' as const,
      body: { title: `${index}`, description },
    }));
    const { results } = await tasks.batch(items);
    expect(results.map(({ index, status, item }) => [index, status, item?.title])).toEqual(
      items.map(({ body }, index) => [index, 201, body.title]),
    );
  });

  test('a chunk that fails as a whole throws BatchError with the results before it', async () => {
    const acme = await createCompany();
    const { vendors } = clientOf(acme);
    const create = (name: string) => ({ op: 'create' as const, body: { name } });
    const items = [...Array.from({ length: 100 }, (_, index) => create(`Vendor ${index}`)), { op: 'delete' as const }];
    const error: unknown = await vendors.batch(items, { idempotencyKey: 'run 1' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BatchError);
    expect(error).toMatchObject({ results: { length: 100 }, cause: { code: 'invalid_request' } });
    // The same key repeats the chunk that was applied, and sends the corrected one.
    const corrected = await vendors.batch([...items.slice(0, 100), create('Last')], { idempotencyKey: 'run 1' });
    expect(corrected.succeeded).toBe(101);
    expect(await acme.vendor.list()).toHaveLength(101);
    await expect(vendors.batch(items.slice(100))).rejects.toMatchObject({ name: 'ApiError', code: 'invalid_request' });
  });

  test('an atomic batch is one chunk, and one error rejects all', async () => {
    const acme = await createCompany();
    const { vendors } = clientOf(acme);
    const create = (name: string) => ({ op: 'create' as const, body: { name } });
    await expect(vendors.batch([create('a'), create('')], { atomic: true })).rejects.toThrow(/^items\.1\.name: /);
    await expect(
      vendors.batch(
        Array.from({ length: 101 }, () => create('a')),
        { atomic: true },
      ),
    ).rejects.toThrow(RangeError);
    expect((await vendors.batch([create('a')], { dryRun: true })).succeeded).toBe(1);
    expect(await acme.vendor.list()).toEqual([]);
    expect(await vendors.batch([])).toEqual({ succeeded: 0, failed: 0, results: [] });
  });
});

describe('imports', () => {
  const FILE = 'externalId,name\r\n1,Cloud Ltd\r\n2,\r\n3,Hosting Ltd\r\n';
  /** Runs the imports of a company as soon as one is queued, as the job of the service does. */
  const runWhenQueued = (company: { id: number }, states: string[]) => ({
    onProgress: ({ state }: { state: string }) => {
      states.push(state);
      if (state === 'queued' && states.length === 1) void runImports(company);
    },
  });

  test('report their progress and return the counts and the errors by row', async () => {
    const acme = await createCompany();
    const states: string[] = [];
    const result = await clientOf(acme).vendors.import(FILE, { source: 'erp', ...runWhenQueued(acme, states) });
    expect(result).toMatchObject({
      state: 'done',
      rows: 3,
      created: 2,
      failed: 1,
      errors: [{ row: 2, field: 'name' }],
    });
    expect(states[0]).toBe('queued');
    expect(states.at(-1)).toBe('done');
    const tasks = clientOf(acme).tasks(acme.framework);
    const lines = new Blob(['{"title":"Review ü"}\n']);
    expect(await tasks.import(lines, { format: 'ndjson', dryRun: true, ...runWhenQueued(acme, []) })).toMatchObject({
      created: 1,
    });
    expect(await collect(tasks.list())).toEqual([]);
    const bytes = new TextEncoder().encode('title\r\nReview ü\r\n');
    await tasks.import(bytes, runWhenQueued(acme, []));
    expect((await collect(tasks.list())).map(({ title }) => title)).toEqual(['Review ü']);
  });

  test('throw ImportError with the reason if the file is rejected', async () => {
    const acme = await createCompany();
    const error: unknown = await clientOf(acme)
      .vendors.import('other\r\n1\r\n', runWhenQueued(acme, []))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportError);
    expect(error).toMatchObject({ message: expect.stringContaining('other'), import: { state: 'failed' } });
  });

  test('are canceled when the signal aborts', async () => {
    const acme = await createCompany();
    const client = clientOf(acme);
    const controller = new AbortController();
    let uniqueId = '';
    const onProgress = (progress: { uniqueId: string }) => {
      ({ uniqueId } = progress);
      controller.abort(new Error('enough'));
    };
    const imported = client.vendors.import(FILE, { source: 'erp', onProgress, signal: controller.signal });
    await expect(imported).rejects.toThrow('enough');
    await expect(client.imports.wait(uniqueId)).rejects.toMatchObject({ name: 'ImportError', message: 'canceled' });
    await expect(client.imports.cancel(uniqueId)).rejects.toMatchObject({ code: 'conflict' });
    await runImports(acme);
    expect(await acme.vendor.list()).toEqual([]);
  });
});
