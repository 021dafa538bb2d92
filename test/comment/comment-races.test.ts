import { expect, test } from 'vitest';
import { MAX_COMMENTS } from '../../entities/comment/comment.ts';
import { asOwner, sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { createCommenters } from '../support/tenants/comments.ts';

const { acme, caller, newTask, newVendor } = await createCommenters();
const { key } = acme;

/** Sends requests at once. Returns their statuses in ascending order. */
const statusesOf = async (requests: ReturnType<typeof http>[]) =>
  (await Promise.all(requests)).map(({ status }) => status).toSorted((one, other) => one - other);

test('20 comments at once do not exceed the maximum of a task, and another task is not affected', async () => {
  const { taskUniqueId } = await newTask();
  const user = acme.apiKey.user.uniqueId;
  await asOwner(
    (run) =>
      run(
        `insert into comment (company_id, unique_id, task_id, text, created_by_id, updated_by_id)
         select $1, uuid_v7(), $2, 'Seeded', $3, $3 from generate_series(1, $4::int)`,
        acme.id,
        taskUniqueId,
        user,
        MAX_COMMENTS - 10,
      ),
    { company: acme.id, user },
  );
  const add = (id = taskUniqueId) => http('POST', `/external/task/${id}/comment/new`, { key, body: { text: 'x' } });
  const statuses = await statusesOf(Array.from({ length: 20 }, () => add()));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), ...Array.from({ length: 10 }, () => 422)]);
  const count = 'select count(*)::int as total from comment where company_id = $1 and task_id = $2';
  expect(await sql(count, acme.id, taskUniqueId)).toEqual([{ total: MAX_COMMENTS }]);
  expect(await add()).toMatchObject({
    body: { error: 'comment: expected at most 1000 for a task, vendor, or requirement' },
  });
  expect(await add((await newTask()).taskUniqueId)).toMatchObject({ status: 201 });
  const { items } = await caller.comment.list({ taskUniqueId, limit: 1 });
  await caller.comment.delete({ comment: items[0]?.uniqueId ?? '' });
  expect(await add()).toMatchObject({ status: 201 });
});

test('a task or vendor that is deleted while comments are written leaves none, and every event comes before its own', async () => {
  for (let round = 0; round < 6; round++) {
    const isTask = round % 2 === 0;
    const id = isTask ? (await newTask()).taskUniqueId : (await newVendor()).vendor;
    const path = isTask ? `/external/task/${id}` : `/external/smart-inventory/vendor/${id}`;
    const add = () => http('POST', `${path}/comment/new`, { key, body: { text: 'x' } });
    const requests = [add(), add(), http('DELETE', `${path}/delete`, { key }), add(), add(), add()];
    const statuses = await statusesOf(requests);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    const created = statuses.filter((status) => status === 201);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5 - created.length);
    const left = 'select from comment where company_id = $1 and $2::uuid in (task_id, vendor_id)';
    expect(await sql(left, acme.id, id)).toEqual([]);
    const events = await sql<{ action: string }>(
      'select action from audit_event where company_id = $1 and $2 in (resource_id, parent_id) order by id',
      acme.id,
      id,
    );
    const actions = events.map(({ action }) => action);
    const times = (action: string) => actions.filter((one) => one === action).length;
    expect(actions.at(-1)).toBe(isTask ? 'task.delete' : 'vendor.delete');
    expect([times('comment.create'), times('comment.delete')]).toEqual([created.length, created.length]);
  }
});

test('of two changes at once with the same If-Match, one succeeds', async () => {
  const { uniqueId: comment, etag } = await caller.comment.create({ ...(await newTask()), text: 'x' });
  const change = (text: string) =>
    http('PATCH', `/external/comment/${comment}/edit`, { key, body: { text }, headers: { 'If-Match': `"${etag}"` } });
  expect(await statusesOf([change('One'), change('Two')])).toEqual([200, 412]);
  expect(await caller.comment.get({ comment })).toMatchObject({ version: 2 });
});

test('comments on many tasks and their deletion at once all succeed', async () => {
  const tasks = await Promise.all(Array.from({ length: 8 }, newTask));
  const add = ({ taskUniqueId }: { taskUniqueId: string }) =>
    http('POST', `/external/task/${taskUniqueId}/comment/new`, { key, body: { text: 'x' } });
  const rounds = [...tasks, ...tasks.toReversed(), ...tasks];
  expect(new Set(await statusesOf(rounds.map(add)))).toEqual(new Set([201]));
  const items = tasks.map(({ taskUniqueId: uniqueId }) => ({ op: 'delete' as const, uniqueId }));
  expect(await acme.task.batch({ items })).toMatchObject({ succeeded: tasks.length });
  for (const { taskUniqueId } of tasks) {
    const { items: events } = await caller.task.history({ taskUniqueId, children: true, limit: 5 });
    const actions = events.map(({ action }) => action);
    expect(actions.slice(0, 4)).toEqual(['task.delete', 'comment.delete', 'comment.delete', 'comment.delete']);
  }
});
