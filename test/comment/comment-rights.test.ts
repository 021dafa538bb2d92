import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { http } from '../support/http/server.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { callerForKey, operatorCaller } from '../support/tenants/company.ts';

const { acme, caller, ann, ben, newTask, newVendor } = await createCommenters();

describe('the author', () => {
  test('alone changes a comment; the author, an admin and the operator delete it; a key is not an admin', async () => {
    const parent = await newTask();
    const other = await callerForKey((await acme.manage.apiKey.create({ name: 'Other' })).key);
    const add = async () => ({ comment: (await ben.caller.comment.create({ ...parent, text: 'Mine' })).uniqueId });
    const comment = await add();
    for (const { comment: procedures } of [ann.caller, caller, other]) {
      const update = procedures.update({ ...comment, text: 'x', mentions: [newUniqueId()] });
      await expect(update).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: 'comment: only its author may change it',
      });
    }
    for (const { comment: procedures } of [caller, other])
      await expect(procedures.delete(comment)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: 'comment: only its author, an admin or the operator may delete it',
      });
    expect(await ben.caller.comment.get(comment)).toMatchObject({ text: 'Mine', version: 1 });
    await ben.caller.comment.delete(comment);
    await ann.caller.comment.delete(await add());
    await operatorCaller(acme).comment.delete(await add());
    const create = operatorCaller(acme).comment.create({ ...parent, text: 'x' });
    await expect(create).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await caller.comment.list(parent)).items).toEqual([]);
  });
});

describe('scopes', () => {
  const keyWith = async (...scopes: ('task:read' | 'task:write' | 'vendor:read' | 'vendor:write')[]) =>
    (await acme.manage.apiKey.create({ name: 'Narrow', scopes })).key;

  test('are those of the task or vendor in the path, which are checked before the body', async () => {
    const [task, vendor] = [(await newTask()).taskUniqueId, (await newVendor()).vendor];
    const [onTask, onVendor] = [`/external/task/${task}/comment`, `/external/smart-inventory/vendor/${vendor}/comment`];
    const writer = await keyWith('task:write');
    expect(await http('POST', `${onTask}/new`, { key: writer, body: { text: 'x' } })).toMatchObject({ status: 201 });
    for (const body of [{ text: 'x' }, { nonsense: true }, '{'])
      expect(await http('POST', `${onVendor}/new`, { key: writer, body })).toMatchObject({
        status: 403,
        body: { error: 'scope: the key lacks vendor:write' },
      });
    const narrow = await callerForKey(writer);
    await expect(narrow.comment.create({ vendor, text: '' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await http('GET', `${onTask}/list`, { key: writer })).toMatchObject({ status: 403 });
    const reader = await keyWith('task:read', 'vendor:read');
    expect(await http('GET', `${onTask}/list`, { key: reader })).toMatchObject({ status: 200 });
    expect(await http('GET', `${onVendor}/list`, { key: reader })).toMatchObject({ status: 200 });
    expect(await http('POST', `${onTask}/new`, { key: reader, body: { text: 'x' } })).toMatchObject({ status: 403 });
  });

  test('of the parent of a comment decide about it', async () => {
    const { uniqueId: comment } = await caller.comment.create({ ...(await newVendor()), text: 'x' });
    const ofTasks = await callerForKey(await keyWith('task:read', 'task:write'));
    await expect(ofTasks.comment.get({ comment })).rejects.toThrow('scope: the key lacks vendor:read');
    await expect(ofTasks.comment.update({ comment, text: 'y' })).rejects.toThrow('scope: the key lacks vendor:write');
    await expect(ofTasks.comment.delete({ comment })).rejects.toThrow('scope: the key lacks vendor:write');
  });
});

describe('an input', () => {
  test('names one of a task, a vendor and a requirement', async () => {
    const error = {
      code: 'BAD_REQUEST',
      message: 'taskUniqueId: expected one of taskUniqueId, vendor and requirement',
    };
    const both = { ...(await newTask()), ...(await newVendor()) };
    for (const parent of [{}, both]) {
      await expect(caller.comment.create({ ...parent, text: 'x' })).rejects.toMatchObject(error);
      await expect(caller.comment.list(parent)).rejects.toMatchObject(error);
    }
  });

  test('over REST takes the parent from the path alone', async () => {
    const { taskUniqueId } = await newTask();
    const { vendor } = await newVendor();
    const path = `/external/task/${taskUniqueId}/comment/new`;
    expect(await http('POST', path, { key: acme.key, body: { text: 'x', vendor } })).toMatchObject({
      status: 400,
      body: { error: 'vendor: unknown field' },
    });
    for (const id of [newUniqueId(), 'x', vendor])
      expect(
        await http('POST', `/external/task/${id}/comment/new`, { key: acme.key, body: { text: 'x' } }),
      ).toMatchObject({
        status: 404,
        body: { error: 'task: not found' },
      });
  });

  test('is sent again under an Idempotency-Key without a second comment', async () => {
    const parent = await newTask();
    const send = () =>
      http('POST', `/external/task/${parent.taskUniqueId}/comment/new`, {
        key: acme.key,
        body: { text: 'Once' },
        headers: { 'Idempotency-Key': 'comment-once' },
      });
    const [first, second] = [await send(), await send()];
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect((await caller.comment.list(parent)).items).toHaveLength(1);
  });
});
