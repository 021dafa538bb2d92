import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestContext } from 'vitest';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { NDJSON, streamItems } from '../../server/rest/response/stream.ts';
import { LoadShedder } from '../../server/http/load-shedding.ts';
import { startApp } from '../support/http/app.ts';
import { files, startFileServer } from '../support/http/files.ts';
import { createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const CREATE_PATH = '/external/smart-inventory/vendor/new';
const UPLOAD_PATH = '/external/folder/a/file/new?name=x';
const POLL_OPTIONS = { timeout: 120_000, interval: 50 };

/** Starts servers and opens connections until the end of this test, which may run beside others. */
function peersOf({ onTestFinished }: TestContext) {
  return {
    /** Opens a connection, sends these bytes, and collects the response. */
    openSlowClient: (baseUrl: string, bytes = '') => {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const client = { socket, text: '', isOpen: true };
      socket.on('data', (chunk) => (client.text += String(chunk)));
      socket.on('error', () => {}).on('close', () => (client.isOpen = false));
      if (bytes !== '') socket.write(bytes);
      return client;
    },
    startHttpServer: async (...args: ConstructorParameters<typeof HttpServer>): Promise<string> => {
      const server = new HttpServer(...args);
      onTestFinished(() => server.stop(0));
      return server.listen({ host: '127.0.0.1', port: 0 });
    },
  };
}

const REQUEST_HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n';

/** Creates a listener that responds with the path after `release`, and records the paths in the order of their start. */
function createBlockedListener() {
  const startedPaths: string[] = [];
  const release = Promise.withResolvers<void>();
  const listener: ConstructorParameters<typeof HttpServer>[0] = async ({ url = '' }, response) => {
    startedPaths.push(url);
    await release.promise;
    if (url.endsWith('/last')) response.setHeader('Connection', 'close');
    response.end(url);
  };
  return { startedPaths, release: release.resolve, listener };
}

const getRequest = (path: string, moreHeaders = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${moreHeaders}\r\n`;

// The first two tests wait for the timeouts of the service. Those that run meanwhile have no deadline that a busy process misses.
describe.concurrent('the HTTP server', () => {
  const uploads = { url: '', key: '' };
  beforeAll(async () => {
    const { url, stop } = await startFileServer();
    const { key } = await createCompany();
    // The server then knows the key, and needs no database while it has many clients.
    await fetch(`${url}${UPLOAD_PATH}`, { method: 'POST', headers: { 'X-API-Key': key }, body: 'x' });
    files.clear();
    Object.assign(uploads, { url, key });
    return stop;
  });

  test('an upload that stalls for 15 s ends, but one that continues does not', async (context) => {
    const { openSlowClient } = peersOf(context);
    const { url, key } = uploads;
    const head = `POST ${UPLOAD_PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
    const stalled = openSlowClient(url, `${head}Content-Length: 100\r\n\r\nx`);
    const slow = openSlowClient(url, `${head}Content-Length: 10\r\n\r\nx`);
    // Longer than the timeout of other requests, and the two seconds between Node's checks of it.
    for (let count = 0; count < 9; count++) {
      await wait(2100);
      slow.socket.write('x');
    }
    await vi.waitUntil(() => slow.text !== '', POLL_OPTIONS);
    expect(slow.text).toMatch(/^HTTP\/1\.1 201 /);
    expect(stalled.text).toMatch(/^HTTP\/1\.1 400 [^]*Connection: close[^]*did not arrive in time/);
    await vi.waitUntil(() => !stalled.isOpen, POLL_OPTIONS);
    expect(files.size).toBe(1);
  });

  test('incomplete headers get 408 after ten seconds, and do not affect other clients meanwhile', async (context) => {
    const { startHttpServer, openSlowClient } = peersOf(context);
    const baseUrl = await startHttpServer((_, response) => response.end('{}'));
    const many = Array.from({ length: 1000 }, (_, number) =>
      openSlowClient(baseUrl, number % 2 === 0 ? REQUEST_HEAD : ''),
    );
    for (let times = 0; times < 20; times++) expect(await http('GET', '/', { baseUrl })).toMatchObject({ status: 200 });
    await vi.waitUntil(() => many.every(({ isOpen }) => !isOpen), POLL_OPTIONS);
    expect(many[0]?.text).toMatch(/^HTTP\/1.1 408 [^]*X-Error-Code: invalid_request/);
  });

  test('a pipelined request starts after the response to the previous request', async (context) => {
    const { startHttpServer, openSlowClient } = peersOf(context);
    const { startedPaths, release, listener } = createBlockedListener();
    const baseUrl = await startHttpServer(listener);
    const client = openSlowClient(baseUrl, getRequest('/1') + getRequest('/2') + getRequest('/3'));
    await vi.waitUntil(() => startedPaths.length > 0, POLL_OPTIONS);
    await wait(200);
    expect(startedPaths).toEqual(['/1']);
    release();
    await vi.waitUntil(() => client.text.endsWith('/3'), POLL_OPTIONS);
    expect(startedPaths).toEqual(['/1', '/2', '/3']);
    client.socket.write(getRequest('/4'));
    await vi.waitUntil(() => client.text.endsWith('/4'), POLL_OPTIONS);
  });

  test('a pipelined request does not start after a response that closes the connection', async (context) => {
    const { startHttpServer, openSlowClient } = peersOf(context);
    const { startedPaths, release, listener } = createBlockedListener();
    const baseUrl = await startHttpServer(listener);
    const client = openSlowClient(
      baseUrl,
      getRequest('/1') + getRequest('/last') + getRequest('/3') + getRequest('/4'),
    );
    release();
    await vi.waitUntil(() => !client.isOpen, POLL_OPTIONS);
    await wait(200);
    expect(startedPaths).toEqual(['/1', '/last']);
    expect(client.text).toMatch(/\/last$/);
  });

  test('the server stops reading from a client with many pipelined requests', async (context) => {
    const { startHttpServer, openSlowClient } = peersOf(context);
    const { startedPaths, release, listener } = createBlockedListener();
    const baseUrl = await startHttpServer(listener);
    const count = 20_000;
    const paths = Array.from({ length: count }, (_, number) => `/${number}`);
    // Small requests, of which the server reads thousands at once, then large ones: more than the socket buffers of both sides hold.
    const padding = `X-Padding: ${'x'.repeat(1000)}\r\n`;
    const requests = paths.map((path, number) => getRequest(path, number < count / 2 ? '' : padding));
    const client = openSlowClient(baseUrl, requests.join(''));
    await vi.waitUntil(() => startedPaths.length > 0, POLL_OPTIONS);
    // The server has stopped when nothing leaves for a second, however slowly a busy machine reads before.
    for (let left = NaN; left !== client.socket.writableLength;) {
      left = client.socket.writableLength;
      await wait(1000);
    }
    expect(startedPaths).toEqual(['/0']);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    release();
    await vi.waitUntil(() => client.text.endsWith(`/${count - 1}`), POLL_OPTIONS);
    expect(startedPaths).toEqual(paths);
  });
});

