import { setTimeout as wait } from 'node:timers/promises';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  oneof,
  record,
  subarray,
  uniqueArray,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { TASK_STATUSES, taskResource } from '../../entities/task/task.ts';
import { VENDOR_STATUSES, vendorResource } from '../../entities/vendor/vendor.ts';
import { sql } from '../support/database/database.ts';
import { callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';
const nowIso = () => new Date().toISOString();

/** Returns a timestamp later than all earlier changes and earlier than all later changes. */
async function timestampBetween(): Promise<string> {
  await wait(2);
  const timestamp = nowIso();
  await wait(2);
  return timestamp;
}

/** How a kind of resource is used, in terms of its ids. */
interface Resource<Change> {
  name: string;
  create: () => Promise<{ uniqueId: string }>;
  get: (id: string, asOf?: string) => Promise<object>;
  change: (id: string, change: Change) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
  /** Values that a past state does not have. */
  notPast: object;
}

/** Makes any changes of new resources, and reads every state of them again. */
async function expectEveryState<Change>(changes: Arbitrary<Change>, resource: Resource<Change>): Promise<void> {
  const { name, create, get, change, remove, notPast } = resource;
  const history = async (steps: Change[], isDeleted: boolean) => {
    const before = await timestampBetween();
    const { uniqueId } = await create();
    const states: [string, object][] = [];
    const recordState = async () => states.push([await timestampBetween(), await get(uniqueId)]);
    await recordState();
    for (const step of steps) {
      await change(uniqueId, step).catch(() => {}); // an invalid update, and the review of an archived vendor, change nothing
      await recordState();
    }
    if (isDeleted) await remove(uniqueId);
    await expect(get(uniqueId, before)).rejects.toThrow(`${name}: not found`);
    for (const [asOf, state] of states) expect(await get(uniqueId, asOf)).toEqual({ ...state, ...notPast });
    if (isDeleted) await expect(get(uniqueId, nowIso())).rejects.toThrow(`${name}: not found`);
  };
  await assert(asyncProperty(array(changes, { maxLength: 6 }), boolean(), history), { numRuns: 25 });
}

const newVendors = async ({ vendor }: TestCompany) =>
  (await Promise.all(['First', 'Second'].map((name) => vendor.create({ name })))).map(({ uniqueId }) => uniqueId);

const textArbitrary = constantFrom('', 'a', 'Ünïcode “quoted”', '<b>bold</b>', '{"json": null}', 'back\\slash');
const titleArbitrary = textArbitrary.filter((title) => title !== '');
const dayArbitrary = constantFrom(null, '2026-01-05', '2026-02-27', '1900-01-01', '2999-12-31');

describe('asOf returns the state at any earlier time of', () => {
  test('tasks', async () => {
    const acme = await createCompany();
    const change = record(
      {
        title: titleArbitrary,
        description: textArbitrary,
        priority: integer({ min: 1, max: 4 }),
        labels: uniqueArray(titleArbitrary, { maxLength: 3 }),
        startDate: dayArbitrary,
        dueDate: dayArbitrary,
        departmentId: constantFrom(null, acme.department),
        gaps: subarray([acme.gap]),
        vendors: subarray(await newVendors(acme)),
        recurrence: constantFrom(null, 'FREQ=YEARLY', 'FREQ=MONTHLY;COUNT=3'),
        status: constantFrom(...TASK_STATUSES),
      },
      { requiredKeys: [] },
    );
    await expectEveryState(change, {
      name: 'task',
      create: acme.newTask,
      get: (taskUniqueId, asOf) => acme.task.get({ taskUniqueId, asOf }),
      change: (taskUniqueId, fields) => acme.task.update({ ...fields, taskUniqueId }),
      remove: (taskUniqueId) => acme.task.delete({ taskUniqueId }),
      notPast: { evidenceCount: null, next: null, closedAt: null, closedBy: null },
    });
  });

  test('vendors', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const change = record(
      {
        name: titleArbitrary,
        description: textArbitrary,
        status: constantFrom(...VENDOR_STATUSES),
        website: constantFrom(null, 'https://cloud.example/?a=1'),
        criticality: constantFrom(null, 1, 4),
        ownerId: constantFrom(null, ann.uniqueId),
        labels: uniqueArray(titleArbitrary, { maxLength: 3 }),
        dataCategories: uniqueArray(titleArbitrary, { maxLength: 3 }),
        contractStart: dayArbitrary,
        contractEnd: dayArbitrary,
        reviewEveryMonths: constantFrom(null, 1, 60),
        nextReview: dayArbitrary,
        contacts: array(record({ name: titleArbitrary, role: constantFrom(null, 'Owner') }), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    const step = oneof({ arbitrary: change, weight: 3 }, record({ note: textArbitrary }));
    await expectEveryState(step, {
      name: 'vendor',
      create: () => acme.vendor.create({ name: 'Cloud Ltd' }),
      get: (vendor, asOf) => acme.vendor.get({ vendor, asOf }),
      change: (vendor, fields): Promise<unknown> =>
        'note' in fields ? acme.vendor.review({ vendor, ...fields }) : acme.vendor.update({ vendor, ...fields }),
      remove: (vendor) => acme.vendor.delete({ vendor }),
      notPast: { evidenceCount: null },
    });
  });
});

test('asOf between two reviews returns the earlier one', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { name: 'Ann' });
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', reviewEveryMonths: 12 });
  const before = await timestampBetween();
  const first = await ann.caller.vendor.review({ vendor, note: 'First', nextReview: '2027-01-31' });
  const between = await timestampBetween();
  await ann.caller.account.update({ name: 'Ann Lee' });
  await acme.vendor.review({ vendor, note: 'Second' });
  const person = { uniqueId: ann.uniqueId, name: 'Ann Lee', kind: 'human' };
  expect(await acme.vendor.get({ vendor, asOf: between })).toEqual({
    ...first,
    etag: expect.any(String),
    lastReview: { at: first.updatedAt, by: person, note: 'First', outcome: null, risk: null },
    updatedBy: person,
    evidenceCount: null,
  });
  expect(await acme.vendor.get({ vendor, asOf: before })).toMatchObject({
    lastReview: null,
    nextReview: null,
    version: 1,
  });
  expect(await acme.vendor.get({ vendor })).toMatchObject({ lastReview: { note: 'Second' }, version: 3 });
});

test('asOf returns the recorded task before a recurring one, also after its deletion, and no next one', async () => {
  const acme = await createCompany();
  const { uniqueId: first } = await acme.newTask({ dueDate: '2026-01-31', recurrence: 'FREQ=MONTHLY;COUNT=3' });
  const { next: second } = await acme.task.update({ taskUniqueId: first, status: 'done' });
  const taskUniqueId = second ?? expect.fail('expected a next task');
  const { next: third } = await acme.task.update({ taskUniqueId, status: 'done' });
  const asOf = await timestampBetween();
  await acme.task.delete({ taskUniqueId: first });
  expect(await acme.task.get({ taskUniqueId })).toMatchObject({ previous: null, next: third });
  expect(await acme.task.get({ taskUniqueId, asOf })).toMatchObject({ previous: first, next: null });
  expect(await acme.task.get({ taskUniqueId, asOf: nowIso() })).toMatchObject({ previous: first, next: null });
  expect(await acme.task.get({ taskUniqueId: first, asOf })).toMatchObject({
    previous: null,
    next: null,
    status: 'done',
  });
});

test('asOf includes all changes made in that millisecond', async () => {
  const acme = await createCompany();
  const { uniqueId: vendor, createdAt } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const justBefore = new Date(new Date(createdAt).getTime() - 1).toISOString();
  await expect(acme.vendor.get({ vendor, asOf: justBefore })).rejects.toThrow('vendor: not found');
  expect(await acme.vendor.get({ vendor, asOf: createdAt })).toMatchObject({ createdAt });
  for (let index = 0; index < 10; index++) await acme.vendor.update({ vendor, name: `Cloud ${index}` });
  const latest = { ...(await acme.vendor.get({ vendor })), evidenceCount: null };
  expect(await acme.vendor.get({ vendor, asOf: latest.updatedAt })).toEqual(latest);
  expect(await acme.vendor.get({ vendor, asOf: '2999-01-01T00:00:00Z' })).toEqual(latest);
});

test('asOf attributes an earlier state to the user who made the change', async () => {
  const acme = await createCompany();
  const { key: _, ...second } = await acme.manage.apiKey.create({ name: 'Second' });
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await callerWithPermissions({ id: acme.id, apiKey: second }, {}).vendor.update({ vendor, name: 'Cloud Inc' });
  const asOf = await timestampBetween();
  await acme.vendor.update({ vendor, name: 'Cloud AG' });
  expect(await acme.vendor.get({ vendor, asOf })).toMatchObject({
    name: 'Cloud Inc',
    createdBy: acme.apiKey.user,
    updatedBy: second.user,
    version: 2,
  });
});

test('asOf requires read permission on the resource and audit:read', async () => {
  const acme = await createCompany();
  const task = { taskUniqueId: (await acme.newTask()).uniqueId, asOf: nowIso() };
  const vendor = { vendor: (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId, asOf: nowIso() };
  const reader = callerWithPermissions(acme, { scopes: ['task:read', 'vendor:read'] });
  await expect(reader.task.get(task)).rejects.toThrow('scope: the key lacks audit:read');
  await expect(reader.vendor.get(vendor)).rejects.toThrow('scope: the key lacks audit:read');
  const auditor = callerWithPermissions(acme, { scopes: ['audit:read'] });
  await expect(auditor.task.get(task)).rejects.toThrow('scope: the key lacks task:read');
  await expect(auditor.vendor.get(vendor)).rejects.toThrow('scope: the key lacks vendor:read');
});

test('asOf gives no access to resources of another company or framework', async () => {
  const acme = await createCompany();
  const rival = await createCompany('Rival');
  const { uniqueId } = await acme.newTask();
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const asOf = await timestampBetween();
  await expect(rival.task.get({ taskUniqueId: uniqueId, asOf })).rejects.toThrow('task: not found');
  await expect(rival.vendor.get({ vendor, asOf })).rejects.toThrow('vendor: not found');
  await expect(acme.task.get({ taskUniqueId: UNKNOWN_ID, asOf })).rejects.toThrow('task: not found');
  const other = await acme.manage.framework.create({ name: 'SOC 2' });
  const limited = callerWithPermissions(acme, { frameworks: [other.id] });
  await acme.task.delete({ taskUniqueId: uniqueId });
  await expect(limited.task.get({ taskUniqueId: uniqueId, asOf })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

/** Defaults of the columns of a resource that may be newer than its events, from the entity. */
const newColumns = [taskResource, vendorResource].flatMap((resource) =>
  Object.entries(resource.auditedColumns).flatMap(([field, column]) =>
    Object.hasOwn(resource.earlierValues, column)
      ? [{ type: resource.type, field, column, value: resource.earlierValues[column] }]
      : [],
  ),
);

test.for(newColumns)(
  'asOf of a $type from before the column $column has its default',
  async ({ type, field, column, value }) => {
    const acme = await createCompany();
    const { uniqueId } = await (type === 'task' ? acme.newTask() : acme.vendor.create({ name: 'Cloud Ltd' }));
    const readAsOf = (id: string): Promise<object> =>
      type === 'task'
        ? acme.task.get({ taskUniqueId: id, asOf: nowIso() })
        : acme.vendor.get({ vendor: id, asOf: nowIso() });
    const [event] = await acme.events(uniqueId);
    expect(event?.changes).toHaveProperty(column);
    const earlierId = newUniqueId();
    // A copy of the event of another object, as an earlier version wrote it.
    await sql(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id,
         changes, request_id)
       select company_id, $1::uuid, occurred_at, user_id, action, resource_type, $2::text, framework_id,
         changes - $3::text || jsonb_build_object('unique_id', $2::text), request_id
       from audit_event where company_id = $4 and resource_id = $5`,
      newUniqueId(),
      earlierId,
      column,
      acme.id,
      uniqueId,
    );
    const { etag: _etag, ...expected } = { etag: '', ...(await readAsOf(uniqueId)) };
    expect(await readAsOf(earlierId)).toMatchObject({ ...expected, uniqueId: earlierId, [field]: value });
  },
);
