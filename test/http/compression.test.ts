import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compressResponses } from '../../server/http/compression.ts';
import { HttpServer } from '../../server/http/server.ts';
import { NDJSON, streamItems } from '../../server/rest/response/stream.ts';
import { MODERN_VERSION, modernMeta } from '../support/http/mcp.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createFileCompany, idOf, startEvidenceServer } from '../support/storage/evidence-server.ts';
import { OPERATOR_TOKEN, callerForKey } from '../support/tenants/company.ts';
import { seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';

const VENDORS = '/external/smart-inventory/vendor';
const MCP_HEADERS = {
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
  'MCP-Protocol-Version': MODERN_VERSION,
  'Mcp-Method': 'tools/list',
};
const TEXT = 'Keeps the data of our customers. ';

const server = await startEvidenceServer(await temporaryFolder(), 100_000);
afterAll(server.stop);
const company = await createFileCompany();
const items = Array.from({ length: 40 }, (_, index) => ({
  op: 'create' as const,
  body: { name: `Vendor ${index}`, description: TEXT },
}));
await company.vendor.batch({ items });
const { uniqueId: large } = await company.vendor.create({ name: 'Large', description: TEXT.repeat(50) });
const { uniqueId: small } = await company.vendor.create({ name: 'Small' });
const member = await createMember(company);
await seal(company);

const key = { 'X-API-Key': company.key };
const session = { Cookie: `session-${new URL(server.url).port}=${member.token}`, 'Sec-Fetch-Site': 'same-origin' };
const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
const ndjson = { Accept: 'application/x-ndjson' };
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta() } });

