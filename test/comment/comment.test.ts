import { describe, expect, test } from 'vitest';
import { callTool, valueOf } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { createCommenters, person } from '../support/tenants/comments.ts';

const { acme, caller, ann, ben, newTask, newVendor } = await createCommenters();

describe.each([
  { type: 'task', newParent: newTask, path: (id: string) => `/external/task/${id}` },
  { type: 'vendor', newParent: newVendor, path: (id: string) => `/external/smart-inventory/vendor/${id}` },
])('a comment on a $type', ({ type, newParent, path }) => {
  test('is created, read, listed, changed and deleted over REST', async () => {
    const { key } = acme;
    const parent = await newParent();
    const [id = ''] = Object.values(parent);
    const body = { text: ' Done <script>x</script><b>today</b> ', mentions: [ben.uniqueId, ann.uniqueId] };
    const created = await http('POST', `${path(id)}/comment/new`, { key, body });
    const { uniqueId } = created.body as { uniqueId: string };
    const item = `/external/comment/${uniqueId}`;
    expect(created).toMatchObject({ status: 201, headers: { location: `${item}/item`, etag: /^"1-[0-9a-f]{8}"$/ } });
    expect(created.body).toEqual({
      uniqueId: expect.any(String),
      resource: { type, uniqueId: id },
      kind: 'comment',
      replyTo: null,
      text: 'Done <b>today</b>',
      mentions: [person(ben, 'Ben'), person(ann, 'Ann')],
      resolved: null,
      createdAt: expect.any(String),
      createdBy: acme.apiKey.user,
      updatedAt: expect.any(String),
      updatedBy: acme.apiKey.user,
      version: 1,
    });
    const read = await http('GET', `${item}/item`, { key });
    expect(read).toMatchObject({ status: 200, body: created.body, headers: { etag: created.headers['etag'] } });
    const cached = { 'If-None-Match': String(created.headers['etag']) };
    expect(await http('GET', `${item}/item`, { key, headers: cached })).toMatchObject({ status: 304 });
    expect(await http('GET', `${path(id)}/comment/list`, { key })).toMatchObject({
      status: 200,
      body: { items: [created.body], nextCursor: null },
    });
    const edited = await http('PATCH', `${item}/edit`, {
      key,
      body: { text: 'Later', mentions: [] },
      headers: { 'If-Match': cached['If-None-Match'] },
    });
    expect(edited).toMatchObject({ status: 200, body: { text: 'Later', mentions: [], version: 2 } });
    const stale = { key, headers: { 'If-Match': cached['If-None-Match'] } };
    expect(await http('PATCH', `${item}/edit`, { ...stale, body: { text: 'x' } })).toMatchObject({ status: 412 });
    expect(await http('DELETE', `${item}/delete`, stale)).toMatchObject({ status: 412 });
    expect(await http('DELETE', `${item}/delete`, { key })).toMatchObject({ status: 204, text: '' });
    expect(await http('GET', `${item}/item`, { key })).toMatchObject({
      status: 404,
      body: { error: 'comment: not found' },
    });
  });

  test('is the same over tRPC, with its etag, and over MCP', async () => {
    const parent = await newParent();
    const created = await caller.comment.create({ ...parent, text: 'Done' });
    const { uniqueId: comment, etag } = created;
    expect(created).toMatchObject({ text: 'Done', mentions: [], version: 1, etag: expect.stringMatching(/^1-/) });
    expect(await caller.comment.get({ comment })).toEqual(created);
    expect(await caller.comment.update({ comment, text: 'Done', ifMatch: etag })).toEqual(created);
    const stale = caller.comment.update({ comment, text: 'Again', ifMatch: `2${etag.slice(1)}` });
    await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    const tool = valueOf(await callTool(acme.key, 'comment_create', { ...parent, text: 'Over MCP' }));
    const { items } = await caller.comment.list(parent);
    expect(items.map(({ text }) => text)).toEqual(['Done', 'Over MCP']);
    expect(tool).toMatchObject({ ...items[1] });
    const actions = (await acme.events(comment)).map(({ action }) => action);
    expect(actions).toEqual(['comment.create']);
  });

  test('changes nothing of it, and is deleted with it: first its event, by the same user', async () => {
    const parent = await newParent();
    const [id = ''] = Object.values(parent);
    const before = await http('GET', `${path(id)}/item`, { key: acme.key });
    const { uniqueId: comment } = await caller.comment.create({ ...parent, text: 'Done', mentions: [ann.uniqueId] });
    await caller.comment.update({ comment, text: 'Done again' });
    const after = await http('GET', `${path(id)}/item`, { key: acme.key });
    expect(after).toMatchObject({ body: before.body, headers: { etag: before.headers['etag'] } });
    const deleting = await acme.manage.apiKey.create({ name: 'Deletes' });
    expect(await http('DELETE', `${path(id)}/delete`, { key: deleting.key })).toMatchObject({ status: 204 });
    await expect(caller.comment.get({ comment })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(caller.comment.list(parent)).rejects.toThrow(`${type}: not found`);
    const { items } = await caller.audit.list({ parent: id });
    expect(items.map(({ action }) => action)).toEqual(['comment.delete', 'comment.update', 'comment.create']);
    for (const event of items)
      expect(event).toMatchObject({ resource: { type: 'comment', uniqueId: comment }, parent: { type, uniqueId: id } });
    const [{ changes: last, actor } = {}, { changes } = {}] = items;
    expect(actor).toEqual(deleting.user);
    expect(changes).toEqual({ text: { from: 'Done', to: 'Done again' } });
    expect(last).toMatchObject({
      uniqueId: comment,
      resource: { type, uniqueId: id },
      text: 'Done again',
      mentions: [person(ann, 'Ann')],
      version: 2,
    });
    expect(Object.keys(last ?? {}).toSorted()).toEqual([
      'createdAt',
      'createdBy',
      'kind',
      'mentions',
      'replyTo',
      'resolved',
      'resource',
      'text',
      'uniqueId',
      'updatedAt',
      'updatedBy',
      'version',
    ]);
  });

  test('is in the history with children=true, in the order of changes, and only then', async () => {
    const parent = await newParent();
    const [id = ''] = Object.values(parent);
    await caller.comment.create({ ...parent, text: 'One' });
    await http('PATCH', `${path(id)}/edit`, { key: acme.key, body: { description: 'Changed' } });
    await caller.comment.create({ ...parent, text: 'Two' });
    const history = async (query: string) =>
      (await http('GET', `${path(id)}/history${query}`, { key: acme.key })).body as {
        items: { action: string }[];
        nextCursor: string | null;
      };
    const actions = ({ items }: Awaited<ReturnType<typeof history>>) => items.map(({ action }) => action);
    expect(actions(await history(''))).toEqual([`${type}.update`, `${type}.create`]);
    expect(actions(await history('?children=false'))).toEqual([`${type}.update`, `${type}.create`]);
    const all = ['comment.create', `${type}.update`, 'comment.create', `${type}.create`];
    expect(actions(await history('?children=true'))).toEqual(all);
    const first = await history('?children=true&limit=3');
    const second = await history(`?children=true&limit=3&cursor=${first.nextCursor}`);
    expect([...actions(first), ...actions(second)]).toEqual(all);
    expect(await http('GET', `${path(id)}/history?cursor=${first.nextCursor}`, { key: acme.key })).toMatchObject({
      status: 400,
    });
    await http('DELETE', `${path(id)}/delete`, { key: acme.key });
    expect(actions(await history('?children=true'))).toEqual([
      `${type}.delete`,
      'comment.delete',
      'comment.delete',
      ...all,
    ]);
  });
});

test('comments are listed oldest first, in pages', async () => {
  const parent = await newTask();
  for (const text of ['1', '2', '3']) await caller.comment.create({ ...parent, text });
  const first = await caller.comment.list({ ...parent, limit: 2 });
  const second = await caller.comment.list({ ...parent, limit: 2, cursor: first.nextCursor ?? '' });
  expect([...first.items, ...second.items].map(({ text }) => text)).toEqual(['1', '2', '3']);
  const other = await caller.comment.list({ ...(await newTask()), cursor: first.nextCursor ?? '' }).catch(String);
  expect(other).toContain('cursor: expected a cursor of this list');
});
