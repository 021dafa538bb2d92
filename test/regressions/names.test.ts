import { describe, expect, test } from 'vitest';
import { tamper } from '../support/database/database.ts';
import { importFile } from '../support/tenants/imports.ts';
import { createCompany, operator } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const VENDORS = '/external/smart-inventory/vendor';
const acme = await createCompany();
const { caller: ann } = await createMember(acme);
const { uniqueId: taskUniqueId } = await acme.newTask();
const { uniqueId: vendor } = await acme.vendor.create({ name: 'Kept' });
const { manage, framework } = acme;
const key = acme.apiKey.uniqueId;
const byId = { source: 'erp', externalId: '1' };

/** Every input of a name or a title, with the field that its error names. */
const INPUTS: Record<string, [field: string, send: (name: string) => Promise<unknown>]> = {
  'a task': ['title', (title) => acme.task.create({ framework, title })],
  'a changed task': ['title', (title) => acme.task.update({ taskUniqueId, title })],
  'a task by external id': ['title', (title) => acme.task.putByExternalId({ framework, ...byId, title })],
  'a vendor': ['name', (name) => acme.vendor.create({ name })],
  'a changed vendor': ['name', (name) => acme.vendor.update({ vendor, name })],
  'a vendor by external id': ['name', (name) => acme.vendor.putByExternalId({ ...byId, name })],
  'a contact': ['contacts.0.name', (name) => acme.vendor.update({ vendor, contacts: [{ name }] })],
  evidence: ['name', (name) => ann.evidence.link({ vendor, name, url: 'https://wiki.example.com' })],
  'a framework': ['name', (name) => manage.framework.create({ name })],
  'a renamed framework': ['name', (name) => manage.framework.rename({ id: framework, name })],
  'a department': ['name', (name) => manage.department.create({ name })],
  'a gap': ['title', (title) => manage.gap.create({ framework, title })],
  'a renamed gap': ['title', (title) => manage.gap.rename({ id: acme.gap, title })],
  'a key': ['name', (name) => manage.apiKey.create({ name })],
  'a changed key': ['name', (name) => manage.apiKey.update({ uniqueId: key, name })],
  'a company': ['name', (name) => operator.company.create({ name })],
  'the settings of a company': ['name', (name) => manage.settings.update({ name })],
  'a person': ['name', (name) => ann.account.update({ name })],
  'a view': ['name', (name) => ann.view.create({ name, page: 'tasks', query: '' })],
};

describe.each(Object.entries(INPUTS))('the name of %s', (_, [field, send]) => {
  test.each([
    ['\u200B\u2060\u3164', 'expected a visible character'],
    ['One\nTwo', 'expected no line end and no control character'],
    ['One\u2028Two', 'expected no line end and no control character'],
    ['Bell\u0007', 'expected no line end and no control character'],
  ])('cannot be %j', async (name, message) => {
    await expect(send(name)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: `${field}: ${message}` });
  });
});

test('a row of an import cannot have a name that people cannot see', async () => {
  const rows = [
    { externalId: '1', name: '\u200B' },
    { externalId: '2', name: 'A\u2029B' },
    { externalId: '3', name: 'Seen' },
  ];
  expect(await importFile(acme, `${VENDORS}/import?source=names`, rows)).toMatchObject({
    created: 1,
    errors: [
      { row: 1, field: 'name', error: expect.stringContaining('name: expected a visible character') },
      { row: 2, field: 'name', error: expect.stringContaining('name: expected no line end and no control character') },
    ],
  });
});

test('an object with a name from before stays readable, and its other fields can be changed', async () => {
  const company = await createCompany();
  const task = await company.newTask();
  const { uniqueId } = await company.vendor.create({ name: 'x' });
  await tamper(
    `update task set title = E'A\\nB' where unique_id = '${task.uniqueId}'`,
    `update vendor set name = U&'\\200B' where unique_id = '${uniqueId}'`,
    `update company set name = U&'A\\2028B' where id = ${company.id}`,
  );
  expect(await company.task.update({ taskUniqueId: task.uniqueId, priority: 1 })).toMatchObject({ title: 'A\nB' });
  await company.vendor.update({ vendor: uniqueId, criticality: 1 });
  expect(await company.vendor.get({ vendor: uniqueId })).toMatchObject({ name: '\u200B', criticality: 1 });
  await expect(company.vendor.update({ vendor: uniqueId, name: '\u200B' })).rejects.toThrow(/^name: /);
  expect(await company.manage.company.close({ name: 'A\u2028B' })).toMatchObject({ id: company.id });
});
