import { expect, test } from 'vitest';
import { callerForKey, createCompany } from '../support/tenants/company.ts';

const acme = await createCompany();
const { comment } = await callerForKey(acme.key);
const TOO_MANY = 'expected HTML with at most 2,000 start and end tags';

test('a text has at most 2,000 start and end tags, whatever its length', async () => {
  const { framework } = acme;
  const html = '<b>x</b>'.repeat(1000);
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', description: html });
  const { uniqueId: taskUniqueId } = await acme.task.create({ framework, title: 'Task', description: html });
  expect(await acme.vendor.get({ vendor })).toMatchObject({ description: html });
  const tooMany = `${html}<br>`;
  await expect(acme.vendor.update({ vendor, description: tooMany })).rejects.toThrow(`description: ${TOO_MANY}`);
  await expect(acme.task.update({ taskUniqueId, description: tooMany })).rejects.toThrow(`description: ${TOO_MANY}`);
  await expect(comment.create({ vendor, text: tooMany })).rejects.toThrow(`text: ${TOO_MANY}`);
  expect(await acme.vendor.get({ vendor })).toMatchObject({ description: html, version: 1 });
});

test('a `<` that begins no tag does not count', async () => {
  const description = '1 < 2, <3 '.repeat(1100);
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd', description });
  expect((await acme.vendor.get({ vendor })).description).toContain('1 &lt; 2');
});

test('a comment has at most 25,000 characters before its HTML is sanitized', async () => {
  const { uniqueId: taskUniqueId } = await acme.task.create({ framework: acme.framework, title: 'Task' });
  const removed = (length: number) => `Kept<!--${'x'.repeat(length - 11)}-->`;
  const created = await comment.create({ taskUniqueId, text: removed(25_000) });
  expect(created.text).toBe('Kept');
  const longer = comment.create({ taskUniqueId, text: removed(25_001) });
  await expect(longer).rejects.toThrow('text: expected text of 1 to 10000 characters');
});

test('an item of a batch with too many tags fails alone, and an atomic batch names its field', async () => {
  const items = [
    { op: 'create' as const, body: { name: 'One' } },
    { op: 'create' as const, body: { name: 'Two', description: '<b>'.repeat(6600) } },
  ];
  const { results } = await acme.vendor.batch({ items });
  expect(results).toMatchObject([{ status: 201 }, { status: 400, error: `description: ${TOO_MANY}` }]);
  await expect(acme.vendor.batch({ atomic: true, items })).rejects.toThrow(`items.1.description: ${TOO_MANY}`);
});
