import { describe, expect } from 'vitest';
import { ImportRunner } from '../../procedures/import/job.ts';
import { test } from '../support/fixtures/test.ts';
import { asOwner, database, databaseUrl, sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { VENDORS, readImport, runImports, tasksOf, upload } from '../support/tenants/imports.ts';

const PATH = `${VENDORS}/import`;
const runner = new ImportRunner(database);

const manyRows = (count: number, prefix = 'V') =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}` }));
const createdNames = async (acme: TestCompany) =>
  (await acme.events())
    .filter(({ action }) => action === 'vendor.create')
    .map(({ changes }) => String(changes['name']));

/** Runs slices until the import has applied some rows, but not all. */
async function runPartly({ id, key }: TestCompany, accepted: Awaited<ReturnType<typeof upload>>) {
  for (;;) {
    await runner.runSlice(id);
    const item = await readImport(key, accepted);
    if (item.created > 0 || item.state !== 'running') return item;
  }
}

describe('the imports of a company', () => {
  test('run one at a time, in the order in which they came', async ({ acme }) => {
    const uploads = [];
    for (const prefix of ['A', 'B', 'C']) uploads.push(await upload(acme.key, PATH, manyRows(3, prefix)));
    const [first, second] = uploads;
    if (first === undefined || second === undefined) throw new Error('expected uploads');
    await runner.runSlice(acme.id);
    expect(await readImport(acme.key, first)).toMatchObject({ state: 'running', rows: 3, created: 0 });
    expect(await readImport(acme.key, second)).toMatchObject({ state: 'queued', rows: 0 });
    await runImports(acme);
    expect(await createdNames(acme)).toEqual(['A0', 'A1', 'A2', 'B0', 'B1', 'B2', 'C0', 'C1', 'C2']);
  });

  test('are shared by several processes, and every row is applied once', async ({ acme }) => {
    const accepted = await upload(acme.key, PATH, manyRows(1200));
    const second = await upload(acme.key, `${PATH}?strict=true`, manyRows(600, 'S'));
    const runners = [runner, new ImportRunner(database), new ImportRunner(database)];
    await Promise.all(
      runners.map(async (one) => {
        while ((await runner.companies()).includes(acme.id)) await one.runSlice(acme.id);
      }),
    );
    expect(await readImport(acme.key, accepted)).toMatchObject({ state: 'done', created: 1200 });
    expect(await readImport(acme.key, second)).toMatchObject({ state: 'done', created: 600 });
    const names = await createdNames(acme);
    expect(names).toEqual([...manyRows(1200), ...manyRows(600, 'S')].map(({ name }) => name));
  });

  test('attribute every change to the key and the request of the upload', async ({ acme }) => {
    await upload(acme.key, PATH, manyRows(2), { 'X-Request-Id': 'upload-1' });
    await runImports(acme);
    const events = (await acme.events()).filter(({ action }) => action === 'vendor.create');
    expect(events).toHaveLength(2);
    for (const event of events)
      expect(event).toMatchObject({
        request_id: 'upload-1',
        api_key_id: acme.apiKey.uniqueId,
        user_id: acme.apiKey.user.uniqueId,
      });
    const [vendor] = (await acme.vendor.page({ limit: 1, view: 'full' })).items;
    expect(vendor).toMatchObject({ createdBy: acme.apiKey.user });
  });

  test('do not wait for those of another company', async ({ acme, other }) => {
    await upload(acme.key, PATH, manyRows(2));
    const accepted = await upload(other.key, PATH, manyRows(2));
    await runImports(other);
    expect(await readImport(other.key, accepted)).toMatchObject({ state: 'done' });
    expect(await createdNames(acme)).toEqual([]);
  });
});

describe('progress', () => {
  test('is visible while an import runs, and continues with another process', async ({ acme }) => {
    const accepted = await upload(acme.key, PATH, manyRows(1200));
    const item = await runPartly(acme, accepted);
    expect(item).toMatchObject({ state: 'running', rows: 1200, failed: 0 });
    expect(item.created).toBeLessThanOrEqual(500);
    expect(await createdNames(acme)).toHaveLength(item.created);
    const next = new ImportRunner(database);
    while (await next.runSlice(acme.id));
    expect(await createdNames(acme)).toEqual(manyRows(1200).map(({ name }) => name));
  });

  test('after an error of the service repeats the slice, and fails the import after five', async ({ acme }) => {
    const accepted = await upload(acme.key, PATH, manyRows(3));
    const after = await upload(acme.key, PATH, manyRows(1, 'after'));
    await sql(
      'delete from import_chunk where import_id = (select unique_id from import where company_id = $1 order by queued_at limit 1)',
      acme.id,
    );
    const broken = new ImportRunner(database);
    for (let attempt = 1; attempt <= 5; attempt++)
      await expect(broken.runSlice(acme.id)).rejects.toThrow('import.chunk: returned no row');
    expect(await readImport(acme.key, accepted)).toMatchObject({
      state: 'failed',
      reason: 'Something went wrong on our side.',
    });
    await runImports(acme);
    expect(await readImport(acme.key, after)).toMatchObject({ state: 'done' });
  });
});

describe('DELETE', () => {
  const remove = (acme: TestCompany, accepted: Awaited<ReturnType<typeof upload>>, headers = {}) =>
    http('DELETE', String(accepted.headers.location).replace('/item', '/delete'), { key: acme.key, headers });

  test('cancels a queued import, and a running one, whose rows stay', async ({ acme }) => {
    const running = await upload(acme.key, PATH, manyRows(1200));
    const queued = await upload(acme.key, PATH, manyRows(1));
    const { created } = await runPartly(acme, running);
    for (const accepted of [queued, running]) {
      expect(await remove(acme, accepted)).toMatchObject({ status: 204, text: '' });
      expect(await readImport(acme.key, accepted)).toMatchObject({ state: 'canceled', reason: null });
    }
    await runImports(acme);
    expect(await createdNames(acme)).toHaveLength(created);
    expect(await sql('select from import_chunk where company_id = $1', acme.id)).toEqual([]);
  });

  test('of an import that has ended is 409, and with If-Match it is 412', async ({ acme }) => {
    const accepted = await upload(acme.key, PATH, manyRows(1));
    expect((await remove(acme, accepted, { 'If-Match': '"1"' })).status).toBe(412);
    await runImports(acme);
    expect(await remove(acme, accepted)).toMatchObject({ status: 409, body: { error: 'import: is already done' } });
  });
});

describe('a key that changes while its import runs', () => {
  const update = (acme: TestCompany, changes: object) =>
    acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, ...changes });

  test.for<[name: string, change: (acme: TestCompany) => Promise<unknown>, reason: string]>([
    [
      'revoked',
      (acme) => acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId }),
      'key: the key that started the import is revoked',
    ],
    ['disabled', (acme) => update(acme, { enabled: false }), 'key: the key that started the import is disabled'],
    [
      'without the scope',
      (acme) => update(acme, { scopes: ['vendor:read', 'task:write'] }),
      'scope: the key lacks vendor:write',
    ],
    ['for other addresses', (acme) => update(acme, { cidrs: ['192.0.2.0/24'] }), 'address: '],
    [
      'expired',
      (acme) =>
        sql(`update api_key set expires_at = now() where company_id = $1`, acme.id).catch(() =>
          update(acme, { enabled: false }),
        ),
      'key: the key that started the import is ',
    ],
  ])('fails it if it is %s, and what was applied stays', { timeout: 60_000 }, async ([, change, reason], { acme }) => {
    const accepted = await upload(acme.key, PATH, manyRows(1200));
    const { created } = await runPartly(acme, accepted);
    await change(acme);
    await runImports(acme);
    const { key } = await acme.manage.apiKey.create({ name: 'Another' });
    const item = await readImport(key, accepted);
    expect(item).toMatchObject({ state: 'failed', created });
    expect(item.reason).toContain(reason);
    expect(await createdNames(acme)).toHaveLength(created);
  });

  test('fails an import of tasks if it loses the framework', async ({ acme }) => {
    const other = await acme.manage.framework.create({ name: 'Other' });
    const accepted = await upload(acme.key, `${tasksOf(acme)}/import`, [{ title: 'A' }]);
    await update(acme, { frameworks: [other.id] });
    await runImports(acme);
    const { key } = await acme.manage.apiKey.create({ name: 'Another' });
    expect(await readImport(key, accepted)).toMatchObject({
      state: 'failed',
      created: 0,
      reason: expect.stringContaining('framework: '),
    });
  });
});

// The embedded database has one connection, so nothing can lock a row meanwhile.
test.runIf(databaseUrl !== undefined)('a locked row delays an import, which then continues', async ({ acme }) => {
  const { item } = await acme.vendor.putByExternalId({ source: 'erp', externalId: '1', name: 'A' });
  const accepted = await upload(acme.key, `${PATH}?source=erp`, [{ externalId: '1', name: 'B' }]);
  await runner.runSlice(acme.id);
  await asOwner(async (run) => {
    await run('select from vendor where company_id = $1 and unique_id = $2 for update', acme.id, item.uniqueId);
    await expect(runner.runSlice(acme.id)).rejects.toMatchObject({ code: 'unavailable' });
  });
  await runImports(acme);
  expect(await readImport(acme.key, accepted)).toMatchObject({ state: 'done', updated: 1 });
});
