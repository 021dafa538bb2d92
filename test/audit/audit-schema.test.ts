import { EntitySchema } from '@mikro-orm/core';
import { describe, expect, test } from 'vitest';
import { toChanges, userIdsIn } from '../../entities/audit/changes.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from '../../entities/audit/fields.ts';
import { entities } from '../../entities/index.ts';
import { auditTrigger, countTriggers, forbidTrigger, defineTrigger } from '../../entities/schema/triggers.ts';
import { TaskOutput } from '../../procedures/task/schemas.ts';
import type { Actor } from '../../entities/user.ts';

// What is audited, and how it is shown; without a database. audit.test.ts and trail.test.ts hold the triggers to it.

const ANNA: Actor = { uniqueId: 'u-1', name: 'Anna', kind: 'human' };
const SYNC: Actor = { uniqueId: 'u-2', name: 'Sync', kind: 'integration' };
const USERS = new Map([ANNA, SYNC].map((user) => [user.uniqueId, user]));

describe('the fields of a resource', () => {
  test('are those that it shows, and stand for columns', () => {
    expect(RESOURCE_TYPES.slice(0, 7)).toEqual([
      'company',
      'framework',
      'department',
      'gap',
      'apiKey',
      'task',
      'vendor',
    ]);
    expect(Object.keys(resourceOf('task').auditedColumns).toSorted()).toEqual(Object.keys(TaskOutput.shape).toSorted());
    for (const type of RESOURCE_TYPES) {
      const columns = Object.values(resourceOf(type).auditedColumns);
      expect(new Set(columns).size).toBe(columns.length);
    }
  });

  /** The column of each field, where it is not the field's own name in snake case. */
  const renamed = (type: (typeof RESOURCE_TYPES)[number]) =>
    Object.fromEntries(
      Object.entries(resourceOf(type).auditedColumns).filter(
        ([field, column]) => column !== field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ),
    );
  const BY = { createdBy: 'created_by_id', updatedBy: 'updated_by_id' };

  test('are the columns’ names, but where they name another resource', () => {
    expect(Object.fromEntries(RESOURCE_TYPES.map((type) => [type, renamed(type)]))).toEqual({
      ...Object.fromEntries(RESOURCE_TYPES.map((type) => [type, BY])),
      company: {},
      framework: {},
      department: {},
      gap: { framework: 'framework_id' },
      apiKey: { user: 'user_id', rotatedUntil: 'previous_hash_expires_at' },
      task: { framework: 'framework_id', ...BY },
    });
  });

  test('of reference data say what it is called, and whether it is still in use', () => {
    for (const type of ['framework', 'department'] as const) {
      expect(Object.keys(resourceOf(type).auditedColumns)).toEqual(['id', 'name', 'archivedAt']);
    }
  });

  test('hold nothing secret', () => {
    expect(Object.values(resourceOf('apiKey').auditedColumns).filter((column) => column.endsWith('hash'))).toEqual([]);
  });

  test('of what a type can have done to it: keys are rotated and revoked as well', () => {
    expect(actionsOf('task')).toEqual(['task.create', 'task.update', 'task.delete']);
    expect(actionsOf('apiKey')).toEqual([
      'apiKey.create',
      'apiKey.update',
      'apiKey.delete',
      'apiKey.rotate',
      'apiKey.revoke',
    ]);
  });
});

describe('users that changes name', () => {
  test('are those of columns that hold one, before and after', () => {
    const changes = {
      updated_by_id: { from: 'u-1', to: 'u-2' },
      title: { from: 'u-3', to: 'u-4' },
      user_id: { from: null, to: 'u-5' },
    };
    expect(userIdsIn('task.update', changes)).toEqual(['u-1', 'u-2', 'u-5']);
    expect(userIdsIn('apiKey.rotate', { user_id: { from: 'u-1', to: 'u-1' } })).toEqual(['u-1', 'u-1']);
  });

  test('are told whole where the resource is made or goes', () => {
    const row = {
      user_id: 'u-1',
      created_by_id: 'u-2',
      by_id: 'u-6',
      superuser_id: 'u-7',
      user_id_of: 'u-8',
      title: 'u-3',
      a_user_id: null,
    };
    for (const action of ['task.create', 'task.delete']) expect(userIdsIn(action, row)).toEqual(['u-1', 'u-2', 'u-6']);
    expect(userIdsIn('task.update', { updated_by_id: 'u-1' })).toEqual(['u-1']);
    for (const odd of [null, 1, {}, { from: 'u-1' }, { to: 'u-1' }])
      expect(userIdsIn('task.update', { user_id: odd })).toEqual([]);
    expect(userIdsIn('task.create', { user_id: { from: 'u-1', to: 'u-2' } })).toEqual([]);
  });
});

