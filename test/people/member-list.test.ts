import { expect, test } from 'vitest';
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
