import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { asOwner } from '../support/database/database.ts';
import { callTool, valueOf } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { createCommenters, person } from '../support/tenants/comments.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { readAll, seal } from '../support/tenants/feed.ts';

const { acme, caller, ann, ben, newTask, newVendor } = await createCommenters();
const ada = await createMember(acme, { name: 'Ada', role: 'auditor' });
const newRequirement = async () => ({
  requirement: (
    await ann.caller.requirement.create({ framework: acme.framework, ref: newUniqueId(), title: 'Access control' })
  ).uniqueId,
});

const newFramework = async ({ manage }: typeof acme) => (await manage.framework.create({ name: newUniqueId() })).id;

/** A question of the auditor on a new task. */
async function ask() {
  const parent = await newTask();
  const { uniqueId } = await ada.caller.comment.create({ ...parent, text: 'Who approved it?', kind: 'question' });
  return { parent, comment: uniqueId };
}

describe('a question', () => {
  test('is resolved and reopened over REST, with a new version, an event of its own, and nothing the second time', async () => {
    const { key } = acme;
    const parent = await newTask();
    const path = `/external/task/${parent.taskUniqueId}/comment/new`;
    const body = { text: 'Who approved it?', kind: 'question' };
    const created = await http('POST', path, { key, body });
    expect(created).toMatchObject({ status: 201, body: { kind: 'question', replyTo: null, resolved: null } });
    const { uniqueId: comment } = created.body as { uniqueId: string };
    const act = (verb: string, headers = {}) => http('POST', `/external/comment/${comment}/${verb}`, { key, headers });
    const first = { 'If-Match': String(created.headers['etag']) };
    const resolved = await act('resolve', first);
    expect(resolved).toMatchObject({
      status: 200,
      headers: { etag: expect.stringMatching(/^"2-/) },
      body: { version: 2, resolved: { at: expect.any(String), by: acme.apiKey.user }, text: body.text },
    });
    expect(resolved.body).toMatchObject({ resolved: { at: Reflect.get(Object(resolved.body), 'updatedAt') } });
    expect(await act('reopen', first)).toMatchObject({ status: 412 });
    expect(await act('resolve')).toMatchObject({ status: 200, body: resolved.body });
    expect(await act('reopen')).toMatchObject({ status: 200, body: { version: 3, resolved: null } });
    expect(await act('reopen')).toMatchObject({ status: 200, body: { version: 3 } });
    await seal(acme);
    const { items } = await readAll(caller);
    const events = items.filter(({ resource }) => resource.uniqueId === comment);
    const at = Reflect.get(Object(resolved.body), 'resolved');
    expect(events).toMatchObject([
      { action: 'comment.create', changes: { kind: 'question', replyTo: null, resolved: null } },
      { action: 'comment.resolve', parent: { type: 'task' }, changes: { resolved: { from: null, to: at } } },
      { action: 'comment.reopen', changes: { resolved: { from: at, to: null } } },
    ]);
    expect(events.map(({ changes }) => Object.keys(changes ?? {})).slice(1)).toEqual([['resolved'], ['resolved']]);
  });

  test('is resolved as a tool, and once under an Idempotency-Key', async () => {
    const { uniqueId: comment } = await caller.comment.create({
      ...(await newVendor()),
      text: 'Why?',
      kind: 'question',
    });
    expect(valueOf(await callTool(acme.key, 'comment_resolve', { comment }))).toMatchObject({ version: 2 });
    const reopen = () =>
      http('POST', `/external/comment/${comment}/reopen`, { key: acme.key, headers: { 'Idempotency-Key': comment } });
    const [first, second] = [await reopen(), await reopen()];
    expect(second).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  });

  test('is resolved by its author, auditors and admins, and by nobody else; only its author changes it', async () => {
    const other = await callerForKey((await acme.manage.apiKey.create({ name: 'Other' })).key);
    const limited = await createMember(acme, { name: 'Abe', role: 'auditor', frameworks: [acme.framework] });
    const { id: framework } = await acme.manage.framework.create({ name: 'SOC 2' });
    const elsewhere = await createMember(acme, { name: 'Amy', role: 'auditor', frameworks: [framework] });
    const { parent, comment } = await ask();
    const error = {
      code: 'FORBIDDEN',
      message: 'comment: only its author, an auditor or an admin may resolve or reopen it',
    };
    for (const { comment: procedures } of [ben.caller, caller, other])
      for (const act of [procedures.resolve, procedures.reopen])
        await expect(act({ comment })).rejects.toMatchObject(error);
    await expect(elsewhere.caller.comment.resolve({ comment })).rejects.toThrow('framework: you may not access');
    expect(await limited.caller.comment.resolve({ comment })).toMatchObject({
      resolved: { by: person(limited, 'Abe') },
    });
    expect(await ann.caller.comment.reopen({ comment })).toMatchObject({ resolved: null, updatedBy: ann.user });
    expect(await ada.caller.comment.resolve({ comment })).toMatchObject({ version: 4 });
    for (const { caller: one } of [ann, ben, limited])
      await expect(one.comment.update({ comment, text: 'x' })).rejects.toThrow('only its author may change it');
    await expect(limited.caller.comment.delete({ comment })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const own = await ben.caller.comment.create({ ...parent, text: 'And when?', kind: 'question', replyTo: comment });
    expect(await ben.caller.comment.resolve({ comment: own.uniqueId })).toMatchObject({ resolved: { by: ben.user } });
    expect(await ada.caller.comment.update({ comment, text: 'Who?' })).toMatchObject({ version: 5, text: 'Who?' });
  });

  test('alone is resolved: a comment is 409, and so it is in the database', async () => {
    const { uniqueId: comment } = await ada.caller.comment.create({ ...(await newTask()), text: 'Fine' });
    for (const { comment: procedures } of [ada.caller, ann.caller])
      for (const act of [procedures.resolve, procedures.reopen])
        await expect(act({ comment })).rejects.toMatchObject({ code: 'CONFLICT' });
    const resolve = asOwner(
      (run) =>
        run(
          `update comment set resolved = jsonb_build_object('at', now(), 'by', updated_by_id) where unique_id = $1::uuid`,
          comment,
        ),
      { company: acme.id, user: ada.uniqueId },
    );
    await expect(resolve).rejects.toThrow('comment_question_resolved');
  });

  test('stays one: a change takes neither its kind nor what it replies to', async () => {
    const { parent, comment } = await ask();
    const reply = await ada.caller.comment.create({ ...parent, text: 'Also', replyTo: comment });
    for (const body of [{ kind: 'comment' }, { replyTo: null }, { resolved: null }])
      expect(await http('PATCH', `/external/comment/${reply.uniqueId}/edit`, { key: acme.key, body })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('unknown field; it is read-only') },
      });
  });

  test('resolved many times at once has one event', async () => {
    const { comment } = await ask();
    const results = await Promise.all([ada, ann, ada, ann].map((member) => member.caller.comment.resolve({ comment })));
    expect(new Set(results.map(({ version }) => version))).toEqual(new Set([2]));
    expect((await acme.events(comment)).map(({ action }) => action)).toEqual(['comment.create', 'comment.resolve']);
  });

  test('keeps the entity tag that names who resolved it', async () => {
    const { comment } = await ask();
    const { etag } = await ann.caller.comment.resolve({ comment });
    expect(await ada.caller.comment.update({ comment, text: 'Why?', ifMatch: etag })).toMatchObject({ version: 3 });
    await expect(ada.caller.comment.reopen({ comment, ifMatch: etag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });
});

describe('a reply', () => {
  test('names a question on the same object, on a task, a vendor and a requirement, and may be a question', async () => {
    for (const parent of [await newTask(), await newVendor(), await newRequirement()]) {
      const { uniqueId: replyTo } = await ada.caller.comment.create({ ...parent, text: 'Why?', kind: 'question' });
      const reply = await ben.caller.comment.create({ ...parent, text: 'So', replyTo });
      const further = await ada.caller.comment.create({ ...parent, text: 'How?', replyTo, kind: 'question' });
      expect([reply, further]).toMatchObject([
        { kind: 'comment', replyTo },
        { kind: 'question', replyTo },
      ]);
      expect((await ada.caller.comment.list(parent)).items.map((item) => item.replyTo)).toEqual([
        null,
        replyTo,
        replyTo,
      ]);
    }
  });

  test('to what is no question on the object is 422 that names the field, after the object itself', async () => {
    const { parent, comment: question } = await ask();
    const plain = await ada.caller.comment.create({ ...parent, text: 'Fine' });
    const other = await createCompany();
    const { uniqueId: foreign } = await (
      await callerForKey(other.key)
    ).comment.create({ taskUniqueId: (await other.newTask()).uniqueId, text: 'x', kind: 'question' });
    const error = 'replyTo: expected a question on the same object';
    for (const replyTo of [plain.uniqueId, newUniqueId(), foreign, parent.taskUniqueId])
      await expect(ada.caller.comment.create({ ...parent, text: 'x', replyTo })).rejects.toMatchObject({
        code: 'UNPROCESSABLE_CONTENT',
        message: error,
      });
    for (const elsewhere of [await newTask(), await newVendor(), await newRequirement()])
      await expect(ada.caller.comment.create({ ...elsewhere, text: 'x', replyTo: question })).rejects.toThrow(error);
    const unknown = { taskUniqueId: newUniqueId(), text: 'x', replyTo: question };
    await expect(ada.caller.comment.create(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await ada.caller.comment.list(parent)).items).toHaveLength(2);
  });

  test('to a deleted question shows null, with its entity tag and its events as they were', async () => {
    const { parent, comment: question } = await ask();
    const { uniqueId: comment, etag } = await ben.caller.comment.create({ ...parent, text: 'Me', replyTo: question });
    await ada.caller.comment.delete({ comment: question });
    expect(await ben.caller.comment.get({ comment })).toMatchObject({ replyTo: null, version: 1, etag });
    expect(await ben.caller.comment.update({ comment, text: 'I', ifMatch: etag })).toMatchObject({ replyTo: null });
    const { items } = await caller.audit.list({ resourceType: 'comment', resourceId: comment });
    expect(items.at(-1)).toMatchObject({ action: 'comment.create', changes: { replyTo: question } });
    await expect(ben.caller.comment.create({ ...parent, text: 'Again', replyTo: question })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
  });
});

describe('an auditor', () => {
  test('comments on everything that the auditor reads, and changes and deletes only own comments', async () => {
    for (const parent of [await newTask(), await newVendor(), await newRequirement()]) {
      const { uniqueId: comment } = await ada.caller.comment.create({
        ...parent,
        text: 'Seen',
        mentions: [ben.uniqueId],
      });
      await ada.caller.comment.update({ comment, text: 'Seen again' });
      const { uniqueId: others } = await ben.caller.comment.create({ ...parent, text: 'Mine' });
      await expect(ada.caller.comment.update({ comment: others, text: 'x' })).rejects.toThrow('only its author');
      await expect(ada.caller.comment.delete({ comment: others })).rejects.toThrow('only its author');
      await ada.caller.comment.delete({ comment });
      expect((await ada.caller.comment.list(parent)).items).toMatchObject([{ uniqueId: others }]);
    }
    const { taskUniqueId } = await newTask();
    const limited = await createMember(acme, { role: 'auditor', frameworks: [await newFramework(acme)] });
    await expect(limited.caller.comment.create({ taskUniqueId, text: 'x' })).rejects.toThrow('framework: you may not');
    await expect(ada.caller.task.update({ taskUniqueId, title: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the list of all comments', () => {
  test('has the newest first, in pages, with filters by kind, state and author', async () => {
    const other = await createCommenters();
    const eve = await createMember(other.acme, { role: 'auditor' });
    const [task, vendor] = [await other.newTask(), await other.newVendor()];
    const add = async (parent: object, author: typeof eve, text: string, kind: 'comment' | 'question' = 'comment') =>
      (await author.caller.comment.create({ ...parent, text, kind })).uniqueId;
    await add(task, other.ben, '1');
    await add(vendor, eve, '2', 'question');
    const resolved = await add(task, eve, '3', 'question');
    await add(vendor, other.ben, '4', 'question');
    await eve.caller.comment.resolve({ comment: resolved });
    const textsOf = async (query: Parameters<typeof caller.comment.listAll>[0], by = eve) =>
      (await by.caller.comment.listAll(query)).items.map(({ text }) => text).join('');
    expect(await textsOf({})).toBe('4321');
    expect(await textsOf({ kind: 'question' })).toBe('432');
    expect(await textsOf({ kind: 'comment' })).toBe('1');
    expect(await textsOf({ resolved: true })).toBe('3');
    expect(await textsOf({ resolved: false })).toBe('42');
    expect(await textsOf({ kind: 'comment', resolved: false })).toBe('');
    expect(await textsOf({ author: eve.uniqueId })).toBe('32');
    expect(await textsOf({ author: newUniqueId() })).toBe('');
    const first = await eve.caller.comment.listAll({ kind: 'question', limit: 2 });
    const rest = { kind: 'question' as const, limit: 2, cursor: first.nextCursor ?? '' };
    expect(await textsOf(rest)).toBe('2');
    await expect(eve.caller.comment.listAll({ ...rest, kind: 'comment' })).rejects.toThrow('cursor: expected');
    const limited = await createMember(other.acme, { role: 'auditor', frameworks: [await newFramework(other.acme)] });
    expect(await textsOf({}, limited)).toBe('42');
    expect(await eve.caller.overview.questions()).toEqual({ open: { count: 2, more: false } });
    const onTask = await add(task, other.ben, '5', 'question');
    expect(await eve.caller.overview.questions()).toEqual({ open: { count: 3, more: false } });
    expect(await limited.caller.overview.questions()).toEqual({ open: { count: 2, more: false } });
    expect((await eve.caller.comment.listAll({ limit: 1 })).items[0]).toEqual(
      (await eve.caller.comment.list(task)).items.find(({ uniqueId }) => uniqueId === onTask),
    );
  });

  test('over REST needs one of the read scopes, and shows what they reach', async () => {
    const path = '/external/comment/list?kind=question&resolved=false';
    await caller.comment.create({ ...(await newVendor()), text: 'Why?', kind: 'question' });
    await ask();
    const listWith = async (...scopes: ('task:read' | 'vendor:read' | 'audit:read')[]) =>
      http('GET', path, { key: (await acme.manage.apiKey.create({ name: 'Narrow', scopes })).key });
    expect(await listWith('audit:read')).toMatchObject({ status: 403 });
    for (const type of ['task', 'vendor'] as const) {
      const { status, body } = await listWith(`${type}:read`);
      const { items } = body as { items: { resource: { type: string } }[] };
      expect([
        status,
        items.length > 0,
        items.every(({ resource }) => (resource.type === 'vendor') === (type === 'vendor')),
      ]).toEqual([200, true, true]);
    }
    expect(await http('GET', '/external/comment/list?author=nobody', { key: acme.key })).toMatchObject({ status: 400 });
  });
});
