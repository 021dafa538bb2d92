import { MikroORM, defineEntity, p } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ormOptions } from '../../database/orm/options.ts';
import { Session } from '../../database/session.ts';
import { field } from '../../entities/fields/kind.ts';
import { belongsTo } from '../../entities/fields/references.ts';
import { text as textField } from '../../entities/fields/text.ts';
import { person, reference, references as referenceList } from '../../entities/fields/references.ts';
import { integer } from '../../entities/fields/values.ts';
import { entities } from '../../entities/index.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal, operatorPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { deletionTrigger, resourceTriggers } from '../../entities/schema/access.ts';
import { defineResource } from '../../entities/schema/resource.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../../entities/schema/tenancy.ts';
import { resourceStatements } from '../../entities/statements/resource.ts';
import { Department } from '../../entities/reference-data/reference-data.ts';
import { Task, taskResource } from '../../entities/task/task.ts';
import { Vendor, vendorResource } from '../../entities/vendor/vendor.ts';
import { createResource, listChildren, resourceActions } from '../../procedures/core/resource.ts';
import { actions as tasks } from '../../procedures/task/write.ts';
import { actions as vendors } from '../../procedures/vendor/write.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const ID = 'One that is not archived';

// A resource that belongs to a task or to a vendor, changed only by its author, with a verb of its own, and with references.
const remarkResource = defineResource({
  type: 'remark',
  name: null,
  access: { of: { task: taskResource, vendor: vendorResource }, byAuthor: true },
  created: {
    task: belongsTo(Task, 'task').nullable(),
    vendor: belongsTo(Vendor, 'vendor').nullable(),
  },
  fields: {
    text: textField(100, { description: 'Text', example: 'Done' }),
    rating: integer({ min: 1, max: 5, description: 'Rating' }).default(3),
    readAt: field({ property: p.datetime(3), input: z.date(), output: z.date(), personal: 'activity' }).nullable(),
    owner: person('owner', { description: 'Owner', id: 'An active member' }),
    department: reference(Department, 'department', { description: 'Department', id: ID }),
    areas: referenceList('framework', 10, { description: 'Frameworks', id: ID }),
  },
  names: { department: 'departmentId' },
  people: { owner: 'ownerId' },
  verbs: { readAt: 'read' },
});

const remarkSchema = defineEntity({
  name: 'Remark',
  properties: { ...companyKeyWithoutForeignKey, ...remarkResource.properties },
  ...tenantIsolation(),
  checks: remarkResource.checks,
  triggers: resourceTriggers(remarkResource),
});
const statements = resourceStatements(remarkResource);
const remarks = resourceActions(statements);

let acme: TestCompany;
let otherFramework: number;

beforeAll(async () => {
  const orm = await MikroORM.init({
    ...ormOptions,
    entities: [...entities, remarkSchema],
    clientUrl: 'postgresql://127.0.0.1:1/none', // never connected
  });
  const schema = await orm.schema.getCreateSchemaSQL({ wrap: false });
  await orm.close();
  const ofRemarks = schema.split(/;\n/).filter((statement) => /\bremark(_\w+)?\b/.test(statement));
  const ofParents = [taskResource, vendorResource].map((parent) => {
    const { name = '', expression = '' } = deletionTrigger(parent, [remarkResource]) ?? {};
    return expression.replace(name, `${name}_of_test`);
  });
  await asOwner(async (run) => {
    for (const statement of [...ofRemarks, ...ofParents]) await run(statement);
    await run('grant select, insert, update, delete on remark to public');
  });
  acme = await createCompany();
  otherFramework = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
});
// Other tests of this worker check every table of the database.
afterAll(async () => {
  for (const table of ['task', 'vendor']) await sql(`drop trigger ${table}_delete_children_of_test on ${table}`);
  await sql('drop table remark');
});

const sessionOf = (principal: Principal) => new Session(database, principal, 'access-test');
const member = (role: Principal['role'], limits: Partial<Principal> = {}) =>
  sessionOf({
    ...memberPrincipal({ company: acme.id, ...acme.apiKey.user, role: role ?? 'editor', frameworks: null }),
    ...limits,
  });

