import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BodyMemory } from '../../server/http/body/body-memory.ts';
import { sql } from '../support/database/database.ts';
import { http, url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const CREATE_PATH = '/external/smart-inventory/vendor/new';
const BATCH_PATH = '/external/smart-inventory/vendor/batch';
const IMPORT_PATH = '/external/smart-inventory/vendor/import';
const MIB = 1024 * 1024;
const POLL_OPTIONS = { timeout: 60_000, interval: 20 };

const sockets: Socket[] = [];
const [acme, other] = await Promise.all([createCompany(), createCompany()]);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends a request with a part of its body, and leaves the connection open. */
function sendPart({ key }: TestCompany, path: string, type: string, length: number, part: Buffer) {
  const client = { text: '' };
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  socket.write(part);
  sockets.push(socket);
  return client;
}

/** Sends a body of 200 KiB, which is 400 if it fits into memory. */
const sendLarge = ({ key }: TestCompany) =>
  http('POST', BATCH_PATH, {
    key,
    body: '{"items":[]}'.padEnd(200 * 1024),
    headers: { 'Content-Type': 'application/json' },
  });
const unavailable = {
  status: 503,
  headers: { 'retry-after': '1', 'x-error-code': 'unavailable' },
  body: { error: 'Too many large requests are in progress. Try again shortly.' },
};

describe('the bodies of the requests of a company', () => {
  test('take at most 32 MiB; small ones and those of others are served', async () => {
    const part = Buffer.alloc(2 * MIB - 1, ' ');
    await vi.waitFor(async () => {
      // A part that does not fit is rejected, and makes room for a smaller one.
      for (const bytes of [part, part, part, part.subarray(0, 64 * 1024)])
        sendPart(acme, BATCH_PATH, 'application/json', 2 * MIB, bytes);
      expect(await sendLarge(acme)).toMatchObject(unavailable);
    }, POLL_OPTIONS);
    expect(await http('POST', CREATE_PATH, { key: acme.key, body: { name: 'Small' } })).toMatchObject({ status: 201 });
    expect(await sendLarge(other)).toMatchObject({ status: 400 });
    for (const socket of sockets.splice(0)) socket.destroy();
    await vi.waitFor(async () => expect(await sendLarge(acme)).toMatchObject({ status: 400 }), POLL_OPTIONS);
  });

  test('leave room for JSON while a key uploads files', async () => {
    const tryBatch = async () => {
      const client = sendPart(acme, BATCH_PATH, 'application/json', 2 * MIB, Buffer.alloc(1.5 * MIB, ' '));
      const socket = sockets.pop();
      await vi.waitUntil(() => client.text !== '', { timeout: 500 }).catch(() => undefined);
      socket?.destroy();
      return client.text;
    };
    expect(await tryBatch()).toBe('');
    const uploads = Array.from({ length: 100 }, () =>
      sendPart(acme, IMPORT_PATH, 'text/csv', MIB, Buffer.from('name\n')),
    );
    const files = () => sql(`select 1 from import where company_id = $1 and state = 'uploading'`, acme.id);
    await vi.waitFor(async () => expect(await files()).toHaveLength(32), POLL_OPTIONS);
    await vi.waitUntil(
      () => uploads.filter(({ text }) => text.startsWith('HTTP/1.1 503 ')).length === 68,
      POLL_OPTIONS,
    );
    expect(await tryBatch()).toBe('');
  });
});

test('the bodies of a process and of a caller have a bound, and ended requests make room', () => {
  const memory = new BodyMemory({ perCaller: 30, perProcess: 100 });
  const fill = (caller: string) => {
    for (let bytes = 0; bytes < 1000; bytes++) memory.acquire(caller, 1);
  };
  const error = expect.objectContaining({ reason: 'unavailable', retryAfter: 1 });
  for (const [caller, total] of [
    ['one', 30],
    ['two', 60],
    ['three', 90],
    ['four', 100],
  ] as const) {
    expect(() => fill(caller)).toThrow(error);
    expect(memory.bytes).toBe(total);
  }
  memory.release('one', 30);
  expect(memory.bytes).toBe(70);
  memory.acquire('four', 20);
  expect(() => memory.acquire('four', 1)).toThrow(error);
  memory.acquire('one', 10);
  expect(memory.bytes).toBe(100);
});
