import { describe, expect, test } from 'vitest';
import { RESOURCE_TYPES, actionsOf, resourceOf } from '../../entities/audit/fields.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';
import { recorded } from '../support/tenants/samples.ts';
import { sql } from '../support/database/database.ts';

const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';

/** Creates two frameworks with one task each. The caller `limited` may access the first framework only. */
async function createTwoFrameworks() {
  const acme = await createCompany();
  const other = (await acme.manage.framework.create({ name: 'SOC 2' })).id;
  const own = await acme.newTask({ title: 'Own' });
  const foreign = await acme.newTask({ framework: other, title: 'Foreign' });
  return { acme, other, own, foreign, limited: callerWithPermissions(acme, { frameworks: [acme.framework] }) };
}

describe('an event in the audit log', () => {
  test('names the actor, API key, action, resource, changes and request with the field names of the API', async () => {
    const acme = await createCompany();
    const task = recorded(await acme.newTask({ labels: ['a'] }));
    await acme.task.update({ taskUniqueId: task.uniqueId, dueDate: '2026-02-27', departmentId: acme.department });
    const { items } = await acme.audit.list({ resourceType: 'task' });
    const author = { actor: acme.apiKey.user, apiKey: acme.apiKey.uniqueId };
    const resource = { type: 'task', uniqueId: task.uniqueId };
    expect(items).toEqual([
      {
        uniqueId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        occurredAt: expect.stringMatching(/^20.*\.\d{3}Z$/),
        ...author,
        action: 'task.update',
        resource,
        parent: null,
        changes: { dueDate: { from: null, to: '2026-02-27' }, departmentId: { from: null, to: acme.department } },
        requestId: expect.any(String),
      },
      expect.objectContaining({
        ...author,
        action: 'task.create',
        resource,
        changes: task,
        occurredAt: task.createdAt,
      }),
    ]);
  });

  test('of a creation or deletion contains the whole object in API format', async () => {
    const acme = await createCompany();
    const vendor = recorded(await acme.vendor.create({ name: 'Cloud Ltd', active: false }));
    const task = recorded(await acme.newTask({ gaps: [acme.gap], startDate: '2026-01-05' }));
    await acme.vendor.delete({ vendor: vendor.uniqueId });
    await acme.task.delete({ taskUniqueId: task.uniqueId });
    const { items } = await acme.audit.list({ limit: 4 });
    expect(items.map(({ action, changes }) => [action, changes])).toEqual([
      ['task.delete', task],
      ['vendor.delete', vendor],
      ['task.create', task],
      ['vendor.create', vendor],
    ]);
  });

  test('of a review and of a deleted vendor has people with the names of then, also in the history and the feed', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const feed = await callerForKey(acme.key);
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', ownerId: ann.uniqueId });
    const reviewed = recorded(await ann.caller.vendor.review({ vendor, note: 'Ann', nextReview: '2027-01-31' }));
    const { uniqueId: task } = await acme.newTask({ vendors: [vendor] });
    await seal(acme);
    const { cursor } = await feed.changes.list({ from: 'now' });
    await ann.caller.account.update({ name: 'Ann Lee' });
    await acme.vendor.delete({ vendor });
    const changes = {
      nextReview: { from: null, to: '2027-01-31' },
      lastReview: { from: null, to: reviewed.lastReview },
    };
    const { items: history } = await acme.vendor.history({ vendor });
    expect(history.map(({ action }) => action)).toEqual(['vendor.delete', 'vendor.review', 'vendor.create']);
    expect(history[1]).toMatchObject({ actor: reviewed.owner, changes });
    expect(Object.keys(history[1]?.changes ?? {})).toEqual(Object.keys(changes));
    expect((await acme.audit.list({ action: 'vendor.review' })).items).toEqual([history[1]]);
    const renamed = { uniqueId: ann.uniqueId, name: 'Ann Lee', kind: 'human' };
    const { lastReview } = reviewed;
    const deleted = { ...reviewed, owner: renamed, updatedBy: renamed, lastReview: { ...lastReview, by: renamed } };
    expect(history[0]?.changes).toEqual(deleted);
    await seal(acme);
    const { items } = await feed.changes.list({ cursor });
    expect(items.slice(1).map(({ action, changes: shown }) => [action, shown])).toEqual([
      ['task.update', { vendors: { from: [vendor], to: [] } }],
      ['vendor.delete', deleted],
    ]);
    expect((await acme.task.history({ taskUniqueId: task })).items).toHaveLength(2);
  });

  test('of a recurring task names the one before it, and never the next one', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.newTask({ dueDate: '2026-01-31', recurrence: 'FREQ=MONTHLY;COUNT=3' });
    const { next } = await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    const made = recorded(await acme.task.get({ taskUniqueId: String(next) }));
    await acme.task.delete({ taskUniqueId: uniqueId });
    const { items } = await acme.audit.list({ limit: 3 });
    expect(items.map(({ action, changes }) => [action, changes])).toEqual([
      ['task.delete', expect.not.objectContaining({ next: expect.anything() })],
      ['task.create', { ...made, previous: uniqueId, recurrence: 'FREQ=MONTHLY;COUNT=2' }],
      ['task.update', { status: { from: 'todo', to: 'done' } }],
    ]);
  });

  test('of a management operation uses the same field names, timestamps and users', async () => {
    const acme = await createCompany();
    const {
      key: secret,
      lastUsedAt: _unrecorded,
      ...key
    } = await acme.manage.apiKey.create({ name: 'Sync', expiresAt: '2999-01-01T00:00:00Z' });
    await acme.manage.apiKey.revoke({ uniqueId: key.uniqueId });
    const archived = await acme.manage.gap.archive({ id: acme.gap });
    const { items } = await acme.audit.list();
    const changesOf = (action: string) => items.find((event) => event.action === action)?.changes;
    expect(changesOf('apiKey.create')).toMatchObject(key);
    expect(changesOf('apiKey.revoke')).toEqual({ revokedAt: { from: null, to: expect.stringMatching(/^20.*Z$/) } });
    expect(changesOf('gap.create')).toEqual({ ...archived, archivedAt: null });
    expect(changesOf('gap.update')).toEqual({ archivedAt: { from: null, to: archived.archivedAt } });
    expect(changesOf('company.create')).toMatchObject({ id: acme.id, name: 'Acme' });
    expect(items.at(-1)).toMatchObject({ actor: OPERATOR, apiKey: null, resource: { uniqueId: String(acme.id) } });
    expect(JSON.stringify(items)).not.toContain(secret);
  });

  test('has an API field name for every audited column', async () => {
    const columns = await sql<{ type: string; column: string; unrecorded: string }>(`
      select split_part(encode(t.tgargs, 'escape'), '\\000', 1) as type, a.attname as "column",
        split_part(encode(t.tgargs, 'escape'), '\\000', 3) as unrecorded
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid and p.proname = 'audit_row'
      join pg_attribute a on a.attrelid = t.tgrelid and a.attnum > 0 and not a.attisdropped`);
    const auditedColumns = columns.filter(
      ({ column, unrecorded }) => column !== 'company_id' && !unrecorded.slice(1, -1).split(',').includes(column),
    );
    const apiColumns = RESOURCE_TYPES.flatMap((type) =>
      Object.values(resourceOf(type).auditedColumns)
        .filter((column) => column !== 'resource') // which the trigger makes of the ids of parents
        .map((column) => `${type}.${column}`),
    );
    expect(auditedColumns.map(({ type, column }) => `${type}.${column}`).toSorted()).toEqual(apiColumns.toSorted());
  });

  test('has an action that the list accepts as a filter', async () => {
    const triggers = await sql<{ type: string; verbs: string }>(`
      select split_part(encode(tgargs, 'escape'), '\\000', 1) as type, split_part(encode(tgargs, 'escape'), '\\000', 4) as verbs
      from pg_trigger join pg_proc p on p.oid = tgfoid and p.proname = 'audit_row'`);
    const recordedActions = triggers.flatMap(({ type, verbs }) => {
      const { insert = 'create', delete: remove = 'delete', ...byColumn } = JSON.parse(verbs) as Record<string, string>;
      const all = new Set([insert, 'update', remove, ...Object.values(byColumn).flatMap((verb) => verb.split('/'))]);
      return [...all].map((verb) => `${type}.${verb}`);
    });
    // An invitation is only revoked or used, which is not audited. Its rows cannot be deleted. A proof changes as it is made.
    const impossible = new Set(['invitation.update', 'invitation.delete', 'proof.update']);
    expect(recordedActions.filter((action) => !impossible.has(action)).toSorted()).toEqual(
      RESOURCE_TYPES.flatMap(actionsOf).toSorted(),
    );
  });
});

