import { beforeAll, describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let owner: string;
beforeAll(async () => {
  acme = await createCompany();
  ({ uniqueId: owner } = await createMember(acme, { name: 'Ann' }));
});

const FACTS = {
  website: 'HTTPS://Cloud.example/a?b',
  criticality: 1,
  labels: ['hosting'],
  dataCategories: ['customer data', 'logs'],
  contractStart: '2026-01-01',
  contractEnd: '2026-12-31',
  reviewEveryMonths: 12,
  nextReview: '2026-06-30',
  contacts: [
    { name: 'Ada Berg', email: 'ada@cloud.example', role: 'Account manager' },
    { name: 'Support', email: null, role: null },
  ],
};
const NOTHING = {
  website: null,
  criticality: null,
  owner: null,
  labels: [],
  dataCategories: [],
  contractStart: null,
  contractEnd: null,
  reviewEveryMonths: null,
  nextReview: null,
  contacts: [],
  lastReview: null,
};

describe('the facts of a vendor', () => {
  test('are optional', async () => {
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    expect(await acme.vendor.get({ vendor: uniqueId })).toMatchObject(NOTHING);
  });

  test('are created, changed one by one and cleared, each with its event', async () => {
    const created = await acme.vendor.create({ name: 'Cloud Ltd', ...FACTS, ownerId: owner });
    expect(created).toMatchObject({ ...FACTS, owner: { uniqueId: owner, name: 'Ann', kind: 'human' } });
    const { uniqueId: vendor } = created;
    await acme.vendor.update({ vendor, criticality: 2 });
    expect(await acme.vendor.get({ vendor })).toMatchObject({ ...FACTS, criticality: 2, version: 2 });
    const { owner: _owner, lastReview: _lastReview, ...cleared } = NOTHING;
    await acme.vendor.update({ vendor, ...cleared, ownerId: null });
    expect(await acme.vendor.get({ vendor })).toMatchObject({ ...NOTHING, version: 3 });
    const [last, changed] = (await acme.vendor.history({ vendor })).items;
    expect(changed?.changes).toEqual({ criticality: { from: 1, to: 2 } });
    expect(last?.changes).toMatchObject({
      owner: { from: { uniqueId: owner, name: 'Ann', kind: 'human' }, to: null },
      contacts: { from: FACTS.contacts, to: [] },
    });
  });

  test('sent back as they are change nothing', async () => {
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', ...FACTS, ownerId: owner });
    await acme.vendor.update({ vendor, name: 'Cloud Ltd', ...FACTS, ownerId: owner });
    expect(await acme.vendor.get({ vendor })).toMatchObject({ version: 1 });
  });

  test.each([
    [{ website: 'ftp://cloud.example' }, 'website: expected an http or https URL of at most 2048 characters'],
    [{ website: 'https://a@b@evil.example/' }, 'website: expected a URL without user info'],
    [{ website: 'https://user:pw@host/' }, 'website: expected a URL without user info'],
    [{ website: 'cloud.example' }, 'website: expected an http or https URL of at most 2048 characters'],
    [{ criticality: 0 }, 'criticality: expected an integer from 1 to 4'],
    [{ criticality: 5 }, 'criticality: expected an integer from 1 to 4'],
    [{ ownerId: 'Ann' }, 'ownerId: expected the uniqueId of a user'],
    [{ labels: Array.from({ length: 21 }, (_, index) => `l${index}`) }, 'labels: expected at most 20 labels'],
    [{ dataCategories: [''] }, 'dataCategories.0: expected text of 1 to 50 characters'],
    [{ contractStart: '2026-02-30' }, 'contractStart: expected a calendar date YYYY-MM-DD from 1900 to 2999'],
    [{ reviewEveryMonths: 61 }, 'reviewEveryMonths: expected an integer from 1 to 60'],
    [{ nextReview: 'soon' }, 'nextReview: expected a calendar date YYYY-MM-DD from 1900 to 2999'],
    [{ contacts: [{ name: '' }] }, 'contacts.0.name: expected text of 1 to 255 characters'],
    [{ contacts: [{ name: 'A', email: 'none' }] }, 'contacts.0.email: expected an email address'],
    [{ contacts: Array.from({ length: 21 }, () => ({ name: 'A' })) }, 'contacts: expected at most 20 contacts'],
  ])('%j is invalid', async (fields, message) => {
    await expect(acme.vendor.create({ name: 'Cloud Ltd', ...fields })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message,
    });
  });

  test('of a contract must be in order, with what is there already', async () => {
    const message = 'contractEnd: 2025-12-31 is before contractStart 2026-01-01';
    const dates = { contractStart: '2026-01-01', contractEnd: '2025-12-31' };
    await expect(acme.vendor.create({ name: 'Cloud Ltd', ...dates })).rejects.toThrow(message);
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', contractStart: '2026-01-01' });
    await expect(acme.vendor.update({ vendor, contractEnd: '2025-12-31' })).rejects.toThrow(message);
    await acme.vendor.update({ vendor, contractEnd: '2026-01-01' });
  });
});

