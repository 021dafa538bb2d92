import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addFile, files, startFileServer } from '../../support/http/files.ts';
import { openTestRateLimits } from '../../support/http/app.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const limits = await openTestRateLimits(1000);
const { url, stop, cookieOf } = await startFileServer(limits);
afterAll(stop);
const acme = await createCompany();
const [ann, bob, reader] = await Promise.all([
  createMember(acme),
  createMember(acme),
  createMember(acme, { role: 'auditor' }),
]);
beforeEach(() => files.clear());

const UPLOAD = '/session/folder/a/file/new?name=x';

/** Sends a request of a page of this server. */
function send(path: string, { token }: { token: string }, headers: Record<string, string> = {}, body?: string) {
  const method = body === undefined ? 'GET' : 'POST';
  return fetch(`${url}${path}`, {
    method,
    headers: { Cookie: cookieOf(token), Origin: url, ...headers },
    body: body ?? null,
  });
}

test('a member uploads and downloads a file with the session cookie', async () => {
  const created = await send(UPLOAD, ann, { 'Content-Type': 'application/pdf' }, 'content');
  const file = (await created.json()) as { uniqueId: string };
  expect([created.status, created.headers.get('Location')]).toEqual([201, `/external/file/${file.uniqueId}/item`]);
  expect(file).toMatchObject({ mediaType: 'application/pdf', size: 7 });
  const content = await send(`/session/file/${file.uniqueId}/content`, ann, { Range: 'bytes=0-2' });
  expect([content.status, await content.text()]).toEqual([206, 'con']);
});

test('an upload counts as one request', async () => {
  const remaining = async (path: string, body?: string) =>
    Number(/r=(\d+)/.exec((await send(path, bob, {}, body)).headers.get('RateLimit') ?? '')?.[1]);
  const id = addFile('x');
  const before = await remaining(`/session/file/${id}/content`);
  expect(await remaining(UPLOAD, 'content')).toBe(before - 1);
});

test('the Idempotency-Key of a member is remembered for that member', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const [first, retry, other] = [
    await send(UPLOAD, ann, headers, 'a'),
    await send(UPLOAD, ann, headers, 'a'),
    await send(UPLOAD, bob, headers, 'b'),
  ];
  expect([first.status, retry.status, other.status]).toEqual([201, 201, 201]);
  expect(await retry.json()).toEqual(await first.json());
  expect(retry.headers.get('Idempotency-Replayed')).toBe('true');
  expect(other.headers.get('Idempotency-Replayed')).toBeNull();
  expect((await send(UPLOAD, ann, headers, 'b')).status).toBe(422);
  expect(files.size).toBe(2);
});

test.for<[string, Record<string, string>]>([
  ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['of a subdomain', { 'Sec-Fetch-Site': 'same-site' }],
  ['of another origin', { Origin: 'https://other.example' }],
  ['without an origin', { Origin: '' }],
  ['of a sandboxed frame', { Origin: 'null' }],
])('a page %s can neither upload nor download', async ([, headers]) => {
  const id = addFile('x');
  for (const response of [
    await send(UPLOAD, ann, { 'Content-Type': 'text/plain', ...headers }, 'content'),
    await send(`/session/file/${id}/content`, ann, headers),
  ])
    expect([response.status, await response.json()]).toEqual([403, { error: expect.any(String) }]);
  expect(files.size).toBe(1);
});

test('an API key is rejected, with and without a cookie', async () => {
  const id = addFile('x');
  const key = { 'X-API-Key': acme.key };
  for (const path of [UPLOAD, `/session/file/${id}/content`]) {
    const init = path === UPLOAD ? { method: 'POST', body: 'x' } : {};
    expect((await fetch(`${url}${path}`, { ...init, headers: key })).status).toBe(401);
    expect((await send(path, ann, key, path === UPLOAD ? 'x' : undefined)).status).toBe(401);
    expect((await send(path, ann, { Authorization: 'Bearer x' }, path === UPLOAD ? 'x' : undefined)).status).toBe(401);
    expect((await send(path, { token: 'x' }, {}, path === UPLOAD ? 'x' : undefined)).status).toBe(401);
  }
  expect(files.size).toBe(1);
});

test('only the flagged operations exist, and their role decides', async () => {
  const id = addFile('x');
  for (const path of [
    `/session/file/${id}/item`,
    '/session/file',
    `/session/file/${id}/content/x`,
    '/session',
    '/session/x',
  ])
    expect((await send(path, ann)).status).toBe(404);
  const notAllowed = await send('/session/folder/a/file/new', ann);
  expect([notAllowed.status, notAllowed.headers.get('Allow')]).toEqual([405, 'POST']);
  expect((await send(UPLOAD, reader, {}, 'x')).status).toBe(403);
  expect((await send(`/session/file/${id}/content`, reader)).status).toBe(200);
  expect((await send('/external/folder/a/file/new', ann, {}, 'x')).status).toBe(401);
});