describe('the list of events', () => {
  test('accepts each filter, and several filters together', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.newTask();
    await acme.task.update({ taskUniqueId: uniqueId, priority: 1 });
    await acme.vendor.create({ name: 'Cloud Ltd' });
    const actions = async (filters: Parameters<typeof acme.audit.list>[0]) =>
      (await acme.audit.list(filters)).items.map(({ action }) => action);
    expect(await actions({ resourceType: 'task' })).toEqual(['task.update', 'task.create']);
    expect(await actions({ resourceId: uniqueId })).toEqual(['task.update', 'task.create']);
    expect(await actions({ resourceType: 'vendor', resourceId: uniqueId })).toEqual([]);
    expect(await actions({ resourceType: 'gap', resourceId: String(acme.gap) })).toEqual(['gap.create']);
    expect(await actions({ actor: acme.apiKey.user.uniqueId })).toEqual([
      'vendor.create',
      'task.update',
      'task.create',
    ]);
    expect(await actions({ actor: acme.apiKey.user.uniqueId, action: 'task.create' })).toEqual(['task.create']);
    expect(await actions({ actor: OPERATOR.uniqueId, resourceType: 'gap' })).toEqual(['gap.create']);
    expect(await actions({ action: 'vendor.create' })).toEqual(['vendor.create']);
    expect(await actions({ action: 'vendor.create', resourceType: 'task' })).toEqual([]);
    expect(await actions({ actor: UNKNOWN_ID })).toEqual([]);
    expect(await actions({})).toHaveLength(8);
  });

  test('includes `since` and excludes `until`, to the millisecond and with any UTC offset', async () => {
    const acme = await createCompany();
    const { createdAt } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const at = (ms: number) => new Date(new Date(createdAt).getTime() + ms).toISOString();
    const count = async (filters: object) =>
      (await acme.audit.list({ ...filters, resourceType: 'vendor' })).items.length;
    expect(await count({ since: createdAt })).toBe(1);
    expect(await count({ since: at(1) })).toBe(0);
    expect(await count({ since: createdAt.replace('Z', '001Z') })).toBe(0);
    expect(await count({ until: createdAt })).toBe(0);
    expect(await count({ until: at(1) })).toBe(1);
    expect(await count({ since: createdAt, until: at(1) })).toBe(1);
    expect(await count({ since: at(3_600_000).replace('Z', '+01:00') })).toBe(1);
    expect(await count({ until: at(3_600_000).replace('Z', '+01:00') })).toBe(0);
  });

  test('hides events of other frameworks from a key limited to one framework', async () => {
    const { acme, own, foreign, limited } = await createTwoFrameworks();
    await acme.task.delete({ taskUniqueId: foreign.uniqueId });
    await acme.task.update({ taskUniqueId: own.uniqueId, title: 'Owned' });
    const actions = async (filters: Parameters<typeof acme.audit.list>[0]) =>
      (await limited.audit.list(filters)).items.map(({ action }) => action);
    expect(await actions({})).toEqual([
      'task.update',
      'task.create',
      'framework.create',
      'apiKey.create',
      'gap.create',
      'department.create',
      'framework.create',
      'company.create',
    ]);
    expect(await actions({ resourceType: 'task' })).toEqual(['task.update', 'task.create']);
    expect(await actions({ action: 'task.create' })).toEqual(['task.create']);
    expect(await actions({ action: 'task.delete' })).toEqual([]);
    expect(await actions({ resourceId: foreign.uniqueId })).toEqual([]);
    expect(await actions({ actor: acme.apiKey.user.uniqueId })).toEqual(['task.update', 'task.create']);
    expect(await actions({ resourceType: 'department' })).toEqual(['department.create']);
    const paged = await limited.audit.list({ limit: 1 });
    const next = await limited.audit.list({ limit: 1, cursor: paged.nextCursor ?? '' });
    expect(next.items.map(({ resource }) => resource.uniqueId)).toEqual([own.uniqueId]);
  });

  test('is counted on all its pages by the application, without events that the caller may not see', async () => {
    const { acme, limited } = await createTwoFrameworks();
    const rival = await createCompany('Rival');
    expect(await acme.audit.count()).toEqual({ count: (await acme.events()).length, more: false });
    expect(await acme.audit.count({ resourceType: 'task' })).toEqual({ count: 2, more: false });
    expect(await limited.audit.count({ resourceType: 'task' })).toEqual({ count: 1, more: false });
    expect(await limited.audit.count({ actor: acme.apiKey.user.uniqueId })).toEqual({ count: 1, more: false });
    expect(await rival.audit.count({ resourceType: 'task' })).toEqual({ count: 0, more: false });
  });

  test('is searched by names, people and values, page by page', async () => {
    const { acme, limited } = await createTwoFrameworks();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'ÉCLAIR Systems', description: 'Hosts the shop' });
    await acme.vendor.update({ vendor, status: 'inactive' });
    for (let number = 1; number <= 12; number += 1) await acme.vendor.create({ name: `Other ${number}` });
    const search = async (q: string, by = acme) => {
      const found: string[] = [];
      for (let cursor: string | undefined; ;) {
        const { items, nextCursor } = await by.audit.page({ q, limit: 2, ...(cursor !== undefined && { cursor }) });
        expect(items.length).toBeLessThanOrEqual(2);
        found.push(...items.map(({ action }) => action));
        if (nextCursor === null) return found;
        cursor = nextCursor;
      }
    };
    expect(await search('éclair')).toEqual(['vendor.update', 'vendor.create']);
    expect(await search('the SHOP')).toEqual(['vendor.create']);
    expect(await search('inactive')).toEqual(['vendor.update']);
    expect(await search('other 12')).toEqual(['vendor.create']);
    expect(await search('nowhere at all')).toEqual([]);
    expect(await search('vendor.create')).toHaveLength(13);
    const tasks = await acme.audit.page({ q: 'task.', limit: 100 });
    const ofLimited = await limited.audit.page({ q: 'task.', limit: 100 });
    expect([tasks.items.length, ofLimited.items.length]).toEqual([2, 1]);
  });

  test('is the same for the operator', async () => {
    const acme = await createCompany();
    expect(await acme.manage.audit.list({ limit: 100 })).toEqual(await acme.audit.list({ limit: 100 }));
  });
});

