import { expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { findResourceNames, namesInput } from '../../entities/audit/names.ts';
import { RESOURCE_TYPES, resourceOf } from '../../entities/audit/fields.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';

test('every event of a page has the current name of its resource, and a deleted one its last name', async () => {
  const acme = await createCompany();
  const bob = await createMember(acme, { name: 'Bob Berg' });
  const invitation = await bob.caller.management.member.invite({ email: 'eve@example.com', role: 'editor' });
  const task = await acme.newTask({ title: 'Before' });
  await acme.task.update({ taskUniqueId: task.uniqueId, title: 'After' });
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await acme.vendor.update({ vendor, name: 'Cloud Inc' });
  await acme.vendor.delete({ vendor });
  const { items } = await bob.caller.audit.page({ limit: 100 });
  const named = items.map(({ action, resource: { name, isDeleted } }) => [action, name, isDeleted]);
  expect(named.slice(0, 7)).toEqual([
    ['vendor.delete', 'Cloud Inc', true],
    ['vendor.update', 'Cloud Inc', true],
    ['vendor.create', 'Cloud Inc', true],
    ['task.update', 'After', false],
    ['task.create', 'After', false],
    ['invitation.create', 'eve@example.com', false],
    ['member.create', 'Bob Berg', false],
  ]);
  expect(named.slice(7).map(([, name]) => name)).toEqual([
    'Integration of Acme',
    'No access review',
    'Security',
    'ISO 27001',
    'Acme',
  ]);
  expect(items[5]?.resource.uniqueId).toBe(invitation.uniqueId);
});

test('an event of a comment has the name of the task or vendor that the comment is on, also of a deleted one', async () => {
  const acme = await createCompany();
  const { uniqueId: taskUniqueId } = await acme.newTask({ title: 'Review' });
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const { comment } = await callerForKey(acme.key);
  await comment.create({ taskUniqueId, text: 'Done.' });
  await comment.create({ vendor, text: 'Signed.' });
  await acme.vendor.delete({ vendor });
  const { items } = await acme.audit.page({ resourceType: 'comment' });
  expect(items.map(({ action, resource, parent }) => [action, resource.name, parent])).toEqual([
    ['comment.delete', null, { type: 'vendor', uniqueId: vendor, name: 'Cloud Ltd', isDeleted: true }],
    ['comment.create', null, { type: 'vendor', uniqueId: vendor, name: 'Cloud Ltd', isDeleted: true }],
    ['comment.create', null, { type: 'task', uniqueId: taskUniqueId, name: 'Review', isDeleted: false }],
  ]);
});

test('a page has the filters, the positions and, apart from the names, the events of the list', async () => {
  const acme = await createCompany();
  for (const name of ['A', 'B', 'C']) await acme.vendor.create({ name });
  const filters = { action: 'vendor.create', limit: 2 } as const;
  const pages = await Array.fromAsync(readPages((position) => acme.audit.page({ ...filters, ...position })));
  const events = pages.flatMap(({ items }) => items);
  const withoutNames = events.map(({ resource: { name: _name, isDeleted: _isDeleted, ...resource }, ...event }) => ({
    ...event,
    resource,
  }));
  expect(pages).toHaveLength(2);
  expect(events.map(({ resource }) => resource.name)).toEqual(['C', 'B', 'A']);
  expect(withoutNames).toEqual((await acme.audit.list({ action: 'vendor.create' })).items);
  const { nextCursor } = await acme.audit.page(filters);
  await expect(acme.audit.list({ ...filters, cursor: String(nextCursor) })).rejects.toThrow('cursor');
});

test('a key limited to a framework gets no name of a resource of another, also of a deleted one', async () => {
  const acme = await createCompany();
  const other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
  const own = await acme.newTask({ title: 'Own' });
  const foreign = await acme.newTask({ framework: other, title: 'Foreign' });
  const deleted = await acme.newTask({ framework: other, title: 'Deleted' });
  await acme.task.delete({ taskUniqueId: deleted.uniqueId });
  const limited = callerWithPermissions(acme, { frameworks: [acme.framework] });
  const { items } = await limited.audit.page({ resourceType: 'task' });
  expect(items.map(({ resource }) => resource.name)).toEqual(['Own']);
  const ids = [own, foreign, deleted].map(({ uniqueId }) => uniqueId);
  const input = namesInput(ids.map((uniqueId) => ({ type: 'task', uniqueId })));
  if (input === undefined) throw new Error('expected tasks to have names');
  const principal = operatorPrincipal(acme.id);
  const namesFor = async (frameworks: number[] | null) =>
    (await new Session(database, { ...principal, frameworks }, 'test').run(findResourceNames, input)).map(
      ({ name }) => name,
    );
  expect(await namesFor(null)).toEqual(['Own', 'Foreign', 'Deleted']);
  expect(await namesFor([acme.framework])).toEqual(['Own', null, null]);
  const { id: rival } = await createCompany('Rival');
  const ofRival = await new Session(database, operatorPrincipal(rival), 'test').run(findResourceNames, input);
  expect(ofRival.map(({ name }) => name)).toEqual([null, null, null]);
});

test('events of a newer version are listed, with the name of a resource that this one knows', async () => {
  const acme = await createCompany();
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await asOwner(async (run) => {
    for (const [action, type, resource] of [
      ['later.create', 'later', 'any id'],
      ['vendor.freeze', 'vendor', vendor],
    ])
      await run(
        `insert into audit_event
           (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
         values ($1, uuid_v7(), now(), $2, $3, $4, $5, 0, '{"text":"Done"}', 'later')`,
        acme.id,
        acme.apiKey.user.uniqueId,
        action,
        type,
        resource,
      );
  });
  const { items } = await acme.audit.page({ limit: 2 });
  expect(items.map(({ action, changes, resource }) => [action, changes, resource.name])).toEqual([
    ['vendor.freeze', undefined, 'Cloud Ltd'],
    ['later.create', undefined, null],
  ]);
});

test('a name is text of a column that exists, and audited if a deleted resource can have it', async () => {
  for (const type of RESOURCE_TYPES) {
    const { name, table, auditedColumns } = resourceOf(type);
    if (name === null) continue;
    const [column] = await sql<{ data_type: string }>(
      `select data_type from information_schema.columns where table_name = $1 and column_name = $2`,
      name.table,
      name.column,
    );
    expect([type, column?.data_type]).toEqual([type, 'character varying']);
    // Events have no emails, so a deleted invitation has no name.
    if (name.table === table && type !== 'invitation') expect(Object.values(auditedColumns)).toContain(name.column);
  }
});
