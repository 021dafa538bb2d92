import type { Socket } from 'node:net';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_MAX_FILE_BYTES } from '../../../procedures/core/storage.ts';
import { uploadTimeoutMs } from '../../../server/http/body/slow-uploads.ts';
import { UploadSlots } from '../../../server/http/body/upload-slots.ts';
import { files, sendBytes, startFileServer } from '../../support/http/files.ts';
import { http } from '../../support/http/server.ts';
import { createCompany } from '../../support/tenants/company.ts';

const { url, stop } = await startFileServer();
afterAll(stop);
const acme = await createCompany();
const POLL_OPTIONS = { timeout: 60_000, interval: 20 };
const PATH = '/external/folder/a/file/new?name=x';

const sockets: Socket[] = [];
beforeEach(() => files.clear());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const headOf = (key: string, ...headers: string[]) =>
  `${[`POST ${PATH} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers].join('\r\n')}\r\n\r\n`;

/** Starts an upload on a connection that stays open. */
function open(key: string, headers: string[], ...parts: (string | Buffer)[]) {
  const client = sendBytes(url, headOf(key, ...headers), ...parts);
  sockets.push(client.socket);
  return client;
}

/** Sends a whole small file. */
const upload = (key: string) => fetch(`${url}${PATH}`, { method: 'POST', headers: { 'X-API-Key': key }, body: 'x' });

test('a body that never ends is 413 at the limit, closes the connection and leaves nothing', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; connection: string; sent: number }>();
  let bytes = 0;
  const sent = request(
    `${url}${PATH}`,
    { method: 'POST', agent: false, headers: { 'X-API-Key': acme.key } },
    (response) => {
      resolve({ status: response.statusCode ?? 0, connection: String(response.headers.connection), sent: bytes });
      sent.destroy();
    },
  ).on('error', reject);
  const block = Buffer.alloc(1024 * 1024, 'x');
  for (; bytes < 4 * DEFAULT_MAX_FILE_BYTES && !sent.destroyed; bytes += block.length)
    if (!sent.write(block)) await Promise.race([promise, new Promise((drained) => void sent.once('drain', drained))]);
  expect(await promise).toEqual({ status: 413, connection: 'close', sent: expect.any(Number) });
  expect((await promise).sent).toBeLessThan(2 * DEFAULT_MAX_FILE_BYTES);
  expect(files.size).toBe(0);
});

test('a Content-Length above the limit is 413 before the body arrives', async () => {
  const client = open(acme.key, [`Content-Length: ${DEFAULT_MAX_FILE_BYTES + 1}`, 'Expect: 100-continue']);
  await vi.waitUntil(() => client.text !== '', POLL_OPTIONS);
  expect(client.text).toMatch(/^HTTP\/1\.1 413 /);
});

test.for([
  ['that the client aborts', ['Content-Length: 1000'], ['x'.repeat(10)]],
  ['whose Content-Length is too large', ['Content-Length: 1000'], ['x'.repeat(999)]],
  ['in chunks without the last one', ['Transfer-Encoding: chunked'], ['a\r\n0123456789\r\n']],
] as const)('a body %s leaves nothing', async ([, headers, parts]) => {
  const client = open(acme.key, [...headers], ...parts);
  await wait(300);
  client.socket.end();
  await vi.waitUntil(() => !client.isOpen, POLL_OPTIONS);
  await wait(100);
  expect(files.size).toBe(0);
});

test('a Content-Length that is too small ends the file there; the rest is not a request', async () => {
  const client = open(acme.key, ['Content-Length: 4'], 'filegarbage\r\n\r\n');
  await vi.waitUntil(() => !client.isOpen, POLL_OPTIONS);
  expect(client.text).toMatch(/^HTTP\/1\.1 201 [^]*HTTP\/1\.1 400 /);
  expect([...files.values()].map(({ content }) => content.toString())).toEqual(['file']);
});

test('Content-Length with Transfer-Encoding, or twice, is 400', async () => {
  for (const headers of [
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Content-Length: 4', 'Content-Length: 5'],
    ['Content-Length: -1'],
  ]) {
    const client = open(acme.key, headers, 'file');
    await vi.waitUntil(() => !client.isOpen, POLL_OPTIONS);
    expect(client.text).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(files.size).toBe(0);
});

test('the time for a file follows from its maximum size, and is never shorter than five minutes', () => {
  expect(uploadTimeoutMs(DEFAULT_MAX_FILE_BYTES)).toBe(525_000);
  expect(uploadTimeoutMs(1024)).toBe(300_000);
});

describe('uploads in progress', () => {
  test('are at most 32 for a key; others, and small requests of the key, are served', async () => {
    const { key: other } = await acme.manage.apiKey.create({ name: 'Other' });
    const foreign = await createCompany();
    const slow = Array.from({ length: 100 }, () => open(acme.key, ['Content-Length: 1000'], 'x'));
    const isRejected = ({ text }: { text: string }) => text.startsWith('HTTP/1.1 503 ');
    await vi.waitUntil(() => slow.filter(isRejected).length >= 68, POLL_OPTIONS);
    await wait(200);
    expect(slow.filter(({ text }) => text === '')).toHaveLength(32);
    expect(slow.find(isRejected)?.text).toMatch(/X-Error-Code: unavailable[^]*Retry-After: 5/);
    expect((await upload(acme.key)).status).toBe(503);
    expect((await upload(other)).status).toBe(201);
    expect((await upload(foreign.key)).status).toBe(201);
    const large = {
      key: acme.key,
      body: '{"items":[]}'.padEnd(200 * 1024),
      headers: { 'Content-Type': 'application/json' },
    };
    expect(await http('POST', '/external/smart-inventory/vendor/batch', large)).toMatchObject({ status: 400 });
    for (const { socket } of slow) socket.destroy();
    await vi.waitFor(async () => expect((await upload(acme.key)).status).toBe(201), POLL_OPTIONS);
  });

  test('have a bound for a caller, a company and the process, and ended ones make room', () => {
    const slots = new UploadSlots({ perCaller: 2, perProcess: 6 });
    const user = { uniqueId: 'u', name: 'Ann', kind: 'human' } as const;
    const acquire = (company: number, key: string | null, uniqueId = 'u') =>
      slots.acquire({ company, key, user: { ...user, uniqueId } });
    const error = expect.objectContaining({ reason: 'unavailable', retryAfter: 5 });
    const release = acquire(1, 'a');
    acquire(1, 'a');
    expect(() => acquire(1, 'a')).toThrow(error);
    acquire(1, null);
    expect(() => acquire(1, null, 'v')).toThrow(error);
    acquire(2, 'a'); // half of three, and two are left
    expect(() => acquire(2, 'b')).toThrow(error);
    acquire(3, 'a');
    acquire(4, 'a');
    expect(() => acquire(5, 'a')).toThrow(error);
    release();
    acquire(5, 'a');
    expect(() => acquire(1, 'a')).toThrow(error);
  });

  test('of a few companies leave places to others', () => {
    const slots = new UploadSlots({ perCaller: 32, perProcess: 128 });
    const user = { uniqueId: 'u', name: 'Ann', kind: 'human' } as const;
    /** Starts as many uploads of a company as it can. */
    const fill = (company: number): number => {
      for (let count = 0; ; count += 1)
        try {
          slots.acquire({ company, key: `key ${count % 8}`, user });
        } catch {
          return count;
        }
    };
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map(fill)).toEqual([64, 32, 16, 8, 4, 2, 1, 1, 0]);
  });
});
