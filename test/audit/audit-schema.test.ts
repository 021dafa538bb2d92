import { EntitySchema, ReferenceKind } from '@mikro-orm/core';
import { describe, expect, test } from 'vitest';
import { toChanges, userIdsIn } from '../../entities/audit/changes.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from '../../entities/audit/fields.ts';
import { entities } from '../../entities/index.ts';
import {
  auditTrigger,
  countTriggers,
  defineTrigger,
  forbidTrigger,
  frozenTrigger,
} from '../../entities/schema/triggers.ts';
import { TaskOutput } from '../../procedures/task/schemas.ts';
import type { Actor } from '../../entities/company/user.ts';

// Tests the audited columns and the displayed changes without a database.
// audit-trigger.test.ts and audit-log.test.ts compare them with the triggers in PostgreSQL.

const ANNA: Actor = { uniqueId: 'u-1', name: 'Anna', kind: 'human' };
const SYNC: Actor = { uniqueId: 'u-2', name: 'Sync', kind: 'integration' };
const REVIEW = { at: '2026-11-21T12:00:00.123Z', by: 'u-2', note: 'u-1' };
const USERS = new Map([ANNA, SYNC].map((user) => [user.uniqueId, user]));

describe('the audited fields of a resource', () => {
  test('are the fields of its output, and each maps to a different column', () => {
    expect(Object.keys(resourceOf('task').auditedColumns).toSorted()).toEqual(
      Object.keys(TaskOutput.shape)
        .filter((field) => !['evidenceCount', 'next', 'closedAt', 'closedBy'].includes(field))
        .toSorted(),
    );
    for (const type of RESOURCE_TYPES) {
      const columns = Object.values(resourceOf(type).auditedColumns);
      expect(new Set(columns).size).toBe(columns.length);
    }
  });

  test('have the names of their columns, except `rotatedUntil`, `from` and `check`; the column of a reference ends in `_id`', () => {
    const special: Record<string, string> = {
      'apiKey.rotatedUntil': 'previous_hash_expires_at',
      'webhook.rotatedUntil': 'previous_secret_expires_at',
      'proof.from': 'period_start',
      'evidence.check': 'checked',
    };
    for (const type of RESOURCE_TYPES) {
      const entity = entities.find(({ name }) => name.toLowerCase() === type.toLowerCase());
      const properties = (entity && EntitySchema.REGISTRY.get(entity)?.meta.properties) ?? expect.fail(type);
      const kinds = new Map(Object.entries(properties).map(([name, { kind }]) => [name, kind]));
      for (const [field, column] of Object.entries(resourceOf(type).auditedColumns)) {
        const reference = field.replace(/Id$/, '');
        const name = kinds.get(reference) === ReferenceKind.MANY_TO_ONE ? `${reference}Id` : field;
        const expected = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        expect([type, field, column]).toEqual([type, field, special[`${type}.${field}`] ?? expected]);
      }
    }
  });

  test('contain no hash and no secret', () => {
    const columns = RESOURCE_TYPES.flatMap((type) => Object.values(resourceOf(type).auditedColumns));
    expect(columns.filter((column) => /hash$|secret$|token/.test(column))).toEqual([]);
  });

  test('come with the actions of the type', () => {
    expect(actionsOf('member')).toEqual([
      'member.create',
      'member.update',
      'member.delete',
      'member.prove',
      'member.totpDisable',
      'member.totpEnable',
      'member.passkeyRemove',
      'member.passkeyAdd',
      'member.passwordChange',
      'member.passwordReset',
      'member.resetPassword',
      'member.forget',
    ]);
    expect(actionsOf('invitation')).toEqual(['invitation.create', 'invitation.revoke']);
    expect(actionsOf('sso')).toEqual(['sso.update']);
    expect(actionsOf('task')).toEqual(['task.create', 'task.update', 'task.delete']);
    expect(actionsOf('vendor')).toEqual(['vendor.create', 'vendor.update', 'vendor.delete', 'vendor.review']);
    expect(actionsOf('apiKey')).toEqual([
      'apiKey.create',
      'apiKey.update',
      'apiKey.delete',
      'apiKey.rotate',
      'apiKey.revoke',
    ]);
  });
});