describe('the history of a resource', () => {
  test('lists its events, newest first, also after its deletion', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    await acme.task.update({ taskUniqueId: uniqueId, priority: 1 });
    await acme.vendor.update({ vendor, name: 'Cloud Inc' });
    await acme.task.delete({ taskUniqueId: uniqueId });
    await acme.vendor.delete({ vendor });
    const taskHistory = await acme.task.history({ taskUniqueId: uniqueId });
    const vendorHistory = await acme.vendor.history({ vendor });
    expect(taskHistory.items.map(({ action }) => action)).toEqual(['task.delete', 'task.update', 'task.create']);
    expect(vendorHistory.items.map(({ action }) => action)).toEqual([
      'vendor.delete',
      'vendor.update',
      'vendor.create',
    ]);
    expect(taskHistory.nextCursor).toBe(null);
    expect(taskHistory.items).toEqual((await acme.audit.list({ resourceType: 'task' })).items);
  });

  test('is forbidden for a task of another framework, before and after deletion', async () => {
    const { acme, own, foreign, limited } = await createTwoFrameworks();
    expect((await limited.task.history({ taskUniqueId: own.uniqueId })).items).toHaveLength(1);
    const forbidden = () => limited.task.history({ taskUniqueId: foreign.uniqueId });
    await expect(forbidden()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await acme.task.delete({ taskUniqueId: foreign.uniqueId });
    await expect(forbidden()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(limited.task.history({ taskUniqueId: UNKNOWN_ID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('pages of events', () => {
  const idsOf = ({ items }: { items: { uniqueId: string }[] }) => items.map(({ uniqueId }) => uniqueId);

  test('contain every existing event exactly once while new events are added', async () => {
    const acme = await createCompany();
    for (let index = 0; index < 12; index++) await acme.vendor.create({ name: `Vendor ${index}` });
    const before = idsOf(await acme.audit.list({ limit: 100 }));
    const seen: string[] = [];
    for await (const page of readPages((from) => acme.audit.list({ limit: 3, ...from }))) {
      seen.push(...idsOf(page));
      await acme.vendor.create({ name: 'Late' });
    }
    expect(seen).toEqual(before);
  });

  test('neither skip nor repeat events of the same millisecond', async () => {
    const acme = await createCompany();
    await sql(
      `with settings as materialized (select set_config('app.company', $1::int::text, true), set_config('app.user', $2::uuid::text, true))
       insert into framework (company_id, name) select $1, 'F' || i from settings, generate_series(1, 7) i`,
      acme.id,
      OPERATOR.uniqueId,
    );
    const all = await acme.audit.list({ resourceType: 'framework' });
    const firstPage = await acme.audit.list({ resourceType: 'framework', limit: 4 });
    const secondPage = await acme.audit.list({
      resourceType: 'framework',
      limit: 4,
      cursor: firstPage.nextCursor ?? '',
    });
    expect(new Set(all.items.slice(0, 7).map(({ occurredAt }) => occurredAt)).size).toBe(1);
    expect([...idsOf(firstPage), ...idsOf(secondPage)]).toEqual(idsOf(all));
    expect(secondPage.nextCursor).toBe(null);
  });

  test('continue with a different limit, and reject a cursor with any other change', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    await acme.vendor.update({ vendor, name: 'Cloud Inc' });
    const { nextCursor } = await acme.audit.list({ limit: 1, since: '2020-01-01T00:00:00Z' });
    const cursor = nextCursor ?? '';
    expect((await acme.audit.list({ limit: 100, since: '2020-01-01T00:00:00Z', cursor })).nextCursor).toBe(null);
    const history = (await acme.vendor.history({ vendor, limit: 1 })).nextCursor ?? '';
    expect((await acme.vendor.history({ vendor, cursor: history })).items).toHaveLength(1);
    const changed = cursor.slice(0, -3) + (cursor.at(-3) === 'A' ? 'B' : 'A') + cursor.slice(-2);
    const since = '2020-01-01T00:00:00Z';
    for (const call of [
      () => acme.audit.list({ cursor }),
      () => acme.audit.list({ since: '2020-01-02T00:00:00Z', cursor }),
      () => acme.audit.list({ since, resourceType: 'vendor', cursor }),
      () => acme.audit.list({ since, cursor: changed }),
      () => acme.audit.list({ since, cursor: `${cursor}=` }),
      () => acme.audit.list({ since, cursor: `${cursor} ` }),
      () => acme.audit.list({ since, cursor: cursor.slice(1) }),
      () => acme.audit.list({ since, cursor: '' }),
      () => acme.audit.list({ since, cursor: 'nonsense' }),
      () => rival.audit.list({ since, cursor }),
      () => acme.manage.audit.list({ since, cursor }),
      () => acme.vendor.history({ vendor, cursor }),
      () => acme.audit.list({ cursor: history }),
      () => acme.audit.list({ resourceType: 'vendor', resourceId: vendor, cursor: history }),
      () => acme.vendor.history({ vendor: UNKNOWN_ID, cursor: history }),
    ]) {
      await expect(call).rejects.toThrow('cursor: expected a cursor of this list with the same filters');
    }
  });

  test('do not reveal the number of events of other companies', async () => {
    const acme = await createCompany();
    const { nextCursor } = await acme.audit.list({ limit: 1 });
    const [last] = await sql<{ id: string }>(
      'select max(id)::text as id from audit_event where company_id = $1',
      acme.id,
    );
    expect(Buffer.from(nextCursor ?? '', 'base64url').toString('latin1')).not.toContain(last?.id);
    expect((await acme.audit.list({ limit: 1 })).nextCursor).toBe(nextCursor);
  });
});