/** Sessions of the author, and of a key of the same user that is limited to another framework or to scopes. */
const author = () => member('editor');
const limited = () => member('editor', { frameworks: [otherFramework] });
const withScopes = (...scopes: Principal['scopes']) => member('editor', { scopes });
/** Another user, who may do everything but change what others wrote. */
const admin = async () => {
  const { user } = await acme.manage.apiKey.create({ name: 'Other' });
  return member('admin', { user });
};

interface References {
  ownerId?: string | null;
  departmentId?: number | null;
  areas?: number[];
}
const newRemark = (
  session: Session,
  parent: { task: string | null; vendor: string | null },
  text = 'Checked',
  references: References = {},
) => {
  const fields = { uniqueId: newUniqueId(), text, rating: 3, readAt: null, ...NO_REFERENCES, ...references };
  return createResource(session, statements, { ...fields, ...parent }, () =>
    parent.task === null ? vendors.read(session, parent.vendor ?? '') : tasks.read(session, parent.task),
  );
};
const NO_REFERENCES = { ownerId: null, departmentId: null, areas: [] };
const ofTask = async () => ({ task: (await acme.newTask()).uniqueId, vendor: null });
const ofVendor = async () => ({ task: null, vendor: (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId });

const change = (session: Session, uniqueId: string, changes: { text?: string; readAt?: Date } & References) =>
  remarks.update(
    session,
    { ...remarkResource.changeParameters(changes), uniqueId, ifMatch: null },
    changes,
    remarkResource.applyChanges,
  );

const forbidden = (error: string) => ({ code: 'forbidden', message: error });

describe('a remark of a task', () => {
  test('has the framework of the task, in its row and in its events', async () => {
    const { uniqueId } = await newRemark(author(), await ofTask());
    const row = { framework_id: acme.framework };
    expect(await sql('select framework_id from remark where unique_id = $1', uniqueId)).toEqual([row]);
    await change(author(), uniqueId, { text: 'Read' });
    await remarks.remove(author(), uniqueId, null);
    const events = await sql(
      'select action, framework_id from audit_event where resource_id = $1 order by id',
      uniqueId,
    );
    expect(events).toEqual(
      ['create', 'update', 'delete'].map((verb) => Object.assign({ action: `remark.${verb}` }, row)),
    );
    expect((await acme.events(uniqueId))[0]?.changes).not.toHaveProperty('framework_id');
  });

  test('cannot be created, read, changed or deleted by a key of another framework', async () => {
    const parent = await ofTask();
    const { uniqueId } = await newRemark(author(), parent);
    const before = await remarks.read(author(), uniqueId);
    const error = forbidden(`framework: you may not access framework ${acme.framework}`);
    await expect(newRemark(limited(), parent)).rejects.toMatchObject(error);
    await expect(remarks.read(limited(), uniqueId)).rejects.toMatchObject(error);
    await expect(remarks.read(limited(), uniqueId, new Date().toISOString())).rejects.toMatchObject(error);
    await expect(change(limited(), uniqueId, { text: 'Changed' })).rejects.toMatchObject(error);
    await expect(change(limited(), uniqueId, {})).rejects.toMatchObject(error);
    await expect(remarks.remove(limited(), uniqueId, null)).rejects.toMatchObject(error);
    expect(await remarks.read(author(), uniqueId)).toEqual(before);
    expect(await acme.events(uniqueId)).toHaveLength(1);
  });

  test('needs the read scope of tasks to be read, and their write scope for everything else', async () => {
    const parent = await ofTask();
    const { uniqueId } = await newRemark(author(), parent);
    const reader = withScopes('task:read', 'vendor:write', 'task:delete');
    const error = forbidden('role: your role, editor, cannot create or change tasks');
    expect((await remarks.read(reader, uniqueId)).uniqueId).toBe(uniqueId);
    await expect(newRemark(reader, parent)).rejects.toMatchObject(error);
    await expect(change(reader, uniqueId, { text: 'Changed' })).rejects.toMatchObject(error);
    await expect(remarks.remove(reader, uniqueId, null)).rejects.toMatchObject(error);
    const writer = withScopes('task:write');
    await expect(remarks.read(writer, uniqueId)).rejects.toMatchObject(
      forbidden('role: your role, editor, cannot read tasks'),
    );
    expect(await change(writer, uniqueId, { text: 'Changed' })).toMatchObject({ text: 'Changed', version: 2 });
  });

  test('is changed only by its author, and deleted by the author, an admin or the operator', async () => {
    const parent = await ofTask();
    const other = await admin();
    const [first, second, third] = [
      await newRemark(author(), parent),
      await newRemark(author(), parent),
      await newRemark(author(), parent),
    ];
    const stranger = member('editor', { user: other.principal.user });
    await expect(change(other, first.uniqueId, { text: 'Changed' })).rejects.toMatchObject(
      forbidden('remark: only its author may change it'),
    );
    await expect(remarks.remove(stranger, first.uniqueId, null)).rejects.toMatchObject(
      forbidden('remark: only its author, an admin or the operator may delete it'),
    );
    expect(await remarks.read(stranger, first.uniqueId)).toMatchObject({ text: 'Checked', version: 1 });
    await remarks.remove(author(), first.uniqueId, null);
    await remarks.remove(other, second.uniqueId, null);
    await remarks.remove(sessionOf(operatorPrincipal(acme.id)), third.uniqueId, null);
  });

  test('needs a task that exists, in the own company', async () => {
    const rival = await createCompany('Rival');
    const { uniqueId: task } = await rival.newTask();
    for (const id of [task, 'x', newUniqueId()])
      await expect(newRemark(author(), { task: id, vendor: null })).rejects.toMatchObject({
        code: 'not_found',
        message: 'task: not found',
      });
  });

  test('is deleted with its task, and its event comes first', async () => {
    const parent = await ofTask();
    const { uniqueId } = await newRemark(author(), parent);
    await acme.task.delete({ taskUniqueId: parent.task });
    const deletions = await sql(
      `select action, user_id from audit_event where resource_id in ($1, $2) and action like '%.delete' order by id`,
      uniqueId,
      parent.task,
    );
    expect(deletions).toEqual([
      { action: 'remark.delete', user_id: acme.apiKey.user.uniqueId },
      { action: 'task.delete', user_id: acme.apiKey.user.uniqueId },
    ]);
  });

  test('is listed with its task, oldest first, in pages', async () => {
    const parent = await ofTask();
    const created = [];
    for (const text of ['C', 'A', 'B']) {
      const { uniqueId } = await newRemark(author(), parent, text);
      created.push(await remarks.read(author(), uniqueId));
    }
    const list = (session: Session, cursor?: string) =>
      listChildren(session, statements, ['task', parent.task], { limit: 2, cursor }, () =>
        tasks.read(session, parent.task),
      );
    const first = await list(author());
    const second = await list(author(), first.nextCursor ?? '');
    expect([...first.items, ...second.items]).toEqual(created);
    expect(second.nextCursor).toBeNull();
    await expect(list(limited())).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('never moves to another task or framework', async () => {
    const { uniqueId } = await newRemark(author(), await ofTask());
    for (const assignment of [`framework_id = ${otherFramework}`, `task_id = null`, 'vendor_id = null'])
      await expect(sql(`update remark set ${assignment} where unique_id = $1`, uniqueId)).rejects.toThrow('forbidden');
  });
});

test('a remark of a vendor belongs to no framework, so a key of another framework may use it', async () => {
  const { uniqueId } = await newRemark(limited(), await ofVendor());
  expect(await change(limited(), uniqueId, { text: 'Changed' })).toMatchObject({ text: 'Changed', version: 2 });
  const reader = withScopes('vendor:read', 'task:write');
  await expect(change(reader, uniqueId, { text: 'Again' })).rejects.toMatchObject(
    forbidden('role: your role, editor, cannot create or change vendors'),
  );
  await remarks.remove(limited(), uniqueId, null);
  expect(await sql('select distinct framework_id from audit_event where resource_id = $1', uniqueId)).toEqual([
    { framework_id: 0 },
  ]);
});

test('a remark has exactly one parent', async () => {
  const { task } = await ofTask();
  const { vendor } = await ofVendor();
  for (const parents of [
    [task, vendor],
    [null, null],
  ]) {
    const insert = asOwner(
      (run) =>
        run(
          `insert into remark (company_id, unique_id, task_id, vendor_id, text, created_by_id, updated_by_id)
           values ($1, $2, $3, $4, 'x', $5, $5)`,
          acme.id,
          newUniqueId(),
          ...parents,
          acme.apiKey.user.uniqueId,
        ),
      { company: acme.id, user: acme.apiKey.user.uniqueId },
    );
    await expect(insert).rejects.toThrow('remark_one_parent');
  }
});

test('a verb of its own keeps the values and counts as a version at earlier times', async () => {
  const { uniqueId } = await newRemark(author(), await ofTask());
  await change(author(), uniqueId, { text: 'Changed' });
  const read = await change(author(), uniqueId, { readAt: new Date('2026-11-21T12:00:00.000Z') });
  const asOf = new Date().toISOString();
  expect((await acme.events(uniqueId)).map(({ action }) => action)).toEqual([
    'remark.create',
    'remark.update',
    'remark.read',
  ]);
  const past = await remarks.read(author(), uniqueId, asOf);
  expect(past).toEqual(await remarks.read(author(), uniqueId));
  expect(past).toMatchObject({ text: 'Changed', version: 3, readAt: read.readAt });
});

test('the event of a row without the framework that its type has cannot be written', async () => {
  const { task } = await ofTask();
  await asOwner(
    async (run) => {
      await run('alter table remark alter column framework_id drop not null');
      await run('alter table remark disable trigger remark_inherit_framework');
      const insert = run(
        `insert into remark (company_id, unique_id, task_id, text, created_by_id, updated_by_id)
       values ($1, $2, $3, 'x', $4, $4)`,
        acme.id,
        newUniqueId(),
        task,
        acme.apiKey.user.uniqueId,
      );
      await expect(insert).rejects.toThrow('INSERT on remark: the row has no framework');
      throw new Error('rolled back');
    },
    { company: acme.id, user: acme.apiKey.user.uniqueId },
  ).catch(({ message }: Error) => expect(message).toBe('rolled back'));
});

describe('a reference that cannot be used is an error with the name of its field', () => {
  const unknown = newUniqueId();
  const OWNER = 'ownerId: expected an active member who may see the framework';
  const DEPARTMENT = 'departmentId: no such department, or it is archived';
  const AREAS = 'areas: expected frameworks that are not archived; cannot be used';

  test.for<[string, References, string]>([
    ['an unknown member', { ownerId: unknown }, OWNER],
    ['an unknown department', { departmentId: 99_999 }, DEPARTMENT],
    ['unknown frameworks', { areas: [99_998, 99_999] }, `${AREAS}: 99998, 99999`],
  ])('%s', async ([, references, error]) => {
    const rejected = { code: 'unprocessable', message: error };
    for (const parent of [await ofTask(), await ofVendor()]) {
      await expect(newRemark(author(), parent, 'x', references)).rejects.toMatchObject(rejected);
      const { uniqueId } = await newRemark(author(), parent);
      await expect(change(author(), uniqueId, references)).rejects.toMatchObject(rejected);
      expect(await remarks.read(author(), uniqueId)).toMatchObject({ version: 1, ...NO_REFERENCES });
    }
  });

  test('a member who may not see the framework', async () => {
    const { uniqueId: ownerId } = await createMember(acme, { role: 'editor', frameworks: [otherFramework] });
    const rejected = { code: 'unprocessable', message: OWNER };
    await expect(newRemark(author(), await ofTask(), 'x', { ownerId })).rejects.toMatchObject(rejected);
    expect(await newRemark(author(), await ofVendor(), 'x', { ownerId })).toMatchObject({
      owner: { uniqueId: ownerId },
    });
  });

  test('but stays where it is once it was given', async () => {
    const { uniqueId: ownerId } = await createMember(acme, { role: 'editor' });
    const { id: departmentId } = await acme.manage.department.create({ name: 'Audit' });
    const { id: area } = await acme.manage.framework.create({ name: 'Old' });
    const references = { ownerId, departmentId, areas: [area] };
    const { uniqueId } = await newRemark(author(), await ofTask(), 'x', references);
    await acme.manage.member.end({ uniqueId: ownerId });
    await acme.manage.department.archive({ id: departmentId });
    await acme.manage.framework.archive({ id: area });
    expect(await change(author(), uniqueId, { ...references, text: 'y' })).toMatchObject({ text: 'y', version: 2 });
    const more = change(author(), uniqueId, { areas: [area, otherFramework] });
    expect(await more).toMatchObject({ areas: [area, otherFramework] });
    await change(author(), uniqueId, { ownerId: null });
    await expect(change(author(), uniqueId, { ownerId })).rejects.toMatchObject({ message: OWNER });
  });
});
