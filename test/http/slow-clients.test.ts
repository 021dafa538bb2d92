import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { afterEach, expect, test, vi } from 'vitest';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { NDJSON, streamItems } from '../../server/rest/stream.ts';
import { LoadShedder } from '../../server/http/load-shedding.ts';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const CREATE_PATH = '/external/smart-inventory/vendor/new';
const POLL_OPTIONS = { timeout: 30_000, interval: 50 };

const sockets: Socket[] = [];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const end of cleanups.splice(0)) await end();
});

/** A connection that has sent this much, and whatever comes back over it. */
function openSlowClient(baseUrl: string, bytes = '') {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  sockets.push(socket);
  const client = { socket, text: '', isOpen: true };
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.on('error', () => {}).on('close', () => (client.isOpen = false));
  if (bytes !== '') socket.write(bytes);
  return client;
}

async function startHttpServer(...given: ConstructorParameters<typeof HttpServer>): Promise<string> {
  const server = new HttpServer(...given);
  cleanups.push(() => server.stop());
  return server.listen({ host: '127.0.0.1', port: 0 });
}

const REQUEST_HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n';

test('connections that only stay make room for others, the oldest first', async () => {
  const at = await startHttpServer((_, response) => response.end('{}'), { maxConnections: 100 });
  const first = openSlowClient(at, REQUEST_HEAD); // no end of its headers
  await once(first.socket, 'connect');
  const idle = Array.from({ length: 98 }, () => openSlowClient(at, `${REQUEST_HEAD}\r\n`));
  for (const client of idle) await vi.waitUntil(() => client.text.endsWith('{}'), POLL_OPTIONS);
  const last = openSlowClient(at);
  await once(last.socket, 'connect');
  expect(first.isOpen).toBe(true);
  for (let times = 0; times < 10; times++)
    expect(await http('GET', '/', { baseUrl: at })).toMatchObject({ status: 200 });
  await vi.waitUntil(() => !first.isOpen, POLL_OPTIONS);
  expect(idle[90]).toMatchObject({ isOpen: true });
  expect(last.isOpen).toBe(true);
  last.socket.write(`${REQUEST_HEAD}\r\n`);
  await vi.waitUntil(() => last.text.endsWith('{}'), POLL_OPTIONS);
});

test('who is being answered makes room for nobody', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const at = await startHttpServer(async (_, response) => response.end(await end.then(() => '{}')), {
    maxConnections: 20,
  });
  const asking = Array.from({ length: 20 }, () => openSlowClient(at, `${REQUEST_HEAD}\r\n`));
  for (const { socket } of asking) if (socket.connecting) await once(socket, 'connect');
  await wait(200);
  const beyond = openSlowClient(at, `${REQUEST_HEAD}\r\n`);
  await vi.waitUntil(() => !beyond.isOpen, POLL_OPTIONS);
  expect(beyond.text).toBe('');
  resolve();
  for (const client of asking) await vi.waitUntil(() => client.text.endsWith('{}'), POLL_OPTIONS);
});

test('headers that do not arrive within ten seconds end their connection, and hurt nobody meanwhile', async () => {
  const at = await startHttpServer((_, response) => response.end('{}'));
  const many = Array.from({ length: 1000 }, (_, number) => openSlowClient(at, number % 2 === 0 ? REQUEST_HEAD : ''));
  for (let times = 0; times < 20; times++)
    expect(await http('GET', '/', { baseUrl: at })).toMatchObject({ status: 200 });
  await vi.waitUntil(() => many.every(({ isOpen }) => !isOpen), POLL_OPTIONS);
  expect(many[0]?.text).toMatch(/^HTTP\/1.1 408 [^]*X-Error-Code: invalid_request/);
});