test('at the connection limit, a new connection replaces the connection that is idle longest', async (context) => {
  const { startHttpServer, openSlowClient } = peersOf(context);
  const baseUrl = await startHttpServer((_, response) => response.end('{}'), { maxConnections: 100 });
  const first = openSlowClient(baseUrl, REQUEST_HEAD); // incomplete headers
  await once(first.socket, 'connect');
  const idle = Array.from({ length: 98 }, () => openSlowClient(baseUrl, `${REQUEST_HEAD}\r\n`));
  for (const client of idle) await vi.waitUntil(() => client.text.endsWith('{}'), POLL_OPTIONS);
  const last = openSlowClient(baseUrl);
  await once(last.socket, 'connect');
  expect(first.isOpen).toBe(true);
  for (let times = 0; times < 10; times++) expect(await http('GET', '/', { baseUrl })).toMatchObject({ status: 200 });
  await vi.waitUntil(() => !first.isOpen, POLL_OPTIONS);
  expect(idle[90]).toMatchObject({ isOpen: true });
  expect(last.isOpen).toBe(true);
  last.socket.write(`${REQUEST_HEAD}\r\n`);
  await vi.waitUntil(() => last.text.endsWith('{}'), POLL_OPTIONS);
});

test('a connection with a pending response is not replaced at the connection limit', async (context) => {
  const { startHttpServer, openSlowClient } = peersOf(context);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let started = 0;
  const respond = async (response: ServerResponse) => {
    started += 1;
    response.end(await end.then(() => '{}'));
  };
  const baseUrl = await startHttpServer((_, response) => respond(response), { maxConnections: 20 });
  const waitingClients = Array.from({ length: 20 }, () => openSlowClient(baseUrl, `${REQUEST_HEAD}\r\n`));
  await vi.waitUntil(() => started === waitingClients.length, POLL_OPTIONS);
  const extra = openSlowClient(baseUrl, `${REQUEST_HEAD}\r\n`);
  await vi.waitUntil(() => !extra.isOpen, POLL_OPTIONS);
  expect(extra.text).toBe('');
  resolve();
  for (const client of waitingClients) await vi.waitUntil(() => client.text.endsWith('{}'), POLL_OPTIONS);
});

