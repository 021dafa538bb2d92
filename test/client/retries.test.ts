import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { ApiError, ComplianceClient, NetworkError } from '../../clients/typescript/src/index.ts';
import { startFaultyProxy } from '../support/servers/faulty-proxy.ts';
import type { ProxyFault } from '../support/servers/faulty-proxy.ts';
import { createCompany } from '../support/tenants/company.ts';
import { url } from '../support/http/server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

type Respond = (response: ServerResponse, request: IncomingMessage) => void;
interface ReceivedRequest {
  at: number;
  method: string | undefined;
  key: unknown;
  body: string;
}

/** Starts a server that sends these responses in order, and the last one from then on. */
async function startScript({ onTestFinished }: TestContext, ...script: Respond[]) {
  const received: ReceivedRequest[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    received.push({ at: performance.now(), method: request.method, key: request.headers['idempotency-key'], body });
    script[Math.min(received.length, script.length) - 1]?.(response, request);
  };
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, client: new ComplianceClient({ baseUrl, apiKey: 'key' }), baseUrl };
}

const status =
  (code: number, headers: Record<string, string> = {}, body: object = { error: 'later' }): Respond =>
  (response) =>
    response.writeHead(code, headers).end(JSON.stringify(body));
const created = status(
  201,
  { ETag: '"1-a"', 'Content-Type': 'application/json' },
  { uniqueId: 'x', name: 'Cloud Ltd' },
);
const reset: Respond = (response) => response.destroy();
const breakBody: Respond = (response) => {
  response.writeHead(201, { 'Content-Length': '1000' }).write('{"uniqueId":');
  setImmediate(() => response.destroy());
};

// Each test waits for delays and deadlines of the client, with a server of its own.
describe.concurrent('a write', () => {
  test('is applied once through lost responses, resets and 503', async (context) => {
    const acme = await createCompany();
    const faults: ProxyFault[] = ['reset', 'lost', 503, 'lost', 'none'];
    const sent = [...faults];
    const proxy = await startFaultyProxy(url, () => sent.shift() ?? 'none');
    context.onTestFinished(proxy.stop);
    const { vendors } = new ComplianceClient({ baseUrl: proxy.url, apiKey: acme.key });
    const vendor = await vendors.create({ name: 'Cloud Ltd' });
    sent.push('lost', 'reset');
    expect((await vendors.update(vendor.uniqueId, { name: 'Cloud Inc' }, { ifMatch: vendor.etag })).version).toBe(2);
    sent.push('lost');
    await vendors.delete(vendor.uniqueId);
    const actions = (await acme.events(vendor.uniqueId)).map(({ action }) => action);
    expect(actions).toEqual(['vendor.create', 'vendor.update', 'vendor.delete']);
    expect(sent).toEqual([]);
  });

  test('has the same body and Idempotency-Key in all attempts, and another write has another key', async (context) => {
    const inFlight = status(409, { 'X-Error-Code': 'idempotency_conflict', 'Retry-After': '0' });
    const { received, client } = await startScript(context, status(502), breakBody, inFlight, status(504), created);
    expect(await client.vendors.create({ name: 'Cloud Ltd' })).toEqual({
      uniqueId: 'x',
      name: 'Cloud Ltd',
      etag: '1-a',
    });
    expect(received).toHaveLength(5);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set(['{"name":"Cloud Ltd"}']));
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
    await client.rest.POST('/external/smart-inventory/vendor/new', { body: { name: 'Cloud Ltd' } });
    expect(received.at(-1)?.key).toMatch(/^[\da-f-]{36}$/);
    expect(received.at(-1)?.key).not.toBe(received[0]?.key);
    await client.vendors.create({ name: 'Cloud Ltd' }, { idempotencyKey: 'order 1' });
    expect(received.at(-1)?.key).toBe('order 1');
  });

  test.for([400, 401, 403, 404, 409, 412, 422, 500] as const)('is not repeated after %d', async (code, context) => {
    const { received, client } = await startScript(context, status(code, { 'X-Error-Code': 'some_code' }));
    const error = { name: 'ApiError', status: code, code: 'some_code', message: 'later' };
    await expect(client.vendors.create({ name: 'Cloud Ltd' })).rejects.toMatchObject(error);
    expect(received).toHaveLength(1);
  });
});

