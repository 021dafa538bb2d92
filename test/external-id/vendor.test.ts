import { beforeAll, describe, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

let acme: TestCompany;
let vendor: TestCompany['vendor'];
beforeAll(async () => {
  acme = await createCompany();
  ({ vendor } = acme);
});

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

  test('replace sets fields that are not sent to their default, merge keeps them', async () => {
    const key = newKey();
    await vendor.putByExternalId({ ...key, name: 'Cloud', description: 'x', status: 'archived' });
    const merged = await vendor.putByExternalId({ ...key, mode: 'merge', name: 'Cloud Inc' });
    expect(merged).toMatchObject({
      upsert: 'updated',
      item: { name: 'Cloud Inc', description: 'x', status: 'archived', version: 2 },
    });
    expect(await vendor.putByExternalId({ ...key, mode: 'merge' })).toMatchObject({ upsert: 'unchanged' });
    const replaced = await vendor.putByExternalId({ ...key, name: 'Cloud Inc' });
    expect(replaced).toMatchObject({ upsert: 'updated', item: { description: '', status: 'active', version: 3 } });
    expect(replaced.item.externalIds).toEqual([key]);
  });
});