describe('user ids in changes', () => {
  test('come from user columns, with the values before and after', () => {
    const changes = {
      updated_by_id: { from: 'u-1', to: 'u-2' },
      title: { from: 'u-3', to: 'u-4' },
      user_id: { from: null, to: 'u-5' },
    };
    expect(userIdsIn('task', 'task.update', changes)).toEqual(['u-1', 'u-2']);
    const rotation = { user_id: { from: 'u-1', to: 'u-1' } };
    expect(userIdsIn('apiKey', 'apiKey.rotate', rotation)).toEqual(['u-1', 'u-1']);
    const review = { last_review: { from: null, to: REVIEW }, contacts: { from: [], to: [{ by: 'u-6' }] } };
    expect(userIdsIn('vendor', 'vendor.review', review)).toEqual(['u-2']);
  });

  test('come from the whole row on create and delete', () => {
    const row = { updated_by_id: 'u-1', created_by_id: 'u-2', user_id: 'u-6', title: 'u-3' };
    for (const action of ['task.create', 'task.delete']) expect(userIdsIn('task', action, row)).toEqual(['u-1', 'u-2']);
    expect(userIdsIn('task', 'task.update', { updated_by_id: 'u-1' })).toEqual(['u-1']);
    expect(userIdsIn('vendor', 'vendor.delete', { owner_id: 'u-1', last_review: REVIEW })).toEqual(['u-1', 'u-2']);
    for (const malformed of [null, 1, {}, { from: 'u-1' }, { to: 'u-1' }])
      expect(userIdsIn('apiKey', 'apiKey.update', { user_id: malformed })).toEqual([]);
    expect(userIdsIn('apiKey', 'apiKey.create', { user_id: { from: 'u-1', to: 'u-2' } })).toEqual([]);
  });
});