describe.concurrent('retries', () => {
  test('wait for Retry-After, in seconds or as a date', async (context) => {
    const inTwoSeconds = () => new Date(Date.now() + 2000).toUTCString();
    const { received, client } = await startScript(
      context,
      status(429, { 'Retry-After': '1' }),
      (response, request) => status(503, { 'Retry-After': inTwoSeconds() })(response, request),
      created,
    );
    await client.vendors.get('x');
    const [first = NaN, second = NaN, third = NaN] = received.map(({ at }) => at);
    expect(second - first).toBeGreaterThan(990);
    expect(third - second).toBeGreaterThan(900); // a date has whole seconds
    expect(received.map(({ key }) => key)).toEqual([undefined, undefined, undefined]);
  });

  test('end at once with the response if Retry-After is beyond the deadline', async (context) => {
    const { received, client } = await startScript(
      context,
      status(429, { 'Retry-After': '60', 'X-Error-Code': 'rate_limited' }),
    );
    const error: unknown = await client.vendors.get('x', { timeoutMs: 5000 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(received).toHaveLength(1);
  });

  test.for([
    ['resets each connection', reset, 2],
    ['never responds', () => undefined, 1],
  ] as const)(
    'end at the deadline with the last network error if the server %s',
    async ([, respond, attempts], context) => {
      const { received, client } = await startScript(context, respond);
      // A garbage collection must not end the abort signal.
      const collecting = setInterval(collectGarbage, 500);
      context.onTestFinished(() => clearInterval(collecting));
      const error: unknown = await client.vendors.get('x', { timeoutMs: 3000 }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NetworkError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^GET .*: no response$/),
        cause: expect.any(Error),
      });
      expect(received.length).toBeGreaterThanOrEqual(attempts);
    },
  );

  test('leave time for the upload of a large body', async (context) => {
    const { baseUrl } = await startScript(context, (response, request) =>
      setTimeout(() => created(response, request), 800),
    );
    const { vendors } = new ComplianceClient({ baseUrl, timeoutMs: 300 });
    await expect(vendors.create({ name: 'a' })).rejects.toThrow(NetworkError);
    expect(await vendors.create({ name: 'a', description: 'x'.repeat(300_000) })).toMatchObject({ uniqueId: 'x' });
  });

  test('end with the reason of the signal, during a request and during a wait', async (context) => {
    for (const respond of [() => undefined, status(503, { 'Retry-After': '30' })]) {
      const controller = new AbortController();
      const { received, client } = await startScript(context, (response, request) => {
        respond(response, request);
        setTimeout(() => controller.abort(new Error('stopped')), 50);
      });
      await expect(client.vendors.get('x', { signal: controller.signal })).rejects.toThrow('stopped');
      await expect(client.vendors.create({ name: 'a' }, { signal: controller.signal })).rejects.toThrow('stopped');
      await expect(client.rest.GET('/external/framework/list', { signal: controller.signal })).rejects.toThrow(
        'stopped',
      );
      expect(received).toHaveLength(1);
    }
  });

  test('an error page of a proxy becomes an ApiError', async (context) => {
    const { client } = await startScript(context, (response) => response.writeHead(500).end('<html>'));
    const error = { status: 500, code: 'unknown', message: 'unexpected status 500', requestId: null };
    await expect(client.vendors.get('x')).rejects.toMatchObject(error);
  });

  test('a server that responds to waiting requests at once gets at most one per second', async (context) => {
    const page = { items: [], cursor: 'c', more: false };
    const { received, client } = await startScript(context, status(200, { 'Content-Type': 'application/json' }, page));
    // The client counts from the start of each request, which a busy machine receives later.
    const start = performance.now();
    for await (const { cursor } of client.changes.follow({ cursor: 'c', wait: 20 }))
      if (cursor === 'c' && received.length === 3) break;
    const [, , third = NaN] = received.map(({ at }) => at);
    expect(third - start).toBeGreaterThan(1990);
  });
});