describe('changes are shown', () => {
  test('as the whole resource where it is made or goes', () => {
    const row = {
      unique_id: 't-1',
      framework_id: 3,
      title: 'Review',
      labels: ['a'],
      start_date: '2026-11-21',
      due_date: null,
      created_at: '2026-11-21T12:00:00.123+00:00',
      created_by_id: 'u-1',
      updated_by_id: 'u-2',
      company_id: 7,
      added_later: 'x',
    };
    for (const action of ['task.create', 'task.delete']) {
      expect(toChanges('task', action, row, USERS)).toStrictEqual({
        uniqueId: 't-1',
        framework: 3,
        title: 'Review',
        labels: ['a'],
        startDate: '2026-11-21',
        dueDate: null,
        createdAt: '2026-11-21T12:00:00.123Z',
        createdBy: ANNA,
        updatedBy: SYNC,
      });
    }
  });

  test('as what was before and what is after', () => {
    const changes = {
      title: { from: 'Review', to: 'Renew' },
      due_date: { from: null, to: '2026-11-21' },
      updated_at: { from: '2026-11-21T12:00:00+00:00', to: '2026-11-21T14:00:00+01:00' },
      updated_by_id: { from: 'u-1', to: 'u-2' },
      version: { from: 1, to: 2 },
      search_text: { from: 'a', to: 'b' },
    };
    expect(toChanges('task', 'task.update', changes, USERS)).toStrictEqual({
      title: { from: 'Review', to: 'Renew' },
      dueDate: { from: null, to: '2026-11-21' },
      updatedAt: { from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T13:00:00.000Z' },
      updatedBy: { from: ANNA, to: SYNC },
      version: { from: 1, to: 2 },
    });
  });

  test('with every kind of moment in ISO 8601, and of what is no change as it is', () => {
    const moments = {
      previous_hash_expires_at: '2026-11-21T12:00:00+00:00',
      expires_at: null,
      leaked_url: 'at',
      user_id: 'u-2',
    };
    expect(toChanges('apiKey', 'apiKey.rotate', moments, USERS)).toStrictEqual({
      rotatedUntil: '2026-11-21T12:00:00.000Z',
      expiresAt: null,
      leakedUrl: 'at',
      user: SYNC,
    });
    for (const odd of [null, 5, 'x', { from: 1 }, { to: 1 }]) {
      expect(toChanges('task', 'task.update', { title: odd }, USERS)).toStrictEqual({ title: odd });
    }
    const whole = { title: { from: 'a', to: 'b' } };
    expect(toChanges('task', 'task.create', whole, USERS)).toStrictEqual({ title: { from: 'a', to: 'b' } });
    expect(
      toChanges('company', 'company.create', { created_at: '2026-11-21T12:00:00Z', name: 'u-1' }, USERS),
    ).toStrictEqual({
      createdAt: '2026-11-21T12:00:00.000Z',
      name: 'u-1',
    });
  });

  test('of a vendor that is made or goes with whether it is active, as it is shown elsewhere', () => {
    expect(toChanges('vendor', 'vendor.create', { status: 'active' }, USERS)).toStrictEqual({
      status: 'active',
      active: true,
    });
    expect(toChanges('vendor', 'vendor.delete', { status: 'archived' }, USERS)).toStrictEqual({
      status: 'archived',
      active: false,
    });
    const update = { status: { from: 'active', to: 'archived' } };
    expect(toChanges('vendor', 'vendor.update', update, USERS)).toStrictEqual(update);
    expect(toChanges('task', 'task.create', { status: 'active' }, USERS)).toStrictEqual({ status: 'active' });
  });
});

/** What matters in the text of a trigger, by what comes in front of it. */
function triggerParts(expression = '') {
  const form =
    /^create trigger (?<name>\w+) (?<timing>before|after) (?<events>.+) on (?<table>\w+)(?: referencing (?<referencing>.+?))? for each (?<each>row|statement)(?: when \((?<when>.+)\))? execute function (?<call>\w+\(.*\))$/;
  return { ...form.exec(expression)?.groups };
}

describe('a trigger', () => {
  test('is told once to the ORM and once to PostgreSQL, in the same words', () => {
    const made = defineTrigger('x', 'before', ['insert', 'update of y', 'truncate'], 't', 'row', 'f()');
    expect(made).toMatchObject({
      name: 'x',
      timing: 'before',
      events: ['insert', 'update', 'truncate'],
      forEach: 'row',
    });
    expect(made.expression).toBe(
      'create trigger x before insert or update of y or truncate on t for each row execute function f()',
    );
    expect(triggerParts(made.expression)).toMatchObject({
      name: 'x',
      table: 't',
      referencing: undefined,
      when: undefined,
    });
    const further = defineTrigger('x', 'after', ['delete'], 't', 'statement', 'f()', {
      referencing: 'old table as o',
      when: 'a > b',
    });
    expect(further.expression).toBe(
      'create trigger x after delete on t referencing old table as o for each statement when (a > b) execute function f()',
    );
  });

  test('audits each row that comes, changes or goes, once it has', () => {
    const plain = auditTrigger(resourceOf('task'));
    expect(plain).toMatchObject({
      name: 'task_audit',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
    });
    expect(triggerParts(plain.expression)).toMatchObject({
      table: 'task',
      events: 'insert or update or delete',
      each: 'row',
      when: undefined,
      call: `audit_row('task', 'unique_id', '{}', '{}')`,
    });
    const more = auditTrigger({
      type: 'x',
      table: 't',
      idColumn: 'id',
      unauditedColumns: ['a', 'b'],
      verbByColumn: { c: 'd' },
    });
    expect(triggerParts(more.expression)['call']).toBe(`audit_row('x', 'id', '{a,b}', '{"c":"d"}')`);
  });

  test('refuses a statement before it does anything, and is named by what it refuses', () => {
    const refused = forbidTrigger('task', ['update of framework_id', 'truncate']);
    expect(refused).toMatchObject({ timing: 'before', events: ['update', 'truncate'], forEach: 'statement' });
    expect(triggerParts(refused.expression)).toMatchObject({
      name: 'task_forbid_update',
      events: 'update of framework_id or truncate',
      table: 'task',
      call: 'forbid_statement()',
    });
    expect(forbidTrigger('t', ['delete', 'truncate']).name).toBe('t_forbid');
    expect(forbidTrigger('t', ['update', 'delete']).name).toBe('t_forbid');
    expect(forbidTrigger('t', ['truncate']).name).toBe('t_forbid_truncate');
  });

  test('counts what a statement added, and what it removed', () => {
    expect(countTriggers('task').map(({ expression }) => triggerParts(expression))).toMatchObject([
      {
        name: 'task_count_insert',
        timing: 'after',
        events: 'insert',
        referencing: 'new table as new_rows',
        each: 'statement',
        call: 'update_task_count()',
      },
      {
        name: 'task_count_delete',
        timing: 'after',
        events: 'delete',
        referencing: 'old table as old_rows',
        each: 'statement',
      },
    ]);
  });
});

describe('every table', () => {
  const triggers = entities.flatMap((entity) => {
    const declared = EntitySchema.REGISTRY.get(entity)?.meta.triggers ?? [];
    return declared.map(({ expression }) => triggerParts(String(expression)));
  });
  const calling = (call: string) => triggers.filter((one) => one['call']?.startsWith(call));

  test('that has a resource of the trail is audited as that resource, by its id, without its secrets', () => {
    const found = calling('audit_row').map(({ table, call }) => `${table}: ${call}`);
    expect(found.slice(0, 7)).toEqual([
      `company: audit_row('company', 'id', '{}', '{}')`,
      `api_key: audit_row('apiKey', 'unique_id', '{hash,previous_hash,last_used_at}', '{"revoked_at":"revoke","hash":"rotate"}')`,
      `framework: audit_row('framework', 'id', '{}', '{}')`,
      `department: audit_row('department', 'id', '{}', '{}')`,
      `gap: audit_row('gap', 'id', '{}', '{}')`,
      `task: audit_row('task', 'unique_id', '{}', '{}')`,
      `vendor: audit_row('vendor', 'unique_id', '{}', '{}')`,
    ]);
    const types = found.map((one) => /\('(\w+)'/.exec(one)?.[1]);
    expect(new Set(types)).toEqual(new Set(RESOURCE_TYPES));
    expect(types).toHaveLength(RESOURCE_TYPES.length);
  });

  test('refuses what would go past the trail, and the trail what would change it', () => {
    const found = calling('forbid_statement').map(({ table, events }) => `${table}: ${events}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'company: delete or truncate',
        'company_user: delete or truncate',
        'api_key: delete or truncate',
        'framework: delete or truncate',
        'department: delete or truncate',
        'gap: delete or truncate',
        'gap: update of framework_id',
        'task: update of framework_id or truncate',
        'vendor: update of unique_id or truncate',
        'audit_event: update or delete or truncate',
        'audit_seal: update or delete or truncate',
        'audit_watermark: delete or truncate',
      ]),
    );
  });
});