test('a client that does not read its response is disconnected, but a client that reads slowly is not', async (context) => {
  const { startHttpServer, openSlowClient } = peersOf(context);
  const page = Array.from({ length: 100 }, (_, number) => ({ number, text: 'x'.repeat(1000) }));
  const activePaths = new Set<string>();
  const app = new Koa();
  app.use((ctx) =>
    streamItems(
      ctx,
      NDJSON,
      (async function* () {
        activePaths.add(ctx.path);
        try {
          for (let pageNumber = 0; ctx.path !== '/much' || pageNumber < 200; pageNumber++) yield page;
        } finally {
          activePaths.delete(ctx.path);
        }
      })(),
    ),
  );
  const baseUrl = await startHttpServer(app.callback(), { stallTimeout: 3000 });
  const stalled = openSlowClient(baseUrl, REQUEST_HEAD.replace('/', '/endless') + '\r\n');
  stalled.socket.pause();
  const slow = openSlowClient(baseUrl, REQUEST_HEAD.replace('/', '/much') + '\r\n');
  // Pauses after each chunk, so that every turn reads something, however busy the machine is, and the response is
  // still sent while the other client stalls.
  const pause = () => slow.socket.pause();
  slow.socket.on('data', pause);
  const reads = setInterval(() => slow.socket.resume(), 100);
  await vi.waitUntil(() => activePaths.size === 2, POLL_OPTIONS);
  await vi.waitUntil(() => !activePaths.has('/endless'), POLL_OPTIONS);
  clearInterval(reads);
  slow.socket.off('data', pause).resume();
  await vi.waitUntil(() => slow.text.endsWith('0\r\n\r\n'), POLL_OPTIONS);
  expect(slow.text.match(/"number":99/g)).toHaveLength(200);
});

test('a connection without traffic is closed if it is idle, but not if it waits for a response', async (context) => {
  const { startHttpServer, openSlowClient } = peersOf(context);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const baseUrl = await startHttpServer(async (_, response) => response.end(await end.then(() => '{}')), {
    stallTimeout: 500,
  });
  const waiting = openSlowClient(baseUrl, `${REQUEST_HEAD}\r\n`);
  const idle = openSlowClient(baseUrl);
  await vi.waitUntil(() => !idle.isOpen, POLL_OPTIONS);
  await wait(1000);
  expect(idle.text).toBe(''); // no 408: the header timeout is later
  expect(waiting.isOpen).toBe(true);
  resolve();
  await vi.waitUntil(() => waiting.text.endsWith('{}'), POLL_OPTIONS);
});

test('a client that sends its body slowly does not occupy a slot', async (context) => {
  const { openSlowClient } = peersOf(context);
  const loadShedder = new LoadShedder(createLog('silent'), []);
  const { url: baseUrl, stop } = await startApp({ loadShedder });
  context.onTestFinished(stop);
  context.onTestFinished(() => loadShedder.stop());
  const { key } = await createCompany();
  const head = `POST ${CREATE_PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
  // More clients than slots.
  const many = Array.from({ length: 1100 }, () => openSlowClient(baseUrl, `${head}Content-Length: 17\r\n\r\n{"name":`));
  const isRead = ({ text, isOpen }: ReturnType<typeof openSlowClient>) => isOpen && text.startsWith('HTTP/1.1 100 ');
  await vi.waitUntil(() => many.filter(isRead).length > 1000, POLL_OPTIONS);
  expect(await http('POST', CREATE_PATH, { key, baseUrl, body: { name: 'Quick' } })).toMatchObject({ status: 201 });
  const one = many.find(isRead);
  one?.socket.write('"Slowly"}');
  await vi.waitUntil(() => one?.text.includes('HTTP/1.1 201 '), POLL_OPTIONS);
});