test('who sends a body slowly holds nobody’s place', async () => {
  const shedding = new LoadShedder(createLog('silent'), []);
  const { url: at, stop } = await startApp({ loadShedder: shedding });
  cleanups.push(() => shedding.stop(), stop);
  const { key } = await createCompany();
  const head = `POST ${CREATE_PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
  // More than there are places.
  const many = Array.from({ length: 1100 }, () => openSlowClient(at, `${head}Content-Length: 17\r\n\r\n{"name":`));
  const isRead = ({ text, isOpen }: ReturnType<typeof openSlowClient>) => isOpen && text.startsWith('HTTP/1.1 100 ');
  await vi.waitUntil(() => many.filter(isRead).length > 1000, POLL_OPTIONS);
  expect(await http('POST', CREATE_PATH, { key, baseUrl: at, body: { name: 'Quick' } })).toMatchObject({ status: 201 });
  const one = many.find(isRead);
  one?.socket.write('"Slowly"}');
  await vi.waitUntil(() => one?.text.includes('HTTP/1.1 201 '), POLL_OPTIONS);
});

test('who does not read its answer is cut, and who reads it slowly is not', async () => {
  const page = Array.from({ length: 100 }, (_, number) => ({ number, text: 'x'.repeat(1000) }));
  const under = new Set<string>();
  const app = new Koa();
  app.use((ctx) =>
    streamItems(
      ctx,
      NDJSON,
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
  const at = await startHttpServer(app.callback(), { stallTimeout: 3000 });
  const never = openSlowClient(at, REQUEST_HEAD.replace('/', '/endless') + '\r\n');
  never.socket.pause();
  const slowly = openSlowClient(at, REQUEST_HEAD.replace('/', '/much') + '\r\n');
  await vi.waitUntil(() => under.size === 2, POLL_OPTIONS);
  const reads = setInterval(() => {
    slowly.socket.resume();
    setTimeout(() => slowly.socket.pause(), 20);
  }, 500);
  await vi.waitUntil(() => !under.has('/endless'), POLL_OPTIONS);
  clearInterval(reads);
  slowly.socket.resume();
  await vi.waitUntil(() => slowly.text.endsWith('0\r\n\r\n'), POLL_OPTIONS);
  expect(slowly.text.match(/"number":99/g)).toHaveLength(200);
});

test('a connection on which nothing happens is closed if it is idle, and not if it waits for its response', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const at = await startHttpServer(async (_, response) => response.end(await end.then(() => '{}')), {
    stallTimeout: 500,
  });
  const waiting = openSlowClient(at, `${REQUEST_HEAD}\r\n`);
  const idle = openSlowClient(at);
  await vi.waitUntil(() => !idle.isOpen, POLL_OPTIONS);
  await wait(1000);
  expect(idle.text).toBe(''); // no 408, which comes later
  expect(waiting.isOpen).toBe(true);
  resolve();
  await vi.waitUntil(() => waiting.text.endsWith('{}'), POLL_OPTIONS);
});

/** Answers by the path when that is let go on. Keeps what was begun, in its order. */
function createBlockedListener() {
  const startedPaths: string[] = [];
  const release = Promise.withResolvers<void>();
  const listener: ConstructorParameters<typeof HttpServer>[0] = async ({ url = '' }, response) => {
    startedPaths.push(url);
    await release.promise;
    if (url.endsWith('/last')) response.setHeader('Connection', 'close');
    response.end(url);
  };
  return { begun: startedPaths, goOn: release.resolve, listener };
}

const getRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('what is asked ahead is begun when what was asked before it is answered', async () => {
  const { begun, goOn, listener } = createBlockedListener();
  const at = await startHttpServer(listener);
  const client = openSlowClient(at, getRequest('/1') + getRequest('/2') + getRequest('/3'));
  await vi.waitUntil(() => begun.length > 0, POLL_OPTIONS);
  await wait(200);
  expect(begun).toEqual(['/1']);
  goOn();
  await vi.waitUntil(() => client.text.endsWith('/3'), POLL_OPTIONS);
  expect(begun).toEqual(['/1', '/2', '/3']);
  client.socket.write(getRequest('/4'));
  await vi.waitUntil(() => client.text.endsWith('/4'), POLL_OPTIONS);
});

test('what is asked ahead of an answer that closes the connection is not begun', async () => {
  const { begun, goOn, listener } = createBlockedListener();
  const at = await startHttpServer(listener);
  const client = openSlowClient(at, getRequest('/1') + getRequest('/last') + getRequest('/3') + getRequest('/4'));
  goOn();
  await vi.waitUntil(() => !client.isOpen, POLL_OPTIONS);
  await wait(200);
  expect(begun).toEqual(['/1', '/last']);
  expect(client.text).toMatch(/\/last$/);
});

test('no more is read from who is many requests ahead', async () => {
  const { begun, goOn, listener } = createBlockedListener();
  const at = await startHttpServer(listener);
  const count = 300_000; // of 32 bytes: more than the kernels of both sides take
  const paths = Array.from({ length: count }, (_, number) => `/${number}`);
  const client = openSlowClient(at, paths.map(getRequest).join(''));
  await wait(1000);
  expect(begun).toEqual(['/0']);
  expect(client.socket.writableLength).toBeGreaterThan(0);
  goOn();
  await vi.waitUntil(() => client.text.endsWith(`/${count - 1}`), POLL_OPTIONS);
  expect(begun).toEqual(paths);
});
