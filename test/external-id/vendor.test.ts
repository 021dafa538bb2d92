import { describe, expect, test } from 'vitest';
import { VENDORS, importFile } from '../support/tenants/imports.ts';
import { createCompany } from '../support/tenants/company.ts';

const acme = await createCompany();
const { vendor } = acme;

const source = 'servicenow';
let count = 0;
const newKey = () => ({ source, externalId: `VEN-${(count += 1)}` });

describe('putByExternalId', () => {
  test('creates a vendor that shows its external id, also in the audit event', async () => {
    const key = newKey();
    const { upsert, item } = await vendor.putByExternalId({ ...key, name: ' Cloud Ltd ' });
    expect(upsert).toBe('created');
    expect(item).toMatchObject({ name: 'Cloud Ltd', status: 'active', active: true, description: '', version: 1 });
    expect(item.externalIds).toEqual([key]);
    expect(await vendor.get({ vendor: item.uniqueId })).toEqual(item);
    expect(await vendor.getByExternalId(key)).toEqual(item);
    const [event, ...others] = await acme.events(item.uniqueId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ action: 'vendor.create', changes: { external_ids: [key] } });
  });

  test('the same body again changes nothing and leaves no event', async () => {
    const key = newKey();
    const { item } = await vendor.putByExternalId({ ...key, name: 'Cloud', description: 'x' });
    expect(await vendor.putByExternalId({ ...key, name: 'Cloud', description: 'x' })).toEqual({
      upsert: 'unchanged',
      item,
    });
    expect(await acme.events(item.uniqueId)).toHaveLength(1);
  });

  test('a request that is repeated undoes nothing that a person changed meanwhile', async () => {
    const key = newKey();
    const { item } = await vendor.putByExternalId({ ...key, name: 'Cloud' });
    const changes = { name: 'Cloud', status: 'inactive' as const, description: 'Ask Ann', criticality: 1 };
    await vendor.update({ vendor: item.uniqueId, ...changes });
    const events = await acme.events(item.uniqueId);
    const repeated = await vendor.putByExternalId({ ...key, name: 'Cloud' });
    expect(repeated).toMatchObject({ upsert: 'unchanged', item: { ...changes, version: 2 } });
    await vendor.batch({ items: [{ op: 'upsert', ...key, body: { name: 'Cloud' } }] });
    await importFile(acme, `${VENDORS}/import?source=${key.source}`, [{ externalId: key.externalId, name: 'Cloud' }]);
    expect(await acme.events(item.uniqueId)).toEqual(events);
  });

  test('replace sets fields that are not sent to their default, merge keeps them', async () => {
    const key = newKey();
    await vendor.putByExternalId({ ...key, name: 'Cloud', description: 'x', status: 'archived' });
    const merged = await vendor.putByExternalId({ ...key, name: 'Cloud Inc' });
    expect(merged).toMatchObject({
      upsert: 'updated',
      item: { name: 'Cloud Inc', description: 'x', status: 'archived', version: 2 },
    });
    expect(await vendor.putByExternalId(key)).toMatchObject({ upsert: 'unchanged' });
    const replaced = await vendor.putByExternalId({ ...key, mode: 'replace', name: 'Cloud Inc' });
    expect(replaced).toMatchObject({ upsert: 'updated', item: { description: '', status: 'active', version: 3 } });
    expect(replaced.item.externalIds).toEqual([key]);
  });
});

