import { expect } from 'vitest';
import type { VendorChanges } from '../../entities/vendor/vendor.ts';
import { test } from '../support/fixtures/test.ts';

test('a new vendor is active and has an empty description by default', async ({ acme }) => {
  const vendor = await acme.vendor.create({ name: 'Cloud Ltd' });
  expect(vendor).toMatchObject({ name: 'Cloud Ltd', status: 'active', active: true, description: '', version: 1 });
  expect(vendor.uniqueId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(vendor.createdBy).toEqual(acme.apiKey.user);
  expect(vendor.updatedBy).toEqual(acme.apiKey.user);
  expect(vendor.createdAt).toBe(vendor.updatedAt);
  expect(await acme.vendor.get({ vendor: vendor.uniqueId })).toEqual(vendor);
});

test('a vendor created with active false is inactive', async ({ acme }) => {
  expect(await acme.vendor.create({ name: 'Old Ltd', active: false })).toMatchObject({
    status: 'inactive',
    active: false,
  });
});

test('vendor names are trimmed and need not be unique', async ({ acme }) => {
  await acme.vendor.create({ name: '  Cloud Ltd\n' });
  await acme.vendor.create({ name: 'Cloud Ltd' });
  expect((await acme.vendor.list()).map(({ name }) => name)).toEqual(['Cloud Ltd', 'Cloud Ltd']);
});

test('the list contains only uniqueId, name and status, sorted by name and id', async ({ acme }) => {
  for (const name of ['Bravo', 'Alpha', 'Charlie', 'Alpha']) await acme.vendor.create({ name });
  const list = await acme.vendor.list();
  expect(list.map(({ name }) => name)).toEqual(['Alpha', 'Alpha', 'Bravo', 'Charlie']);
  expect(list[0]?.uniqueId.localeCompare(list[1]?.uniqueId ?? '')).toBe(-1);
  expect(Object.keys(list[0] ?? {})).toEqual(['uniqueId', 'name', 'status']);
});

test.for<[VendorChanges, object]>([
  [{ name: 'Renamed' }, { name: 'Renamed', description: '<p>Hosting</p>', status: 'active' }],
  [{ description: 'Backups' }, { name: 'Cloud Ltd', description: 'Backups', status: 'active' }],
  [{ description: '' }, { name: 'Cloud Ltd', description: '', status: 'active' }],
  [{ active: false }, { name: 'Cloud Ltd', description: '<p>Hosting</p>', status: 'inactive', active: false }],
  [{ status: 'archived' }, { name: 'Cloud Ltd', description: '<p>Hosting</p>', status: 'archived', active: false }],
  [
    { status: 'inactive', active: false },
    { status: 'inactive', active: false },
  ],
])('an update with %o keeps all other fields', async ([changes, expected], { acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd', description: '<p>Hosting</p>' });
  await acme.vendor.update({ vendor: uniqueId, ...changes });
  expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ ...expected, version: 2 });
});

test('`active: false` keeps an archived vendor archived, `active: true` activates it', async ({ acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await acme.vendor.update({ vendor: uniqueId, status: 'archived' });
  await acme.vendor.update({ vendor: uniqueId, active: false });
  expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ status: 'archived', version: 2 });
  await acme.vendor.update({ vendor: uniqueId, active: true });
  expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ status: 'active', version: 3 });
});

test.for<VendorChanges>([
  { active: true, status: 'inactive' },
  { active: false, status: 'active' },
  { active: true, status: 'archived' },
])('an update with contradictory %o is rejected', async (changes, { acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await expect(acme.vendor.update({ vendor: uniqueId, ...changes })).rejects.toThrow('active: contradicts status');
  expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject({ version: 1 });
});

test.for<VendorChanges>([{}, { name: 'Cloud Ltd' }, { active: true, description: 'Hosting' }])(
  'an update with the unchanged values %o writes nothing',
  async (changes, { acme }) => {
    const vendor = await acme.vendor.create({ name: 'Cloud Ltd', description: 'Hosting' });
    await acme.vendor.update({ vendor: vendor.uniqueId, ...changes });
    expect(await acme.vendor.get({ vendor: vendor.uniqueId })).toEqual(vendor);
    expect((await acme.events(vendor.uniqueId)).map(({ action }) => action)).toEqual(['vendor.create']);
  },
);

test('concurrent updates of different fields all take effect, and each increments the version', async ({ acme }) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await Promise.all([
    acme.vendor.update({ vendor: uniqueId, name: 'Cloud Inc' }),
    acme.vendor.update({ vendor: uniqueId, description: 'Hosting' }),
    acme.vendor.update({ vendor: uniqueId, active: false }),
  ]);
  const expected = { name: 'Cloud Inc', description: 'Hosting', status: 'inactive', version: 4 };
  expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject(expected);
});
