import { describe, expect, test } from 'vitest';
import { createCompany, operator } from '../support/tenants/company.ts';
import { sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

test('the operator creates companies and lists all of them', async () => {
  const created = await operator.company.create({ name: '  Umbrella  ' });
  expect(created).toEqual({
    id: expect.any(Number),
    name: 'Umbrella',
    leakedKeys: 'disable',
    createdAt: expect.stringMatching(/^20.*Z$/),
    closedAt: null,
    movedTo: null,
    frozenAt: null,
  });
  expect(await operator.company.list()).toContainEqual(created);
});

const FURTHER = { framework: { owner: null, auditDate: null }, department: {} };

describe.for(['framework', 'department'] as const)('a %s', (kind) => {
  test('is created, listed, renamed and archived', async () => {
    const { manage } = await createCompany();
    const created = await manage[kind].create({ name: 'New' });
    expect(created).toEqual({ id: expect.any(Number), name: 'New', archivedAt: null, ...FURTHER[kind] });
    expect(await manage[kind].rename({ id: created.id, name: 'Newer' })).toEqual({ ...created, name: 'Newer' });
    const archived = await manage[kind].archive({ id: created.id });
    expect(archived).toEqual({ ...created, name: 'Newer', archivedAt: expect.stringMatching(/^20.*Z$/) });
    expect(await manage[kind].archive({ id: created.id })).toEqual(archived);
    expect((await manage[kind].list()).at(-1)).toEqual(archived);
  });
});

test('a gap belongs to an unarchived framework of the company', async () => {
  const acme = await createCompany();
  expect(await acme.manage.gap.list()).toEqual([
    {
      id: acme.gap,
      framework: acme.framework,
      title: 'No access review',
      archivedAt: null,
      requirement: null,
      status: 'open',
      owner: null,
      dueDate: null,
    },
  ]);
  expect(await acme.manage.gap.rename({ id: acme.gap, title: 'Late review' })).toMatchObject({ title: 'Late review' });
  await acme.manage.framework.archive({ id: acme.framework });
  const lateGap = acme.manage.gap.create({ framework: acme.framework, title: 'x' });
  await expect(lateGap).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
});

describe('an API key', () => {
  test('is shown once, and has an integration user with the same name', async () => {
    const { manage } = await createCompany();
    const { key, ...record } = await manage.apiKey.create({ name: 'Sync' });
    expect(record).toMatchObject({ name: 'Sync', enabled: true, expiresAt: null, revokedAt: null, leakedAt: null });
    expect(record.user).toEqual({ uniqueId: expect.any(String), name: 'Sync', kind: 'integration' });
    expect(key.startsWith(record.start) && key.endsWith(record.last4)).toBe(true);
    expect(await manage.apiKey.get({ uniqueId: record.uniqueId })).toEqual(record);
    expect(await manage.apiKey.list()).toContainEqual(record);
    expect(JSON.stringify(await manage.apiKey.list())).not.toContain(key);
  });

  test('has a user that no other key can have', async () => {
    const acme = await createCompany();
    const other = await acme.manage.apiKey.create({ name: 'Integration of Acme' });
    expect(other.user.uniqueId).not.toBe(acme.apiKey.user.uniqueId);
    const update = sql(
      `with me as materialized (select set_config('app.company', $1::int::text, true), set_config('app.user', $2::uuid::text, true))
       update api_key set user_id = $2 from me where company_id = $1 and unique_id = $3`,
      acme.id,
      acme.apiKey.user.uniqueId,
      other.uniqueId,
    );
    await expect(update).rejects.toThrow('api_key_user_unique');
  });

  test('is renamed together with its user, also in metadata of earlier changes', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const renamed = await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, name: 'Renamed' });
    expect(renamed).toMatchObject({ name: 'Renamed', user: { name: 'Renamed' } });
    expect((await acme.vendor.get({ vendor: uniqueId })).createdBy).toEqual(renamed.user);
  });

  test('accepts an expiry with an offset, and null clears it', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const update = (expiresAt: string | null) => acme.manage.apiKey.update({ uniqueId, expiresAt });
    expect(await update('2999-01-01T02:00:00+02:00')).toMatchObject({ expiresAt: '2999-01-01T00:00:00.000Z' });
    expect(await update(null)).toMatchObject({ expiresAt: null });
  });

  test('stays revoked and cannot be changed after it is revoked', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const revoked = await acme.manage.apiKey.revoke({ uniqueId });
    expect(revoked.revokedAt).toMatch(/^20.*Z$/);
    expect(await acme.manage.apiKey.revoke({ uniqueId })).toEqual(revoked);
    const change = acme.manage.apiKey.update({ uniqueId, enabled: true });
    await expect(change).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test.for(['nothing', '0199aaaa-0000-7000-8000-000000000000'])('named %s is not found', async (uniqueId) => {
    const { get, usage, update, rotate, revoke } = (await createCompany()).manage.apiKey;
    for (const call of [get, usage, update, rotate, revoke])
      await expect(call({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('no management procedure is available below /external', async () => {
  const { key } = await createCompany();
  for (const path of ['management', 'company', 'api-key', 'management/framework', 'trpc']) {
    expect(await http('GET', `/external/${path}/list`, { key })).toMatchObject({ status: 404 });
    expect(await http('POST', `/external/${path}/new`, { key, body: { name: 'X' } })).toMatchObject({ status: 404 });
  }
});