describe('rules of putByExternalId', () => {
  test('replace requires a name; merge requires it only for a new vendor', async () => {
    const key = newKey();
    await expect(vendor.putByExternalId(key)).rejects.toThrow('name: required');
    await expect(vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
    await vendor.putByExternalId({ ...key, name: 'Cloud' });
    await expect(vendor.putByExternalId({ ...key, mode: 'replace' })).rejects.toThrow('name: required');
  });

  test('active and status that contradict each other are rejected', async () => {
    const body = { ...newKey(), name: 'x', active: true, status: 'archived' as const };
    await expect(vendor.putByExternalId(body)).rejects.toThrow('active: contradicts status archived');
  });

  test('a new vendor may have any status, and active false leaves an archived one archived', async () => {
    const key = newKey();
    expect(await vendor.putByExternalId({ ...key, name: 'x', status: 'archived' })).toMatchObject({
      upsert: 'created',
      item: { status: 'archived', active: false },
    });
    expect(await vendor.putByExternalId({ ...key, name: 'x', active: false })).toMatchObject({ upsert: 'unchanged' });
    expect(await vendor.putByExternalId({ ...newKey(), name: 'x', active: false })).toMatchObject({
      item: { status: 'inactive' },
    });
  });

  test('create=false responds 404 instead of creating', async () => {
    const key = newKey();
    await expect(vendor.putByExternalId({ ...key, name: 'x', create: false })).rejects.toThrow('vendor: not found');
    await vendor.putByExternalId({ ...key, name: 'x' });
    expect(await vendor.putByExternalId({ ...key, name: 'y', create: false })).toMatchObject({ upsert: 'updated' });
  });

  test('after a deletion the id stays reserved until recreate=true moves it to a new vendor', async () => {
    const key = newKey();
    const { item: first } = await vendor.putByExternalId({ ...key, name: 'x' });
    await vendor.delete({ vendor: first.uniqueId });
    await expect(vendor.putByExternalId({ ...key, name: 'x' })).rejects.toThrow('externalId: reserved');
    await expect(vendor.putByExternalId({ ...key, name: 'x', create: false, recreate: true })).rejects.toThrow(
      'vendor: not found',
    );
    const other = await vendor.create({ name: 'Other' });
    await expect(vendor.link({ vendor: other.uniqueId, ...key })).rejects.toThrow('externalId: taken');
    const { upsert, item } = await vendor.putByExternalId({ ...key, name: 'x', recreate: true });
    expect(upsert).toBe('created');
    expect(item.uniqueId).not.toBe(first.uniqueId);
    expect(await vendor.getByExternalId(key)).toEqual(item);
    await vendor.deleteByExternalId(key);
    await expect(vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
    await expect(vendor.deleteByExternalId(key)).rejects.toThrow('vendor: not found');
  });

  test('a dry run gives the same result and writes nothing', async () => {
    const key = newKey();
    const tried = await vendor.putByExternalId({ ...key, name: 'x', dryRun: true });
    expect(tried).toMatchObject({ upsert: 'created', item: { name: 'x', externalIds: [key] } });
    await expect(vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
    expect(await acme.events(tried.item.uniqueId)).toEqual([]);
    const { item } = await vendor.putByExternalId({ ...key, name: 'x' });
    expect(await vendor.putByExternalId({ ...key, name: 'y', dryRun: true })).toMatchObject({
      upsert: 'updated',
      item: { name: 'y', version: 2 },
    });
    expect(await vendor.putByExternalId({ ...key, name: 'x', dryRun: true })).toEqual({ upsert: 'unchanged', item });
    expect(await vendor.getByExternalId(key)).toEqual(item);
  });

  test.for([
    ['an empty source', { source: '' }],
    ['an upper-case source', { source: 'ServiceNow' }],
    ['a source with a line break', { source: 'a\n' }],
    ['a long source', { source: 'a'.repeat(51) }],
    ['an empty id', { externalId: '' }],
    ['a long id', { externalId: 'é'.repeat(256) }],
    ['NUL in an id', { externalId: 'a\0' }],
    ['a lone surrogate in an id', { externalId: '\ud800' }],
  ] as const)('%s is rejected', async ([, fields]) => {
    const [field = ''] = Object.keys(fields);
    await expect(vendor.putByExternalId({ ...newKey(), name: 'x', ...fields })).rejects.toThrow(`${field}: expected`);
  });

  test('ids are compared byte for byte', async () => {
    const ids = ['a', 'A', 'a ', ' a', 'é', 'e\u0301', 'x'.repeat(255), '%41', '../a', '"\\'];
    for (const externalId of ids) {
      const { upsert } = await vendor.putByExternalId({ source: 'bytes', externalId, name: externalId });
      expect(upsert).toBe('created');
    }
    const found = [];
    for (const externalId of ids) found.push(await vendor.getByExternalId({ source: 'bytes', externalId }));
    expect(found.map(({ externalIds: [listed] }) => listed?.externalId)).toEqual(ids);
  });
});

describe('link', () => {
  test('adds an id, which shows in the audit event as externalIds', async () => {
    const { uniqueId } = await vendor.create({ name: 'x' });
    const [first, second] = [newKey(), { source: 'jira', externalId: 'A' }];
    await vendor.link({ vendor: uniqueId, ...first });
    const linked = await vendor.link({ vendor: uniqueId, ...second });
    expect(linked).toMatchObject({ externalIds: [first, second], version: 3 });
    expect(await vendor.getByExternalId(second)).toEqual(linked);
    const { items } = await vendor.history({ vendor: uniqueId, limit: 1 });
    expect(items[0]?.changes).toEqual({ externalIds: { from: [first], to: [first, second] } });
  });

  test('an id that the vendor has already writes nothing', async () => {
    const key = newKey();
    const { item } = await vendor.putByExternalId({ ...key, name: 'x' });
    expect(await vendor.link({ vendor: item.uniqueId, ...key })).toEqual(item);
    expect(await acme.events(item.uniqueId)).toHaveLength(1);
  });

  test('an id of another vendor is 409, an eleventh id 422, an unknown vendor 404', async () => {
    const key = newKey();
    await vendor.putByExternalId({ ...key, name: 'x' });
    const { uniqueId } = await vendor.create({ name: 'y' });
    await expect(vendor.link({ vendor: uniqueId, ...key })).rejects.toMatchObject({ code: 'CONFLICT' });
    for (let index = 0; index < 10; index++) await vendor.link({ vendor: uniqueId, ...newKey() });
    await expect(vendor.link({ vendor: uniqueId, ...newKey() })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'externalId: expected at most 10 for a vendor',
    });
    await expect(vendor.link({ vendor: crypto.randomUUID(), ...newKey() })).rejects.toThrow('vendor: not found');
  });
});

test('companies and types have separate ids', async () => {
  const key = newKey();
  const other = await createCompany();
  const { item } = await vendor.putByExternalId({ ...key, name: 'x' });
  await expect(other.vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
  expect((await other.vendor.putByExternalId({ ...key, name: 'x' })).item.uniqueId).not.toBe(item.uniqueId);
  expect(await acme.task.putByExternalId({ ...key, framework: acme.framework, title: 'x' })).toMatchObject({
    upsert: 'created',
  });
});

test('external ids of a vendor are there as of any time', async () => {
  const key = newKey();
  const { item } = await vendor.putByExternalId({ ...key, name: 'x' });
  const linked = await vendor.link({ vendor: item.uniqueId, ...newKey() });
  expect(await vendor.get({ vendor: item.uniqueId, asOf: '2999-12-31T00:00:00Z' })).toEqual({
    ...linked,
    evidenceCount: null,
  });
});
