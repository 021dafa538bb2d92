import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { sessionCookie } from '../../server/auth/session-cookie.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileRows, openTestStorage, receivedFiles, sha256Of, storedIds } from '../support/storage/evidence-files.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember, services } from '../support/tenants/member.ts';

const MAX_BYTES = 100_000;
const folder = await temporaryFolder();
const storage = await openTestStorage(folder, { maxBytes: MAX_BYTES });
const { url, stop } = await startApp({ services: { ...services, storage } });
afterAll(stop);

/** A company with a task, and a key with these permissions, by default all. */
async function createFiles() {
  const company = await createCompany();
  const { uniqueId: task } = await company.newTask();
  return { ...company, task: `/external/task/${task}/evidence`, taskId: task, key: await keyOf(company) };
}
async function keyOf(
  { manage }: Pick<TestCompany, 'manage'>,
  permissions: { scopes?: string[]; frameworks?: number[] } = {},
) {
  const scopes = SCOPES.filter((scope) => permissions.scopes?.includes(scope) ?? true);
  return (await manage.apiKey.create({ name: 'Files', ...permissions, scopes })).key;
}
const acme = await createFiles();

const ask = (method: string, path: string, body?: string | Buffer | object, headers = {}, key = acme.key) =>
  http(method, path, { baseUrl: url, key, headers, ...(body !== undefined && { body }) });
const upload = (body: string | Buffer, headers = {}, { task, key } = acme, name = 'File') =>
  ask('POST', `${task}/new?name=${encodeURIComponent(name)}`, body, { 'Content-Type': 'text/plain', ...headers }, key);
const idOf = ({ body }: { body: unknown }) => (body as { uniqueId: string }).uniqueId;

/** Expects that a company has no file, in no form. */
async function expectNothing({ id }: { id: number }): Promise<void> {
  await expect.poll(() => fileRows(id)).toEqual([]);
  expect(await storedIds(storage, id)).toEqual([]);
  await expect.poll(() => receivedFiles(folder)).toEqual([]);
}

describe('a name', () => {
  test.for([
    'a/b',
    '../x',
    'a\\b',
    'a\u0000b',
    'a\nb',
    '\u001b[2J',
    'a\u007f',
    'a\u0085b',
    ' ',
    'a'.repeat(256),
    '😀'.repeat(128),
    '😀'.repeat(255),
  ])('%j is 400, in an upload and in a change', async (name) => {
    const empty = await createFiles();
    expect(await upload('x', {}, empty, name)).toMatchObject({ status: 400, text: expect.stringContaining('name') });
    await expectNothing(empty);
    const id = await addEvidence(acme, { taskUniqueId: acme.taskId });
    expect(await ask('PATCH', `/external/evidence/${id}/edit`, { name })).toMatchObject({ status: 400 });
  });

  test.for([
    ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
    ['😀'.repeat(127), '😀'.repeat(127)],
    ['a".html; filename=b', 'a".html; filename=b'],
    ['..', '..'],
  ])('%j is kept as it is, and its download is an attachment', async ([name, saved]) => {
    const created = await upload('x', {}, acme, name);
    expect(created).toMatchObject({ status: 201, body: { name } });
    const { headers } = await ask('GET', `/external/evidence/${idOf(created)}/content`);
    const disposition = String(headers['content-disposition']);
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/);
    const encoded = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1];
    const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1] ?? '';
    expect(encoded === undefined ? quoted.replaceAll(/\\(.)/g, '$1') : decodeURIComponent(encoded)).toBe(saved);
  });
});

