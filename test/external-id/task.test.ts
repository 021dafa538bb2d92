import { describe, expect, test } from 'vitest';
import { importFile, tasksOf } from '../support/tenants/imports.ts';
import { callerWithPermissions, createCompany } from '../support/tenants/company.ts';

const acme = await createCompany();
const { task } = acme;

let count = 0;
const newKey = () => ({ framework: acme.framework, source: 'jira', externalId: `SEC-${(count += 1)}` });

describe('putByExternalId', () => {
  test('creates a task with any status, reads it and deletes it', async () => {
    const key = newKey();
    const body = { title: 'Review', status: 'done' as const, departmentId: acme.department, gaps: [acme.gap] };
    const { upsert, item } = await task.putByExternalId({ ...key, ...body });
    expect(upsert).toBe('created');
    const { framework, ...reference } = key;
    expect(item).toMatchObject({ ...body, framework, externalIds: [reference], version: 1, priority: 3 });
    expect(await task.getByExternalId(key)).toEqual(item);
    expect(await task.get({ taskUniqueId: item.uniqueId })).toEqual(item);
    expect(await task.putByExternalId({ ...key, ...body })).toEqual({ upsert: 'unchanged', item });
    await task.deleteByExternalId(key);
    await expect(task.getByExternalId(key)).rejects.toThrow('task: not found');
    await expect(task.putByExternalId({ ...key, ...body })).rejects.toMatchObject({ code: 'CONFLICT' });
    const again = await task.putByExternalId({ ...key, ...body, recreate: true });
    expect(again.upsert).toBe('created');
    expect(again.item.uniqueId).not.toBe(item.uniqueId);
  });

  test('a request that is repeated undoes nothing that a person changed meanwhile', async () => {
    const key = newKey();
    const { item } = await task.putByExternalId({ ...key, title: 'x' });
    const changes = {
      priority: 1,
      labels: ['a'],
      dueDate: '2026-02-01',
      gaps: [acme.gap],
      departmentId: acme.department,
    };
    await task.update({ taskUniqueId: item.uniqueId, ...changes });
    const repeated = await task.putByExternalId({ ...key, title: 'x' });
    expect(repeated).toMatchObject({ upsert: 'unchanged', item: { ...changes, version: 2 } });
    await task.batch({ items: [{ op: 'upsert', ...key, body: { title: 'x' } }] });
    const rows = [{ externalId: key.externalId, title: 'x' }];
    expect(await importFile(acme, `${tasksOf(acme)}/import?source=${key.source}`, rows)).toMatchObject({
      unchanged: 1,
    });
    expect(await acme.events(item.uniqueId)).toHaveLength(2);
  });

  test('replace sets fields to their default except the status, merge keeps all', async () => {
    const key = newKey();
    const dates = { startDate: '2026-01-01', dueDate: '2026-02-01' };
    const fields = { ...dates, labels: ['a'], priority: 1, departmentId: acme.department, gaps: [acme.gap] };
    await task.putByExternalId({ ...key, title: 'x', status: 'in_progress', ...fields });
    const merged = await task.putByExternalId({ ...key, title: 'y' });
    expect(merged).toMatchObject({ upsert: 'updated', item: { title: 'y', status: 'in_progress', ...fields } });
    const replaced = await task.putByExternalId({ ...key, mode: 'replace', title: 'y' });
    expect(replaced).toMatchObject({
      upsert: 'updated',
      item: { labels: [], priority: 3, departmentId: null, gaps: [], startDate: null, status: 'in_progress' },
    });
  });

  test('rules of transitions, dates and references hold', async () => {
    const key = newKey();
    await task.putByExternalId({ ...key, title: 'x', status: 'done' });
    await expect(task.putByExternalId({ ...key, title: 'x', status: 'canceled' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await task.putByExternalId({ ...key, title: 'x', status: 'in_progress' })).toMatchObject({
      upsert: 'updated',
    });
    for (const invalid of [{ startDate: '2026-02-01', dueDate: '2026-01-01' }, { departmentId: 2147483647 }]) {
      const error = { code: 'UNPROCESSABLE_CONTENT' };
      await expect(task.putByExternalId({ ...key, title: 'x', ...invalid })).rejects.toMatchObject(error);
      const unknown = newKey();
      await expect(task.putByExternalId({ ...unknown, title: 'x', ...invalid })).rejects.toMatchObject(error);
      await expect(task.getByExternalId(unknown)).rejects.toThrow('task: not found');
    }
    await expect(task.putByExternalId({ ...newKey(), mode: 'replace' })).rejects.toThrow('title: required');
    await expect(task.putByExternalId(newKey())).rejects.toThrow('title: required');
  });

  test('an unknown framework is 404 and an archived one 422', async () => {
    for (const framework of [2147483647, 2147483648, 0]) {
      await expect(task.putByExternalId({ ...newKey(), framework, title: 'x' })).rejects.toThrow(
        'framework: not found',
      );
      await expect(task.getByExternalId({ ...newKey(), framework })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const { id: framework } = await acme.manage.framework.create({ name: 'Old' });
    const key = { ...newKey(), framework };
    await task.putByExternalId({ ...key, title: 'x' });
    await acme.manage.framework.archive({ id: framework });
    await expect(task.putByExternalId({ ...newKey(), framework, title: 'x' })).rejects.toThrow(
      'framework: is archived',
    );
    expect(await task.putByExternalId({ ...key, title: 'y' })).toMatchObject({ upsert: 'updated' });
    await task.deleteByExternalId(key);
    await expect(task.putByExternalId({ ...key, title: 'x', recreate: true })).rejects.toThrow(
      'framework: is archived',
    );
  });

  test('frameworks have separate ids, and a key without the framework is rejected', async () => {
    const key = newKey();
    const { id: other } = await acme.manage.framework.create({ name: 'Other' });
    const { item } = await task.putByExternalId({ ...key, title: 'x' });
    expect(await task.putByExternalId({ ...key, framework: other, title: 'x' })).toMatchObject({ upsert: 'created' });
    const { task: limited } = callerWithPermissions(acme, { frameworks: [other] });
    const forbidden = { code: 'FORBIDDEN' };
    await expect(limited.putByExternalId({ ...key, title: 'y' })).rejects.toMatchObject(forbidden);
    await expect(limited.getByExternalId(key)).rejects.toMatchObject(forbidden);
    await expect(limited.deleteByExternalId(key)).rejects.toMatchObject(forbidden);
    const link = { taskUniqueId: item.uniqueId, source: 'jira', externalId: 'z' };
    await expect(limited.link(link)).rejects.toMatchObject(forbidden);
  });

  test('the count of tasks follows', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'Counted' });
    const key = { ...newKey(), framework };
    await task.putByExternalId({ ...key, title: 'x' });
    await task.putByExternalId({ ...key, title: 'x', externalId: 'b', dryRun: true });
    expect(await task.list({ framework })).toEqual({ total: 1 });
    await task.deleteByExternalId(key);
    expect(await task.list({ framework })).toEqual({ total: 0 });
  });
});

test('a link belongs to the framework of the task', async () => {
  const created = await acme.newTask();
  const { framework, ...reference } = newKey();
  const linked = await task.link({ taskUniqueId: created.uniqueId, ...reference });
  expect(linked).toMatchObject({ externalIds: [reference], version: 2 });
  expect(await task.getByExternalId({ framework, ...reference })).toEqual(linked);
  expect(await task.link({ taskUniqueId: created.uniqueId, ...reference })).toEqual(linked);
  const other = await acme.newTask();
  await expect(task.link({ taskUniqueId: other.uniqueId, ...reference })).rejects.toMatchObject({ code: 'CONFLICT' });
});
