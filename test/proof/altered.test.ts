import { expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { http } from '../support/http/server.ts';
import { downloadProof, makeProof } from '../support/proof/make.ts';
import { findAlterations, placeOf, verifyBytes } from '../support/proof/run.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

test('a proof of the service is altered in no way that a verifier does not find', async () => {
  const acme = await createCompany();
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: [...SCOPES] });
  const { key } = acme;
  const byKey = await callerForKey(key);
  const ann = await createMember(acme, { name: 'Ann' });
  const bob = await createMember(acme, { name: 'Bob', role: 'editor' });
  const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
  const task = { framework: acme.framework, title: '=1+1, quarterly', labels: ['a, b'], gaps: [acme.gap] };
  const { uniqueId: first } = await byKey.task.create({ ...task, departmentId: acme.department });
  await ann.caller.task.update({ taskUniqueId: first, assigneeId: bob.uniqueId, status: 'in_progress' });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud "Inc"', description: 'Line\nline' });
  await ann.caller.comment.create({ taskUniqueId: first, text: 'Please, Bob.', mentions: [bob.uniqueId] });
  const file = { key, headers: { 'Content-Type': 'text/plain' }, body: 'Access review.\n' };
  await http('POST', `/external/task/${first}/evidence/new?name=Review.txt`, file);
  await ann.caller.evidence.link({ vendor, url: 'https://example.com/', name: 'Certificate' });
  await bob.caller.account.update({ name: 'Bob Ray' });
  await byKey.vendor.update({ vendor, status: 'inactive' });
  const { uniqueId: second } = await bob.caller.task.create({ framework: other, title: 'Ärger 🦆' });
  const { uniqueId: third } = await ann.caller.task.create({ framework: other, title: 'Temporary' });
  await ann.caller.task.delete({ taskUniqueId: third });
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, name: 'Sync 2' });
  await acme.manage.member.end({ uniqueId: bob.uniqueId });
  await ann.caller.task.update({ taskUniqueId: second, title: 'Later' });
  await byKey.vendor.create({ name: 'Second' });
  await ann.caller.task.update({ taskUniqueId: first, status: 'done' });
  const facts = {
    website: 'https://payroll.example/',
    criticality: 1,
    labels: ['finance'],
    dataCategories: ['salaries'],
  };
  const contract = { contractStart: '2026-01-01', contractEnd: '2027-12-31', reviewEveryMonths: 12 };
  const contacts = [{ name: 'Ada', email: 'ada@payroll.example' }];
  const payroll = await ann.caller.vendor.create({ name: 'Payroll', ...facts, ...contract, contacts });
  await ann.caller.vendor.update({ vendor: payroll.uniqueId, ownerId: ann.uniqueId });
  await byKey.vendor.review({ vendor: payroll.uniqueId, note: 'SOC 2 report is current.' });
  const { uniqueId: former } = await ann.caller.vendor.create({ name: 'Former' });
  const recurrence = { dueDate: '2026-10-15', recurrence: 'FREQ=MONTHLY;COUNT=3', vendors: [payroll.uniqueId, former] };
  const { uniqueId: backups } = await byKey.task.create({ framework: other, title: 'Check backups', ...recurrence });
  await ann.caller.vendor.delete({ vendor: former });
  await ann.caller.task.update({ taskUniqueId: backups, status: 'done' });
  const policies = { framework: acme.framework, ref: '=A.5', title: 'Policies; -1', assessable: false };
  const { uniqueId: heading } = await byKey.requirement.create(policies);
  const policy = { ref: 'A.5.1', title: 'Policy', parent: heading, ownerId: ann.uniqueId };
  const { uniqueId: requirement } = await ann.caller.requirement.create({ framework: acme.framework, ...policy });
  await ann.caller.requirement.assess({ requirement, result: 'partly_met', note: 'Approval is missing.' });
  await ann.caller.comment.create({ requirement, text: 'Who approves it?' });
  await ann.caller.task.update({ taskUniqueId: first, requirements: [requirement] });
  const { body } = await http('POST', '/external/proof/new', { key, body: {} });
  const { uniqueId: proof } = Object(body) as { uniqueId: string };
  await makeProof(acme.id);
  const zip = await downloadProof(key, proof);
  expect(await verifyBytes(zip)).toMatchObject({ missing: [] });
  const findings = await findAlterations(zip);
  expect(findings.length).toBeGreaterThanOrEqual(40);
  const unnoticed = findings.filter(
    ({ expects, line, pythonLine }) => !expects.test(line) || placeOf(pythonLine) !== placeOf(line),
  );
  expect(unnoticed).toEqual([]);
});
