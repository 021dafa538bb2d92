import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { afterEach, expect, test, vi } from 'vitest';
import { HttpServer } from '../server/http.ts';
import { createLog } from '../server/log.ts';
import { LINES, replyInParts } from '../server/parts.ts';
import { Shedding } from '../server/shedding.ts';
import { startApp } from './support/app.ts';
import { company } from './support/company.ts';
import { http } from './support/server.ts';

const NEW = '/external/smart-inventory/vendor/new';
const SOON = { timeout: 30_000, interval: 50 };

const sockets: Socket[] = [];
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const end of ends.splice(0)) await end();
});

/** A connection that has sent this much, and whatever comes back over it. */
function slow(at: string, sent = '') {
  const socket = connect(Number(new URL(at).port), '127.0.0.1');
  sockets.push(socket);
  const client = { socket, text: '', isOpen: true };
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.on('error', () => {}).on('close', () => (client.isOpen = false));
  if (sent !== '') socket.write(sent);
  return client;
}

async function serverOf(...given: ConstructorParameters<typeof HttpServer>): Promise<string> {
  const server = new HttpServer(...given);
  ends.push(() => server.stop());
  return server.listen({ host: '127.0.0.1', port: 0 });
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n';

test('connections that only stay make room for others, the oldest first', async () => {
  const at = await serverOf((_, response) => response.end('{}'), { connections: 100 });
  const first = slow(at, REQUEST); // no end of its headers
  await once(first.socket, 'connect');
  const idle = Array.from({ length: 98 }, () => slow(at, `${REQUEST}\r\n`));
  for (const client of idle) await vi.waitUntil(() => client.text.endsWith('{}'), SOON);
  const last = slow(at);
  await once(last.socket, 'connect');
  expect(first.isOpen).toBe(true);
  for (let times = 0; times < 10; times++) expect(await http('GET', '/', { at })).toMatchObject({ status: 200 });
  await vi.waitUntil(() => !first.isOpen, SOON);
  expect(idle[90]).toMatchObject({ isOpen: true });
  expect(last.isOpen).toBe(true);
  last.socket.write(`${REQUEST}\r\n`);
  await vi.waitUntil(() => last.text.endsWith('{}'), SOON);
});

test('who is being answered makes room for nobody', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const at = await serverOf(async (_, response) => response.end(await end.then(() => '{}')), { connections: 20 });
  const asking = Array.from({ length: 20 }, () => slow(at, `${REQUEST}\r\n`));
  for (const { socket } of asking) if (socket.connecting) await once(socket, 'connect');
  await wait(200);
  const beyond = slow(at, `${REQUEST}\r\n`);
  await vi.waitUntil(() => !beyond.isOpen, SOON);
  expect(beyond.text).toBe('');
  resolve();
  for (const client of asking) await vi.waitUntil(() => client.text.endsWith('{}'), SOON);
});

test('headers that do not arrive within ten seconds end their connection, and hurt nobody meanwhile', async () => {
  const at = await serverOf((_, response) => response.end('{}'));
  const many = Array.from({ length: 1000 }, (_, number) => slow(at, number % 2 === 0 ? REQUEST : ''));
  for (let times = 0; times < 20; times++) expect(await http('GET', '/', { at })).toMatchObject({ status: 200 });
  await vi.waitUntil(() => many.every(({ isOpen }) => !isOpen), SOON);
  expect(many[0]?.text).toMatch(/^HTTP\/1.1 408 [^]*X-Error-Code: invalid_request/);
});

