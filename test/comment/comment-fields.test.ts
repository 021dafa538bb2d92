import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { http } from '../support/http/server.ts';
import { createCommenters, person } from '../support/tenants/comments.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const { acme, caller, ann, ben, newTask, newVendor } = await createCommenters();

describe('the text', () => {
  const create = async (text: unknown) =>
    http('POST', `/external/task/${(await newTask()).taskUniqueId}/comment/new`, { key: acme.key, body: { text } });

  test.for([
    '',
    ' \n ',
    '<p></p>',
    '<b> </b><br>',
    '<script>x()</script>',
    '<img src="https://x.example/y">',
    '<p>\u00a0</p>',
    '&nbsp;<br>',
  ])('of nothing but markup or spaces is rejected: %j', async (text) => {
    const error = 'text: expected text of 1 to 10000 characters';
    expect(await create(text)).toMatchObject({ status: 400, body: { error } });
  });

  test('has at most 10,000 characters after it is trimmed and sanitized', async () => {
    const longest = 'x'.repeat(10_000);
    expect(await create(` ${longest}\n`)).toMatchObject({ status: 201, body: { text: longest } });
    expect(await create(`${longest}<script>${longest}</script>`)).toMatchObject({
      status: 201,
      body: { text: longest },
    });
    expect(await create(`${longest}x`)).toMatchObject({ status: 400 });
    expect(await create(`<b>${longest}</b>`)).toMatchObject({ status: 400 });
    expect(await create('😀'.repeat(5001))).toMatchObject({ status: 400 });
  });

  test('is text that PostgreSQL can store', async () => {
    for (const text of ['a\0b', 5, null, ['x'], undefined])
      expect(await create(text)).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^text: /) } });
    expect(await create('1 < 2 &amp; 3')).toMatchObject({ status: 201 });
    expect(await create('plain & simple')).toMatchObject({ status: 201, body: { text: 'plain & simple' } });
  });
});

describe('mentions', () => {
  test('are members who are active and may see the resource, each once, at most 20', async () => {
    const { id } = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = await createMember(acme, { role: 'editor', frameworks: [id] });
    const ended = await createMember(acme, { role: 'editor' });
    await ann.caller.management.member.end({ uniqueId: ended.uniqueId });
    const stranger = await createMember(await createCompany());
    const onTask = await newTask();
    const unprocessable = (message: RegExp) => ({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(message),
    });
    for (const { uniqueId } of [limited, ended, stranger, { uniqueId: newUniqueId() }, acme.apiKey.user]) {
      const mentions = [ann.uniqueId, uniqueId];
      const error = unprocessable(new RegExp(`^mentions: expected active members .*: ${uniqueId}$`));
      await expect(caller.comment.create({ ...onTask, text: 'x', mentions })).rejects.toMatchObject(error);
    }
    const onVendor = await newVendor();
    expect(await caller.comment.create({ ...onVendor, text: 'x', mentions: [limited.uniqueId] })).toMatchObject({
      mentions: [{ uniqueId: limited.uniqueId }],
    });
    const twice = { text: 'x', mentions: [ann.uniqueId, ann.uniqueId] };
    const many = { text: 'x', mentions: Array.from({ length: 21 }, newUniqueId) };
    await expect(caller.comment.create({ ...onTask, ...twice })).rejects.toMatchObject(
      unprocessable(/^mentions: expected each member once$/),
    );
    await expect(caller.comment.create({ ...onTask, ...many })).rejects.toMatchObject(
      unprocessable(/^mentions: expected at most 20$/),
    );
    const missing = caller.comment.create({ taskUniqueId: newUniqueId(), ...twice });
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'task: not found' });
    await expect(caller.comment.create({ ...onTask, text: 'x', mentions: ['x'] })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'mentions.0: expected the uniqueId of a user',
    });
    expect((await caller.comment.list(onTask)).items).toEqual([]);
  });

  test('that a comment has already are not checked again', async () => {
    const parent = await newTask();
    const leaver = await createMember(acme, { name: 'Lea', role: 'editor' });
    const mentions = [leaver.uniqueId];
    const { uniqueId: comment } = await caller.comment.create({ ...parent, text: 'x', mentions });
    await ann.caller.management.member.end({ uniqueId: leaver.uniqueId });
    const changed = await caller.comment.update({ comment, text: 'y', mentions: [ben.uniqueId, ...mentions] });
    expect(changed.mentions).toEqual([person(ben, 'Ben'), person(leaver, 'Lea')]);
    await caller.comment.update({ comment, mentions: [] });
    const again = caller.comment.update({ comment, mentions });
    await expect(again).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
    const twice = caller.comment.update({ comment, mentions: [ben.uniqueId, ben.uniqueId] });
    await expect(twice).rejects.toThrow('mentions: expected each member once');
    expect(await caller.comment.get({ comment })).toMatchObject({ version: 3, mentions: [] });
  });

  test('with a new name change the entity tag, as in SQL', async () => {
    const parent = await newTask();
    const member = await createMember(acme, { name: 'Before', role: 'editor' });
    const { uniqueId: comment, etag } = await caller.comment.create({
      ...parent,
      text: 'x',
      mentions: [member.uniqueId],
    });
    await member.caller.account.update({ name: 'After' });
    const read = await caller.comment.get({ comment });
    expect(read.mentions).toEqual([person(member, 'After')]);
    expect(read.etag).not.toBe(etag);
    const stale = caller.comment.update({ comment, text: 'y', ifMatch: etag });
    await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await caller.comment.update({ comment, text: 'y', ifMatch: read.etag })).toMatchObject({ version: 2 });
  });
});