/** Sends a request without reading the response. */
async function open(
  target: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<IncomingMessage> {
  const sent = request(target, { method, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => {}); // the response has the error too
  return response;
}

async function read(path: string, headers: Record<string, string>, method = 'GET', body = '') {
  const response = await open(`${server.url}${path}`, headers, method, body);
  const bytes = await buffer(response);
  const { 'content-encoding': coding, vary = '', etag, 'content-length': length } = response.headers;
  const text =
    method === 'HEAD' || coding === undefined
      ? bytes
      : coding === 'br'
        ? brotliDecompressSync(bytes)
        : gunzipSync(bytes);
  return { status: response.statusCode, coding, vary, etag, length, size: bytes.length, text: text.toString() };
}

describe('a response of more than 1 KiB', () => {
  test.for<[string, string, Record<string, string>, string?, string?]>([
    ['a list', `${VENDORS}/list`, key],
    ['a filtered list', `${VENDORS}/list?status=active`, key],
    ['an item', `${VENDORS}/${large}/item`, key],
    ['an export as CSV', `${VENDORS}/list`, { ...key, Accept: 'text/csv' }],
    ['an export as NDJSON', `${VENDORS}/list`, { ...key, ...ndjson }],
    ['the audit log as NDJSON', '/external/audit/list', { ...key, ...ndjson }],
    ['the change feed', '/external/changes', { ...key, ...ndjson }],
    ['a call of tRPC with a key', '/trpc/vendor.page', key],
    ['a call of tRPC with a session', '/trpc/vendor.page', session],
    ['a call of tRPC of the operator', '/trpc/management.audit.list?input=%7B%7D', operator],
    ['a batch of tRPC', '/trpc/vendor.page,vendor.list?batch=1', key],
    ['a streamed batch of tRPC', '/trpc/vendor.page?batch=1', { ...key, 'trpc-accept': 'application/jsonl' }],
    ['a message of MCP', '/mcp', { ...key, ...MCP_HEADERS }, 'POST', listTools],
    ['the document', '/openapi.json', {}],
  ])('%s is compressed if the client takes it, and has the same text', async ([, path, headers, method, body]) => {
    const plain = await read(path, headers, method, body);
    expect(plain).toMatchObject({
      status: 200,
      coding: undefined,
      vary: expect.stringMatching(/\baccept-encoding\b/i),
    });
    expect(plain.size).toBeGreaterThan(1024);
    for (const coding of ['gzip', 'br']) {
      const compressed = await read(path, { ...headers, 'Accept-Encoding': coding }, method, body);
      expect(compressed).toMatchObject({ status: plain.status, coding, vary: plain.vary });
      expect(compressed.size).toBeLessThan(plain.size);
      expect(compressed.text).toBe(plain.text);
    }
  });

  test.for([
    ['gzip, deflate, br, zstd', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['br;q=0.1', 'br'],
    ['*', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=0', undefined],
    ['', undefined],
  ] as const)('has, with Accept-Encoding: %s, the coding %s', async ([accepted, coding]) => {
    for (const path of ['list', 'list?status=active'])
      expect(await read(`${VENDORS}/${path}`, { ...key, 'Accept-Encoding': accepted })).toMatchObject({ coding });
  });

  test('has the same headers for HEAD', async () => {
    const headers = { ...key, 'Accept-Encoding': 'gzip' };
    for (const path of [`${VENDORS}/list`, `${VENDORS}/list?status=active`, `${VENDORS}/${large}/item`]) {
      const { coding, vary, etag, length } = await read(path, headers);
      expect(coding).toBe('gzip');
      expect(await read(path, headers, 'HEAD')).toMatchObject({ coding, vary, etag, length, size: 0 });
    }
  });

  test('keeps its entity tag, which still works', async () => {
    const path = `${VENDORS}/${large}/item`;
    const { etag = '' } = await read(path, key);
    const compressed = await read(path, { ...key, 'Accept-Encoding': 'gzip' });
    expect(compressed).toMatchObject({ coding: 'gzip', etag });
    const revalidated = await read(path, { ...key, 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
    expect(revalidated).toMatchObject({ status: 304, size: 0, coding: undefined });
  });
});

describe('is sent as it is', () => {
  test.for<[string, string]>([
    ['a response of at most 1 KiB', `${VENDORS}/${small}/item`],
    ['a short list', `${VENDORS}/list?q=Small`],
    ['an error', '/external/nothing'],
  ])('%s', async ([, path]) => {
    const response = await read(path, { ...key, 'Accept-Encoding': 'gzip, br' });
    expect(response).toMatchObject({ coding: undefined, vary: '', length: String(response.size) });
  });

  test.for(['text/html', 'text/csv', 'application/json', 'application/x-ndjson'])(
    'the content of evidence of the type %s, and a part of it',
    async (type) => {
      const content = TEXT.repeat(100);
      const evidence = idOf(await server.upload(company, content, { 'Content-Type': type }));
      const path = `/external/evidence/${evidence}/content`;
      const headers = { ...key, 'Accept-Encoding': 'gzip, br' };
      const whole = await read(path, headers);
      expect(whole).toMatchObject({ status: 200, coding: undefined, text: content, length: String(content.length) });
      const part = await read(path, { ...headers, Range: 'bytes=0-1999' });
      expect(part).toMatchObject({ status: 206, coding: undefined, text: content.slice(0, 2000) });
    },
  );
});

test('pages are compressed, and other types are not', async () => {
  const app = new Koa();
  app.use(compressResponses);
  app.use((ctx) => {
    ctx.type = ctx.path.slice(1);
    ctx.body = TEXT.repeat(100);
  });
  const url = await listen(app);
  for (const [type = '', coding] of [
    ['html', 'gzip'],
    ['text/plain', undefined],
    ['application/zip', undefined],
    ['text/event-stream', undefined],
    ['text/html-like', undefined],
  ]) {
    const { headers } = (await open(`${url}/${type}`, { 'Accept-Encoding': 'gzip' })).resume();
    expect([type, headers['content-encoding']]).toEqual([type, coding]);
  }
});

describe('a compressed stream', () => {
  test.for(['gzip', 'br'])('of %s has each batch as soon as it is there', async (coding) => {
    const received = Promise.withResolvers<void>();
    const app = new Koa();
    app.use((ctx) =>
      streamItems(
        ctx,
        NDJSON,
        (async function* () {
          yield [TEXT.repeat(100), 'first'];
          await received.promise;
          yield ['second'];
        })(),
      ),
    );
    const response = await open(await listen(app), { 'Accept-Encoding': coding });
    expect(response.headers['content-encoding']).toBe(coding);
    let text = '';
    const decoded = response.pipe(coding === 'br' ? createBrotliDecompress() : createGunzip());
    decoded.on('data', (chunk) => (text += String(chunk)));
    await vi.waitUntil(() => text.endsWith('"first"\n'));
    received.resolve();
    await once(decoded, 'end');
    expect(text).toMatch(/"first"\n"second"\n$/);
  });

  test('that breaks ends with a reset', async () => {
    const app = new Koa();
    app.silent = true;
    const received = Promise.withResolvers<void>();
    app.use((ctx) =>
      streamItems(
        ctx,
        NDJSON,
        (async function* () {
          yield [TEXT.repeat(100)];
          await received.promise;
          throw new Error('The database has failed.');
        })(),
      ),
    );
    const response = await open(await listen(app), { 'Accept-Encoding': 'gzip' });
    const content = buffer(response);
    received.resolve();
    await expect(content).rejects.toThrow('aborted');
  });
});

test('a streamed batch of tRPC has the result of each call as soon as it is there', async () => {
  const { cursor } = await (await callerForKey(company.key)).changes.list({ from: 'now' });
  const input = encodeURIComponent(JSON.stringify({ 1: { cursor, wait: 30 } }));
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${server.url}/trpc/vendor.page,changes.list?batch=1&input=${input}`, {
    headers: { ...key, 'trpc-accept': 'application/jsonl', 'Accept-Encoding': 'gzip' },
    signal: controller.signal,
  });
  expect(response.headers.get('Content-Encoding')).toBe('gzip');
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('Vendor 39')) break; // the other call waits for an event
  }
  expect(text).toContain('Vendor 39');
});

describe('/openapi.json', () => {
  test('has an entity tag for each coding, and is 304 for a client that has it', async () => {
    const tags = [];
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers = { 'Accept-Encoding': coding };
      const { etag = '' } = await read('/openapi.json', headers);
      expect(etag).toMatch(/^"[\w-]+"$/);
      tags.push(etag);
      for (const method of ['GET', 'HEAD'])
        for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
          expect(await read('/openapi.json', { ...headers, 'If-None-Match': known }, method)).toMatchObject({
            status: 304,
            etag,
            size: 0,
          });
      expect(await read('/openapi.json', { ...headers, 'If-None-Match': '"x"' })).toMatchObject({ status: 200, etag });
    }
    expect(new Set(tags).size).toBe(3);
  });
});

async function listen(app: Koa): Promise<string> {
  const http = new HttpServer(app.callback());
  onTestFinished(() => http.stop(0));
  return http.listen({ host: '127.0.0.1', port: 0 });
}