test('who sends a body slowly holds nobody’s place', async () => {
  const shedding = new Shedding(createLog('silent'), []);
  const { url: at, stop } = await startApp({ shedding });
  ends.push(() => shedding.stop(), stop);
  const { key } = await company();
  const head = `POST ${NEW} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
  // More than there are places.
  const many = Array.from({ length: 1100 }, () => slow(at, `${head}Content-Length: 17\r\n\r\n{"name":`));
  const isRead = ({ text, isOpen }: ReturnType<typeof slow>) => isOpen && text.startsWith('HTTP/1.1 100 ');
  await vi.waitUntil(() => many.filter(isRead).length > 1000, SOON);
  expect(await http('POST', NEW, { key, at, body: { name: 'Quick' } })).toMatchObject({ status: 201 });
  const one = many.find(isRead);
  one?.socket.write('"Slowly"}');
  await vi.waitUntil(() => one?.text.includes('HTTP/1.1 201 '), SOON);
});

test('who does not read its answer is cut, and who reads it slowly is not', async () => {
  const page = Array.from({ length: 100 }, (_, number) => ({ number, text: 'x'.repeat(1000) }));
  const under = new Set<string>();
  const app = new Koa();
  app.use((ctx) =>
    replyInParts(
      ctx,
      LINES,
      (async function* () {
        under.add(ctx.path);
        try {
          for (let part = 0; ctx.path !== '/much' || part < 200; part++) yield page;
        } finally {
          under.delete(ctx.path);
        }
      })(),
    ),
  );
  const at = await serverOf(app.callback(), { patience: 3000 });
  const never = slow(at, REQUEST.replace('/', '/endless') + '\r\n');
  never.socket.pause();
  const slowly = slow(at, REQUEST.replace('/', '/much') + '\r\n');
  await vi.waitUntil(() => under.size === 2, SOON);
  const reads = setInterval(() => {
    slowly.socket.resume();
    setTimeout(() => slowly.socket.pause(), 20);
  }, 500);
  await vi.waitUntil(() => !under.has('/endless'), SOON);
  clearInterval(reads);
  slowly.socket.resume();
  await vi.waitUntil(() => slowly.text.endsWith('0\r\n\r\n'), SOON);
  expect(slowly.text.match(/"number":99/g)).toHaveLength(200);
});

test('a connection on which nothing happens is closed if it is idle, and not if it waits for its response', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const at = await serverOf(async (_, response) => response.end(await end.then(() => '{}')), { patience: 500 });
  const waiting = slow(at, `${REQUEST}\r\n`);
  const idle = slow(at);
  await vi.waitUntil(() => !idle.isOpen, SOON);
  await wait(1000);
  expect(idle.text).toBe(''); // no 408, which comes later
  expect(waiting.isOpen).toBe(true);
  resolve();
  await vi.waitUntil(() => waiting.text.endsWith('{}'), SOON);
});

/** Answers by the path when that is let go on. Keeps what was begun, in its order. */
function stepwise() {
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const listener: ConstructorParameters<typeof HttpServer>[0] = async ({ url = '' }, response) => {
    begun.push(url);
    await gate.promise;
    if (url.endsWith('/last')) response.setHeader('Connection', 'close');
    response.end(url);
  };
  return { begun, goOn: gate.resolve, listener };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('what is asked ahead is begun when what was asked before it is answered', async () => {
  const { begun, goOn, listener } = stepwise();
  const at = await serverOf(listener);
  const client = slow(at, get('/1') + get('/2') + get('/3'));
  await vi.waitUntil(() => begun.length > 0, SOON);
  await wait(200);
  expect(begun).toEqual(['/1']);
  goOn();
  await vi.waitUntil(() => client.text.endsWith('/3'), SOON);
  expect(begun).toEqual(['/1', '/2', '/3']);
  client.socket.write(get('/4'));
  await vi.waitUntil(() => client.text.endsWith('/4'), SOON);
});

test('what is asked ahead of an answer that closes the connection is not begun', async () => {
  const { begun, goOn, listener } = stepwise();
  const at = await serverOf(listener);
  const client = slow(at, get('/1') + get('/last') + get('/3') + get('/4'));
  goOn();
  await vi.waitUntil(() => !client.isOpen, SOON);
  await wait(200);
  expect(begun).toEqual(['/1', '/last']);
  expect(client.text).toMatch(/\/last$/);
});

test('no more is read from who is many requests ahead', async () => {
  const { begun, goOn, listener } = stepwise();
  const at = await serverOf(listener);
  const count = 300_000; // of 32 bytes: more than the kernels of both sides take
  const paths = Array.from({ length: count }, (_, number) => `/${number}`);
  const client = slow(at, paths.map(get).join(''));
  await wait(1000);
  expect(begun).toEqual(['/0']);
  expect(client.socket.writableLength).toBeGreaterThan(0);
  goOn();
  await vi.waitUntil(() => client.text.endsWith(`/${count - 1}`), SOON);
  expect(begun).toEqual(paths);
});
