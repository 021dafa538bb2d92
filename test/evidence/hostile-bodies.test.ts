import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileRows, receivedFiles, sha256Of } from '../support/storage/evidence-files.ts';
import { createFileCompany, createFileKey, idOf, startEvidenceServer } from '../support/storage/evidence-server.ts';

const MAX_BYTES = 100_000;
const POLL = { timeout: 60_000, interval: 50 };
const folder = await temporaryFolder();
const { url, stop, ask, upload, expectNothing } = await startEvidenceServer(folder, MAX_BYTES);
afterAll(stop);

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
/** Sends the head of an upload, and collects the response. */
const open = ({ path, key }: { path: string; key: string }, ...lines: string[]) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  const client = { socket, text: '', isOpen: true };
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.on('error', () => {}).on('close', () => (client.isOpen = false));
  socket.write(
    `${[`POST ${path}/new?name=x HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...lines].join('\r\n')}\r\n\r\n`,
  );
  return client;
};
test('one byte over EVIDENCE_MAX_BYTES is 413, and so is a body without a length; the largest is stored', async () => {
  const empty = await createFileCompany();
  const tooLarge = randomBytes(MAX_BYTES + 1);
  expect(await upload(empty, tooLarge)).toMatchObject({
    status: 413,
    text: expect.stringContaining(String(MAX_BYTES)),
  });
  const stream = new Blob([tooLarge]).stream();
  const headers = { 'X-API-Key': empty.key };
  const chunked = await fetch(`${url}${empty.path}/new?name=x`, {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
  });
  expect(chunked.status).toBe(413);
  await expectNothing(empty);
  const largest = tooLarge.subarray(1);
  expect(await upload(empty, largest)).toMatchObject({
    status: 201,
    body: { size: MAX_BYTES, sha256: sha256Of(largest) },
  });
});

test('an empty one is 400, with and without a length', async () => {
  const empty = await createFileCompany();
  expect(await upload(empty, '')).toMatchObject({ status: 400 });
  const chunked = open(empty, 'Transfer-Encoding: chunked');
  chunked.socket.write('0\r\n\r\n');
  await vi.waitUntil(() => chunked.text !== '', POLL);
  expect(chunked.text).toMatch(/^HTTP\/1\.1 400 /);
  await expectNothing(empty);
});

test('a compressed one is 415', async () => {
  const empty = await createFileCompany();
  for (const encoding of ['gzip', 'br', 'gzip, identity'])
    expect(await upload(empty, 'x', { 'Content-Encoding': encoding })).toMatchObject({ status: 415 });
  await expectNothing(empty);
});

test('a length that is too large, and chunks that end early, leave nothing', async () => {
  const empty = await createFileCompany();
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
  const empty = await createFileCompany();
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
  const slow = await createFileCompany();
  const other = { ...slow, key: await createFileKey(slow) };
  const clients = Array.from({ length: 100 }, () => open(slow, 'Content-Length: 1000'));
  const drip = setInterval(() => clients.forEach(({ socket, isOpen }) => isOpen && socket.write('x')), 1000);
  try {
    const isRejected = ({ text }: { text: string }) => text !== '';
    await vi.waitUntil(() => clients.filter(isRejected).length >= 68, POLL);
    for (const { text } of clients.filter(isRejected)) expect(text).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: \d/);
    expect(await upload(slow, 'x')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    const created = await upload(other, 'content');
    expect(created.status).toBe(201);
    for (const key of [slow.key, other.key])
      expect(await ask(key, 'GET', `/external/evidence/${idOf(created)}/content`)).toMatchObject({
        status: 200,
        text: 'content',
      });
    expect(await ask(other.key, 'DELETE', `/external/evidence/${idOf(created)}/delete`)).toMatchObject({ status: 204 });
  } finally {
    clearInterval(drip);
  }
  for (const { socket } of clients) socket.destroy();
  await expect.poll(() => receivedFiles(folder)).toEqual([]);
  await expect
    .poll(async () => (await fileRows(slow.id)).filter(({ uses, state }) => uses > 0 || state === 'uploading'))
    .toEqual([]);
  await expect.poll(async () => (await upload(slow, 'x')).status).toBe(201);
});