test.for([
  ['text/html', '<script>alert(document.domain)</script>'],
  ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
])('%s is stored as sent, and no browser runs it', async ([type, content]) => {
  const created = await upload(content, { 'Content-Type': type });
  expect(created).toMatchObject({ status: 201, body: { mediaType: type } });
  const response = await ask('GET', `/external/evidence/${idOf(created)}/content`);
  expect(response).toMatchObject({ status: 200, text: content });
  expect(response.headers).toMatchObject({
    'content-type': type,
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
});

test('a hundred ranges are the whole file', async () => {
  const id = idOf(await upload('0123456789'));
  const Range = `bytes=${Array.from({ length: 100 }, (_, index) => `${index % 10}-${index % 10}`).join(',')}`;
  expect(await ask('GET', `/external/evidence/${id}/content`, undefined, { Range })).toMatchObject({
    status: 200,
    text: '0123456789',
  });
});

describe('a body that is refused leaves nothing', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  /** Sends the head of an upload, and collects the response. */
  const open = ({ task, key }: { task: string; key: string }, ...lines: string[]) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    const client = { socket, text: '', isOpen: true };
    socket.on('data', (chunk) => (client.text += String(chunk)));
    socket.on('error', () => {}).on('close', () => (client.isOpen = false));
    socket.write(
      `${[`POST ${task}/new?name=x HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...lines].join('\r\n')}\r\n\r\n`,
    );
    return client;
  };
  const POLL = { timeout: 60_000, interval: 50 };

  test('one byte over EVIDENCE_MAX_BYTES is 413, and so is a body without a length; the largest is stored', async () => {
    const empty = await createFiles();
    const tooLarge = randomBytes(MAX_BYTES + 1);
    expect(await upload(tooLarge, {}, empty)).toMatchObject({
      status: 413,
      text: expect.stringContaining(String(MAX_BYTES)),
    });
    const stream = new Blob([tooLarge]).stream();
    const headers = { 'X-API-Key': empty.key };
    const chunked = await fetch(`${url}${empty.task}/new?name=x`, {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    await expectNothing(empty);
    const largest = tooLarge.subarray(1);
    expect(await upload(largest, {}, empty)).toMatchObject({
      status: 201,
      body: { size: MAX_BYTES, sha256: sha256Of(largest) },
    });
  });

  test('an empty one is 400, with and without a length', async () => {
    const empty = await createFiles();
    expect(await upload('', {}, empty)).toMatchObject({ status: 400 });
    const chunked = open(empty, 'Transfer-Encoding: chunked');
    chunked.socket.write('0\r\n\r\n');
    await vi.waitUntil(() => chunked.text !== '', POLL);
    expect(chunked.text).toMatch(/^HTTP\/1\.1 400 /);
    await expectNothing(empty);
  });

  test('a compressed one is 415', async () => {
    const empty = await createFiles();
    for (const encoding of ['gzip', 'br', 'gzip, identity'])
      expect(await upload('x', { 'Content-Encoding': encoding }, empty)).toMatchObject({ status: 415 });
    await expectNothing(empty);
  });

  test('a length that is too large, and chunks that end early, are no file', async () => {
    const empty = await createFiles();
    const long = open(empty, 'Content-Length: 1000');
    const early = open(empty, 'Transfer-Encoding: chunked');
    long.socket.write('x'.repeat(999));
    early.socket.write('a\r\n0123456789\r\n');
    await expect.poll(async () => (await receivedFiles(folder)).length).toBe(2);
    for (const { socket } of [long, early]) socket.end();
    await vi.waitUntil(() => !long.isOpen && !early.isOpen, POLL);
    await expectNothing(empty);
  });

  test('chunks that never end are 413 at the limit, on a connection that closes', async () => {
    const empty = await createFiles();
    const endless = open(empty, 'Transfer-Encoding: chunked');
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    while (endless.text === '' && endless.isOpen) {
      endless.socket.write(chunk);
      await wait(1);
    }
    await vi.waitUntil(() => !endless.isOpen, POLL);
    expect(endless.text).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/i);
    await expectNothing(empty);
  });

  test('a hundred slow uploads of a key keep no other key out, and leave nothing', async () => {
    const slow = await createFiles();
    const other = { ...slow, key: await keyOf(slow) };
    const clients = Array.from({ length: 100 }, () => open(slow, 'Content-Length: 1000'));
    const drip = setInterval(() => clients.forEach(({ socket, isOpen }) => isOpen && socket.write('x')), 1000);
    try {
      const isRefused = ({ text }: { text: string }) => text !== '';
      await vi.waitUntil(() => clients.filter(isRefused).length >= 68, POLL);
      for (const { text } of clients.filter(isRefused)) expect(text).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: \d/);
      expect(await upload('x', {}, slow)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      const created = await upload('content', {}, other);
      expect(created.status).toBe(201);
      for (const key of [slow.key, other.key])
        expect(await ask('GET', `/external/evidence/${idOf(created)}/content`, undefined, {}, key)).toMatchObject({
          status: 200,
          text: 'content',
        });
      expect(await ask('DELETE', `/external/evidence/${idOf(created)}/delete`, undefined, {}, other.key)).toMatchObject(
        { status: 204 },
      );
    } finally {
      clearInterval(drip);
    }
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => receivedFiles(folder)).toEqual([]);
    await expect
      .poll(async () => (await fileRows(slow.id)).filter(({ uses, state }) => uses > 0 || state === 'uploading'))
      .toEqual([]);
    await expect.poll(async () => (await upload('x', {}, slow)).status).toBe(201);
  });
});

describe('the evidence of another company', () => {
  test('is 404 on every path', async () => {
    const other = await createFiles();
    const id = idOf(await upload('secret', {}, other));
    const requests: [string, string, object?][] = [
      ['GET', `/external/evidence/${id}/item`],
      ['GET', `/external/evidence/${id}/content`],
      ['PATCH', `/external/evidence/${id}/edit`, { name: 'Mine' }],
      ['DELETE', `/external/evidence/${id}/delete`],
      ['GET', `${other.task}/list`],
      ['POST', `${other.task}/link`, { url: 'https://example.com', name: 'x' }],
    ];
    for (const [method, path, body] of requests) expect(await ask(method, path, body)).toMatchObject({ status: 404 });
    expect(await upload('x', {}, { ...acme, task: other.task })).toMatchObject({ status: 404 });
    expect(await ask('GET', '/external/evidence/list')).not.toMatchObject({ text: expect.stringContaining(id) });

    const ann = await createMember(acme);
    const cookie = sessionCookie(services.appUrl).header(ann.token).split(';', 1).join('');
    const page = { Cookie: cookie, Origin: url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await fetch(`${url}/session/evidence/${id}/content`, { headers: page })).status).toBe(404);
    const path = other.task.replace('/external', '/session');
    expect((await fetch(`${url}${path}/new?name=x`, { method: 'POST', headers: page, body: 'x' })).status).toBe(404);
    const own = await fetch(`${url}${acme.task.replace('/external', '/session')}/new?name=x`, {
      method: 'POST',
      headers: page,
      body: 'x',
    });
    expect(own.status).toBe(201);
    expect((await fileRows(other.id)).map(({ uses }) => uses)).toEqual([1]);
  });
});

describe('a key', () => {
  test('of another framework gets 403', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = await keyOf(acme, { frameworks: [framework] });
    const id = idOf(await upload('x'));
    const asLimited = (method: string, path: string, body?: object) => ask(method, path, body, {}, limited);
    expect(await asLimited('GET', `/external/evidence/${id}/item`)).toMatchObject({ status: 403 });
    expect(await asLimited('GET', `/external/evidence/${id}/content`)).toMatchObject({ status: 403 });
    expect(await asLimited('PATCH', `/external/evidence/${id}/edit`, { name: 'y' })).toMatchObject({ status: 403 });
    expect(await asLimited('DELETE', `/external/evidence/${id}/delete`)).toMatchObject({ status: 403 });
    expect(await asLimited('GET', `${acme.task}/list`)).toMatchObject({ status: 403 });
    expect(await upload('x', {}, { ...acme, key: limited })).toMatchObject({ status: 403 });
    expect((await asLimited('GET', '/external/evidence/list')).text).not.toContain(id);
  });

  test.for([
    ['evidence:read', 'GET', 'content'],
    ['evidence:read', 'GET', 'item'],
    ['task:read', 'GET', 'content'],
    ['task:read', 'GET', 'item'],
    ['evidence:write', 'PATCH', 'edit'],
    ['evidence:delete', 'DELETE', 'delete'],
  ] as const)('without %s gets 403 for %s %s', async ([missing, method, end]) => {
    const id = idOf(await upload('x'));
    const key = await keyOf(acme, { scopes: SCOPES.filter((scope) => scope !== missing) });
    const body = method === 'PATCH' ? { name: 'y' } : undefined;
    expect(await ask(method, `/external/evidence/${id}/${end}`, body, {}, key)).toMatchObject({ status: 403 });
  });

  test('without evidence:write or task:read cannot upload, and nothing is kept', async () => {
    const empty = await createFiles();
    for (const missing of ['evidence:write', 'task:read']) {
      const key = await keyOf(empty, { scopes: SCOPES.filter((scope) => scope !== missing) });
      expect(await upload('x', {}, { ...empty, key })).toMatchObject({ status: 403 });
    }
    await expectNothing(empty);
  });
});

test('a link has no content: 404', async () => {
  const id = await addEvidence(acme, { taskUniqueId: acme.taskId });
  expect(await ask('GET', `/external/evidence/${id}/content`)).toMatchObject({ status: 404 });
});
