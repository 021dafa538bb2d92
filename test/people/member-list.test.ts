import { expect, test } from 'vitest';
import { ROLES } from '../../entities/member/role.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const PATH = '/external/member/list';

test('the members of the company are listed by uniqueId, with those who have ended, for keys and every role', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { name: 'Ann' });
  const bob = await createMember(acme, { name: 'Bob', role: 'editor', frameworks: [acme.framework] });
  const eve = await createMember(acme, { name: 'Eve', role: 'auditor' });
  await ann.caller.management.member.end({ uniqueId: eve.uniqueId });
  await createMember(await createCompany('Rival'), { name: 'Mallory' });
  const row = ({ uniqueId, email }: typeof ann) => ({ uniqueId, email, frameworks: null, ended: false });
  const expected = [
    { ...row(ann), name: 'Ann', role: 'admin' },
    { ...row(bob), name: 'Bob', role: 'editor', frameworks: [acme.framework] },
    { ...row(eve), name: 'Eve', role: 'auditor', ended: true },
  ];
  const { key } = await acme.manage.apiKey.create({
    name: 'Directory',
    scopes: ['member:read'],
    frameworks: [acme.framework],
  });
  const response = await http('GET', PATH, { key });
  expect(response).toMatchObject({ status: 200, body: expected });
  expect(response.body).toEqual(expected);
  expect(await (await callerForKey(key)).member.list()).toEqual(expected);
  for (const { caller } of [ann, bob]) expect(await caller.member.list()).toEqual(expected);
});

test('a key needs member:read, which no key has by default', async () => {
  const acme = await createCompany();
  expect(await http('GET', PATH, { key: acme.key })).toMatchObject({
    status: 403,
    body: { error: 'scope: the key lacks member:read' },
  });
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: ['member:read'] });
  expect(await http('GET', PATH, { key: acme.key })).toMatchObject({ status: 200, body: [] });
  expect(await http('GET', `${PATH}?limit=1`, { key: acme.key })).toMatchObject({ status: 400 });
});

test.each(ROLES)('a member with the role %s lists the members', async (role) => {
  const acme = await createCompany();
  const { caller, uniqueId } = await createMember(acme, { role });
  expect(await caller.member.list()).toMatchObject([{ uniqueId, role }]);
});