describe('the owner of a vendor', () => {
  test('is an active member of the company', async ({ other }) => {
    const { uniqueId: stranger } = await createMember(other);
    const ended = await createMember(acme);
    await acme.manage.member.end({ uniqueId: ended.uniqueId });
    for (const ownerId of [stranger, ended.uniqueId, acme.apiKey.user.uniqueId]) {
      const error = { code: 'UNPROCESSABLE_CONTENT', message: 'ownerId: expected an active member' };
      await expect(acme.vendor.create({ name: 'Cloud Ltd', ownerId })).rejects.toMatchObject(error);
      const reference = { source: 'erp', externalId: ownerId };
      const put = acme.vendor.putByExternalId({ ...reference, name: 'Cloud Ltd', ownerId });
      await expect(put).rejects.toMatchObject(error);
      const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
      await expect(acme.vendor.update({ vendor, ownerId })).rejects.toMatchObject(error);
    }
  });

  test('keeps the vendor after the end of the membership, and the vendor can be sent back', async () => {
    const ben = await createMember(acme, { name: 'Ben' });
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', ownerId: ben.uniqueId });
    await acme.manage.member.end({ uniqueId: ben.uniqueId });
    await acme.vendor.update({ vendor, name: 'Cloud Inc', ownerId: ben.uniqueId });
    expect(await acme.vendor.get({ vendor })).toMatchObject({ name: 'Cloud Inc', owner: { uniqueId: ben.uniqueId } });
  });

  test('belongs to the entity tag with the name', async () => {
    const cleo = await createMember(acme, { name: 'Cleo' });
    const { uniqueId: vendor, etag } = await acme.vendor.create({ name: 'Cloud Ltd', ownerId: cleo.uniqueId });
    await cleo.caller.account.update({ name: 'Cleopatra' });
    const renamed = await acme.vendor.get({ vendor });
    expect(renamed).toMatchObject({ version: 1, owner: { name: 'Cleopatra' } });
    expect(renamed.etag).not.toBe(etag);
    await expect(acme.vendor.update({ vendor, name: 'Cloud Inc', ifMatch: etag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await acme.vendor.update({ vendor, name: 'Cloud Inc', ifMatch: renamed.etag });
  });
});

test('a PUT that replaces keeps the facts that it does not send, and clears those that it sends empty', async () => {
  const reference = { source: 'erp', externalId: 'VEN-1' };
  const { item } = await acme.vendor.putByExternalId({ ...reference, name: 'Cloud Ltd', ...FACTS, ownerId: owner });
  await acme.vendor.review({ vendor: item.uniqueId, note: 'Report is current.', nextReview: FACTS.nextReview });
  await acme.vendor.putByExternalId({ ...reference, mode: 'replace', name: 'Cloud Inc' });
  expect(await acme.vendor.getByExternalId(reference)).toMatchObject({
    ...FACTS,
    name: 'Cloud Inc',
    owner: { uniqueId: owner },
    lastReview: { note: 'Report is current.' },
  });
  await acme.vendor.putByExternalId({ ...reference, name: 'Cloud Inc', contacts: [], website: null });
  expect(await acme.vendor.getByExternalId(reference)).toMatchObject({ contacts: [], website: null, criticality: 1 });
});