describe('displayed changes', () => {
  test('contain the whole resource on create and delete', () => {
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

  test('contain the values before and after an update', () => {
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

  test('have the person of a review in place of the id', () => {
    const shown = { ...REVIEW, by: SYNC };
    const changes = { last_review: { from: null, to: REVIEW }, next_review: { from: null, to: '2027-11-21' } };
    expect(toChanges('vendor', 'vendor.review', changes, USERS)).toStrictEqual({
      nextReview: { from: null, to: '2027-11-21' },
      lastReview: { from: null, to: shown },
    });
    const contacts = [{ name: 'Ada', email: null, role: 'u-1' }];
    const row = { status: 'inactive', contacts, last_review: REVIEW };
    expect(toChanges('vendor', 'vendor.delete', row, USERS)).toMatchObject({ contacts, lastReview: shown });
    for (const malformed of [null, 5, 'x', []])
      expect(toChanges('vendor', 'vendor.create', { last_review: malformed }, USERS)).toHaveProperty(
        'lastReview',
        malformed,
      );
  });

  test('format timestamps as ISO 8601 and keep values that are not a from/to pair', () => {
    const row = {
      previous_hash_expires_at: '2026-11-21T12:00:00+00:00',
      expires_at: null,
      leaked_url: 'at',
      user_id: 'u-2',
    };
    expect(toChanges('apiKey', 'apiKey.rotate', row, USERS)).toStrictEqual({
      rotatedUntil: '2026-11-21T12:00:00.000Z',
      expiresAt: null,
      leakedUrl: 'at',
      user: SYNC,
    });
    for (const malformed of [null, 5, 'x', { from: 1 }, { to: 1 }]) {
      expect(toChanges('task', 'task.update', { title: malformed }, USERS)).toStrictEqual({ title: malformed });
    }
    const titleChange = { title: { from: 'a', to: 'b' } };
    expect(toChanges('task', 'task.create', titleChange, USERS)).toStrictEqual({ title: { from: 'a', to: 'b' } });
    expect(
      toChanges('company', 'company.create', { created_at: '2026-11-21T12:00:00Z', name: 'u-1' }, USERS),
    ).toStrictEqual({ createdAt: '2026-11-21T12:00:00.000Z', name: 'u-1' });
  });

  test('include `active` when a vendor is created or deleted', () => {
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

/** Parses a `create trigger` statement into its named parts. */
function triggerParts(expression = '') {
  const statement =
    /^create trigger (?<name>\w+) (?<timing>before|after) (?<events>.+) on (?<table>\w+)(?: referencing (?<referencing>.+?))? for each (?<each>row|statement)(?: when \((?<when>.+)\))? execute function (?<call>\w+\(.*\))$/;
  return { ...statement.exec(expression)?.groups };
}

describe('a trigger definition', () => {
  test('rejects each write, or those that are named, while the company is frozen', () => {
    expect(frozenTrigger('t').expression).toBe(
      'create trigger t_unfrozen before insert or update or delete on t for each statement execute function require_unfrozen()',
    );
    expect(frozenTrigger('t', ['delete'])).toMatchObject({
      events: ['delete'],
      timing: 'before',
      forEach: 'statement',
    });
  });

  test('describes the same trigger to the ORM and to PostgreSQL', () => {
    const trigger = defineTrigger('x', 'before', ['insert', 'update of y', 'truncate'], 't', 'row', 'f()');
    expect(trigger).toMatchObject({
      name: 'x',
      timing: 'before',
      events: ['insert', 'update', 'truncate'],
      forEach: 'row',
    });
    expect(trigger.expression).toBe(
      'create trigger x before insert or update of y or truncate on t for each row execute function f()',
    );
    expect(triggerParts(trigger.expression)).toMatchObject({
      name: 'x',
      table: 't',
      referencing: undefined,
      when: undefined,
    });
    const conditional = defineTrigger('x', 'after', ['delete'], 't', 'statement', 'f()', {
      referencing: 'old table as o',
      when: 'a > b',
    });
    expect(conditional.expression).toBe(
      'create trigger x after delete on t referencing old table as o for each statement when (a > b) execute function f()',
    );
  });

  test('audits each row after its insert, update or delete', () => {
    const taskTrigger = auditTrigger(resourceOf('task'));
    expect(taskTrigger).toMatchObject({
      name: 'task_audit',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
    });
    expect(triggerParts(taskTrigger.expression)).toMatchObject({
      table: 'task',
      events: 'insert or update or delete',
      each: 'row',
      when: undefined,
      call: `audit_row('task', 'unique_id', '{next_id,series_id,closed_at,closed_by_id}', '{}', 'framework_id')`,
    });
    const custom = {
      type: 'x',
      table: 't',
      idColumn: 'id',
      unauditedColumns: ['a', 'b'],
      verbs: ['create', 'update', 'delete'] as const,
      verbByColumn: { c: 'd' },
      hasFramework: false,
    };
    const callOf = (...definition: Parameters<typeof auditTrigger>) =>
      triggerParts(auditTrigger(...definition).expression)['call'];
    expect(callOf(custom)).toBe(`audit_row('x', 'id', '{a,b}', '{"c":"d"}')`);
    expect(callOf(custom, { t_id: 'task' })).toBe(`audit_row('x', 'id', '{a,b}', '{"c":"d"}', '', '{"t_id":"task"}')`);
    expect(callOf({ ...custom, hasFramework: true }, { t_id: 'task' })).toBe(
      `audit_row('x', 'id', '{a,b}', '{"c":"d"}', 'framework_id', '{"t_id":"task"}')`,
    );
    // A deletion has an event if the resource has a verb for it.
    const eventsOf = (...definition: Parameters<typeof auditTrigger>) => auditTrigger(...definition).events;
    const [kept, deleted] = [
      ['insert', 'update'],
      ['insert', 'update', 'delete'],
    ];
    expect(eventsOf(custom)).toEqual(deleted);
    expect(eventsOf({ ...custom, verbs: ['create', 'update'] })).toEqual(kept);
    expect(eventsOf({ ...custom, verbs: ['create'], verbByColumn: { delete: 'update' } })).toEqual(deleted);
    expect(eventsOf(custom, {}, { hasDelete: false })).toEqual(kept);
  });

  test('rejects a statement before it runs, and is named after a single rejected command', () => {
    const trigger = forbidTrigger('task', ['update of framework_id', 'truncate']);
    expect(trigger).toMatchObject({ timing: 'before', events: ['update', 'truncate'], forEach: 'statement' });
    expect(triggerParts(trigger.expression)).toMatchObject({
      name: 'task_forbid_update',
      events: 'update of framework_id or truncate',
      table: 'task',
      call: 'forbid_statement()',
    });
    expect(forbidTrigger('t', ['delete', 'truncate']).name).toBe('t_forbid');
    expect(forbidTrigger('t', ['update', 'delete']).name).toBe('t_forbid');
    expect(forbidTrigger('t', ['truncate']).name).toBe('t_forbid_truncate');
  });

  test('counts the rows that a statement inserted or deleted', () => {
    expect(countTriggers('task').map(({ expression }) => triggerParts(expression))).toMatchObject([
      {
        name: 'task_count_insert',
        timing: 'after',
        events: 'insert',
        referencing: 'new table as new_rows',
        each: 'statement',
        call: 'update_task_count()',
        when: `not is_receiving('task'::regclass)`,
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
