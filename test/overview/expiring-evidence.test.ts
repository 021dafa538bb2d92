import { expect } from 'vitest';
import { MAX_EXPIRING_EVIDENCE } from '../../entities/evidence/statements.ts';
import { test } from '../support/fixtures/test.ts';
import { callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { addEvidence, dateIn } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

test('overview.evidence lists what is expiring in the whole company, first what ends first, with what it belongs to', async ({
  acme,
}) => {
  const { caller } = await createMember(acme, { role: 'auditor' });
  expect(await caller.overview.evidence()).toEqual({ total: 0, items: [] });
  const { uniqueId: taskUniqueId } = await acme.newTask({ title: 'Review' });
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const { uniqueId: renewed } = await acme.newTask({ title: 'Renewed' });
  const soon = await addEvidence(acme, { taskUniqueId }, { name: 'Soon', validUntil: dateIn(29) });
  const expired = await addEvidence(acme, { vendor }, { name: 'Expired', validUntil: dateIn(-1) });
  await addEvidence(acme, { taskUniqueId: renewed }, { validUntil: dateIn(1) });
  await addEvidence(acme, { taskUniqueId: renewed }, { validUntil: dateIn(30) });
  expect(await caller.overview.evidence()).toEqual({
    total: 2,
    items: [
      {
        uniqueId: expired,
        name: 'Expired',
        validUntil: dateIn(-1),
        resource: { type: 'vendor', uniqueId: vendor, title: 'Cloud Ltd' },
      },
      {
        uniqueId: soon,
        name: 'Soon',
        validUntil: dateIn(29),
        resource: { type: 'task', uniqueId: taskUniqueId, title: 'Review' },
      },
    ],
  });
  const rival = await createMember(await createCompany('Rival'));
  expect(await rival.caller.overview.evidence()).toEqual({ total: 0, items: [] });
});

test('overview.evidence shows what the scopes and the frameworks of the caller reach', async ({ acme }) => {
  const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
  const ends = { validUntil: dateIn(10) };
  await addEvidence(acme, { taskUniqueId: (await acme.newTask({ title: 'ISO' })).uniqueId }, ends);
  await addEvidence(acme, { taskUniqueId: (await acme.newTask({ title: 'SOC', framework: other })).uniqueId }, ends);
  await addEvidence(acme, { vendor: (await acme.vendor.create({ name: 'Cloud' })).uniqueId }, ends);
  const seen = async (permissions: Parameters<typeof callerWithPermissions>[1]) => {
    const { total, items } = await callerWithPermissions(acme, permissions).overview.evidence();
    expect(total).toBe(items.length);
    return items.map(({ resource }) => resource.title).toSorted();
  };
  const read = 'evidence:read';
  expect(await seen({ scopes: [read, 'task:read', 'vendor:read'] })).toEqual(['Cloud', 'ISO', 'SOC']);
  expect(await seen({ scopes: [read, 'task:read', 'vendor:read'], frameworks: [other] })).toEqual(['Cloud', 'SOC']);
  expect(await seen({ scopes: [read, 'task:read'] })).toEqual(['ISO', 'SOC']);
  expect(await seen({ scopes: [read, 'vendor:read'] })).toEqual(['Cloud']);
  for (const scopes of [[read], ['task:read', 'vendor:read']] as const)
    await expect(seen({ scopes: [...scopes] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('overview.evidence lists the first ones, and counts all', async ({ acme }) => {
  const { caller } = await createMember(acme);
  for (let day = 0; day < 12; day += 1) {
    const { uniqueId: taskUniqueId } = await acme.newTask({ title: `Task ${day}` });
    await addEvidence(acme, { taskUniqueId }, { validUntil: dateIn(day) });
  }
  const { total, items } = await caller.overview.evidence();
  expect(total).toBe(12);
  expect(items.map(({ validUntil }) => validUntil)).toEqual(
    Array.from({ length: MAX_EXPIRING_EVIDENCE }, (_, day) => dateIn(day)),
  );
});
