import { describe, expect, test } from 'vitest';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const FRAMEWORKS = '/external/framework/list';
const DEPARTMENTS = '/external/department/list';
const gapsOf = (framework: number | string) => `/external/framework/${framework}/gap/list`;

const acme = await createCompany();
const soc2 = (await acme.manage.framework.create({ name: 'SOC 2' })).id;

const get = async (path: string, key = acme.key) => {
  const { status, body } = await http('GET', path, { key });
  return { status, body };
};

test('frameworks and departments are bare arrays of exactly their fields, by id, with archived ones', async () => {
  const legal = await acme.manage.department.create({ name: 'A legal department' });
  const old = await acme.manage.framework.create({ name: 'A framework' });
  await acme.manage.department.archive({ id: legal.id });
  await acme.manage.framework.archive({ id: old.id });
  await acme.manage.framework.rename({ id: soc2, name: 'SOC 2 Type II' });
  expect(await get(FRAMEWORKS)).toEqual({
    status: 200,
    body: [
      { id: acme.framework, name: 'ISO 27001', archived: false, owner: null, auditDate: null },
      { id: soc2, name: 'SOC 2 Type II', archived: false, owner: null, auditDate: null },
      { id: old.id, name: 'A framework', archived: true, owner: null, auditDate: null },
    ],
  });
  expect(await get(DEPARTMENTS)).toEqual({
    status: 200,
    body: [
      { id: acme.department, name: 'Security', archived: false },
      { id: legal.id, name: 'A legal department', archived: true },
    ],
  });
});

describe('the gaps of a framework', () => {
  test('are a bare array by id, with archived ones, also of an archived framework', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'NIS 2' });
    expect(await get(gapsOf(framework))).toEqual({ status: 200, body: [] });
    const second = await acme.manage.gap.create({ framework, title: 'Z' });
    const third = await acme.manage.gap.create({ framework, title: 'A' });
    await acme.manage.gap.archive({ id: second.id });
    await acme.manage.framework.archive({ id: framework });
    const open = { requirement: null, status: 'open', owner: null, dueDate: null };
    const body = [
      { id: second.id, title: 'Z', archived: true, ...open },
      { id: third.id, title: 'A', archived: false, ...open },
    ];
    expect(await get(gapsOf(framework))).toEqual({ status: 200, body });
    expect(await get(`${gapsOf(framework)}/`)).toEqual({ status: 200, body });
    expect(await get(gapsOf(acme.framework))).toMatchObject({ body: [{ id: acme.gap, title: 'No access review' }] });
  });
});

describe('an API key limited to a framework', () => {
  test('sees only this framework, its gaps, and all departments', async () => {
    const { key } = await acme.manage.apiKey.create({ name: 'Narrow', frameworks: [soc2] });
    expect(await get(FRAMEWORKS, key)).toMatchObject({ status: 200, body: [{ id: soc2 }] });
    expect(await get(gapsOf(soc2), key)).toEqual({ status: 200, body: [] });
    expect(await get(DEPARTMENTS, key)).toEqual(await get(DEPARTMENTS));
    for (const framework of [acme.framework, 2_147_483_647]) {
      const body = { error: `framework: the key may not access framework ${framework}` };
      expect(await get(gapsOf(framework), key)).toEqual({ status: 403, body });
    }
    const caller = await callerForKey(key);
    expect(await caller.framework.list()).toMatchObject([{ id: soc2 }]);
    await expect(caller.gap.list({ framework: acme.framework })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
