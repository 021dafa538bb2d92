import { describe, expect } from 'vitest';
import type { z } from 'zod';
import { formatIssues } from '../../procedures/core/errors.ts';
import { NewComment } from '../../procedures/comment/schemas.ts';
import { NewTask, TaskChanges, TaskPut } from '../../procedures/task/schemas.ts';
import { NewVendor, VendorChanges } from '../../procedures/vendor/schemas.ts';
import { NewWebhook, WebhookChanges } from '../../procedures/webhook/schemas.ts';
import { callTool, valueOf } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { test } from '../support/fixtures/test.ts';

function errorOf(schema: z.ZodType, input: object): string {
  const { success, error } = schema.safeParse(input);
  if (success) throw new Error('expected an error');
  return formatIssues(error);
}

/** What the error says of one more field. */
const saidOf = (schema: z.ZodType, name: string, valid: object) =>
  errorOf(schema, { ...valid, [name]: 1 }).replace(`${name}: `, '');

const TASK = { framework: 1, title: 'x' };
const EXTERNAL_IDS =
  'unknown field; PUT …/by/{source}/{externalId} creates or changes an object by one, POST …/link adds one';

describe('the error for an unknown field', () => {
  test.for([
    ['assignee', 'assigneeId'],
    ['department', 'departmentId'],
    ['departments', 'departmentId'],
    ['department_id', 'departmentId'],
    ['due_date', 'dueDate'],
    ['duedate', 'dueDate'],
    ['DueDate', 'dueDate'],
    ['due-date', 'dueDate'],
    ['dueDat', 'dueDate'],
    ['dueDtae', 'dueDate'],
    ['desciption', 'description'],
    ['label', 'labels'],
    ['gapIds', 'gaps'],
    ['vendorId', 'vendors'],
  ] as const)('%s names %s', ([name, meant]) => {
    expect(saidOf(NewTask, name, TASK)).toBe(`unknown field; did you mean ${meant}?`);
    expect(saidOf(TaskChanges, name, { taskUniqueId: '' })).toBe(`unknown field; did you mean ${meant}?`);
  });

  test.for(['tags', 'x', 'id', 'ids', '_', '', 'toString', '__proto__x', 'dueTo', 'a\nb'])(
    '%j names no other field',
    (name) => {
      expect(errorOf(NewTask, { ...TASK, [name]: 1 })).toMatch(/unknown field$/);
    },
  );

  test.for(['uniqueId', 'previous', 'next', 'closedBy', 'evidenceCount', 'createdAt', 'updatedBy', 'version'])(
    '%s says that it is read-only',
    (name) => {
      expect(saidOf(NewTask, name, TASK)).toBe('unknown field; it is read-only');
      expect(saidOf(TaskChanges, name, { taskUniqueId: '' })).toBe('unknown field; it is read-only');
      expect(saidOf(TaskPut, name, { ...TASK, source: 'erp', externalId: '1' })).toBe('unknown field; it is read-only');
    },
  );

  test('tells where status and externalIds belong', () => {
    const sets = 'PUT …/by/{source}/{externalId} or PATCH …/edit sets it';
    expect(saidOf(NewTask, 'status', TASK)).toBe(`unknown field; a new task is todo; ${sets}`);
    expect(saidOf(NewVendor, 'status', { name: 'x' })).toBe(
      `unknown field; a new vendor is active, or inactive with active: false; ${sets}`,
    );
    for (const [schema, valid] of [
      [NewTask, TASK],
      [TaskChanges, { taskUniqueId: '' }],
      [TaskPut, { ...TASK, source: 'erp', externalId: '1' }],
      [NewVendor, { name: 'x' }],
      [VendorChanges, { vendor: '' }],
    ] as const)
      expect(saidOf(schema, 'externalIds', valid)).toBe(EXTERNAL_IDS);
  });

  test('knows the fields of other objects, and of nested ones', () => {
    expect(saidOf(NewVendor, 'owner', { name: 'x' })).toBe('unknown field; did you mean ownerId?');
    expect(saidOf(VendorChanges, 'lastReview', { vendor: '' })).toBe('unknown field; it is read-only');
    expect(saidOf(NewComment, 'createdAt', { taskUniqueId: 'x', text: 'x' })).toBe('unknown field; it is read-only');
    const url = 'https://hooks.example.com';
    expect(saidOf(NewWebhook, 'event', { url })).toBe('unknown field; did you mean events?');
    expect(saidOf(NewWebhook, 'enabled', { url })).toBe(
      'unknown field; a new endpoint is enabled; PATCH …/edit sets it',
    );
    expect(saidOf(WebhookChanges, 'disabledReason', { webhook: '' })).toBe('unknown field; it is read-only');
    expect(errorOf(NewVendor, { name: 'x', contacts: [{ name: 'Ann', eMail: 'ann@vendor.example' }] })).toBe(
      'contacts.0.eMail: unknown field; did you mean email?',
    );
  });

  test('explains each of the first five', () => {
    expect(errorOf(NewVendor, { name: 'x', Owner: 1, colour: 1, version: 1 })).toBe(
      'Owner: unknown field; did you mean ownerId?; colour: unknown field; version: unknown field; it is read-only',
    );
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`labels${index}`, 1]));
    expect(errorOf(NewVendor, { name: 'x', ...many }).split('; ').length).toBe(10);
  });

  test('is the same over REST, tRPC, batches and MCP', async ({ acme }) => {
    const { key, framework } = acme;
    const body = { title: 'x', assignee: null, createdAt: null };
    const error = 'assignee: unknown field; did you mean assigneeId?; createdAt: unknown field; it is read-only';
    const items = [{ op: 'create', framework, body }];
    const result = { results: [{ status: 400, error }] };
    expect(await http('POST', `/external/task/framework/${framework}/new`, { key, body })).toMatchObject({
      status: 400,
      body: { error },
    });
    expect(await http('POST', '/trpc/task.create', { key, body: { framework, ...body } })).toMatchObject({
      body: { error: { message: error } },
    });
    expect(await http('POST', '/external/task/batch', { key, body: { items } })).toMatchObject({ body: result });
    expect(valueOf(await callTool(key, 'task_batch', { items }))).toMatchObject(result);
  });
});
