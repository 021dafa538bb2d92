import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import Koa from 'koa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionTracker } from '../../server/http/connections.ts';
import { HttpServer } from '../../server/http/server.ts';
import { JSON_ARRAY, NDJSON, sendChunks, streamItems } from '../../server/rest/response/stream.ts';

/** Sends a request of HTTP/1.0, whose response ends with the connection. @returns what arrives, and how the connection ends */
function open(port: number) {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
  onTestFinished(() => void socket.destroy());
  const client = { socket, text: '', end: '' };
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.on('end', () => (client.end ||= 'closed'));
  socket.on('error', (error: NodeJS.ErrnoException) => (client.end = String(error.code)));
  return client;
}

async function serve(middleware: Koa.Middleware, limits: ConstructorParameters<typeof HttpServer>[1] = {}) {
  const app = new Koa();
  app.silent = true;
  app.use(middleware);
  const server = new HttpServer(app.callback(), limits);
  onTestFinished(() => server.stop(0));
  return Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** Larger than a response that is sent whole. */
const PAGE = ['x'.repeat(2000), 'last'];

/** Yields a page, and fails once the client has it. */
const breaking = (isRead: () => boolean) =>
  (async function* () {
    yield PAGE;
    await vi.waitUntil(isRead);
    throw new Error('The database has failed.');
  })();

describe('over HTTP/1.0', () => {
  const kinds = {
    'a stream of NDJSON': (ctx, isRead) => streamItems(ctx, NDJSON, breaking(isRead)),
    'a stream of a JSON array': (ctx, isRead) => streamItems(ctx, JSON_ARRAY, breaking(isRead)),
    'the bytes of a file': (ctx, isRead) =>
      sendChunks(ctx, async function* () {
        for await (const items of breaking(isRead)) yield Buffer.from(String(items));
      }),
  } satisfies Record<string, (ctx: Koa.Context, isRead: () => boolean) => Promise<void>>;

  test.for(Object.entries(kinds))('%s that breaks ends with a reset', async ([, send]) => {
    const port = await serve((ctx) => send(ctx, () => client.text.includes('last')));
    const client = open(port);
    await vi.waitUntil(() => client.end !== '');
    expect(client.text).toContain('200 OK');
    expect(client.end).toBe('ECONNRESET');
  });

  test('a stream that is complete ends without a reset', async () => {
    const pages = (async function* () {
      yield PAGE;
    })();
    const client = open(await serve((ctx) => streamItems(ctx, NDJSON, pages)));
    await vi.waitUntil(() => client.end !== '');
    expect(client).toMatchObject({ text: expect.stringMatching(/"last"\n$/), end: 'closed' });
  });

  test('a stream whose client does not read for too long ends with a reset', async () => {
    let isCutOff = false;
    const endless = (async function* () {
      try {
        for (;;) yield ['x'.repeat(100_000)];
      } finally {
        isCutOff = true;
      }
    })();
    const client = open(await serve((ctx) => streamItems(ctx, NDJSON, endless), { stallTimeout: 500 }));
    await once(client.socket, 'data');
    client.socket.pause();
    await vi.waitUntil(() => isCutOff, { timeout: 20_000 });
    client.socket.resume();
    await vi.waitUntil(() => client.end !== '');
    expect(client.end).toBe('ECONNRESET');
  });

  test('a stream that a shutdown cuts off ends with a reset, and a request without a response does not', async () => {
    const tracker = new ConnectionTracker({ maxConnections: 10, stallTimeout: 60_000 });
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) =>
      tracker.enqueue(request.socket, response, () => responses.push(response)),
    ).on('connection', (socket) => tracker.add(socket));
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const begun = open(port);
    await vi.waitUntil(() => responses.length === 1);
    const waiting = open(port);
    await vi.waitUntil(() => responses.length === 2);
    responses[0]?.write('a part');
    await vi.waitUntil(() => begun.text.endsWith('a part'));
    tracker.resetUnfinished();
    await vi.waitUntil(() => begun.end !== '');
    server.closeAllConnections();
    await vi.waitUntil(() => waiting.end !== '');
    expect([begun.end, waiting.end]).toEqual(['ECONNRESET', 'closed']);
  });
});
