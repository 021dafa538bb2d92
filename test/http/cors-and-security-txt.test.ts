import { afterAll, describe, expect, test } from 'vitest';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { createCompany } from '../support/tenants/company.ts';
import { http, sendRaw } from '../support/http/server.ts';

const VENDORS = '/external/smart-inventory/vendor';
const ALLOWED_ORIGIN = 'https://app.example.com';
const CONTACT = 'mailto:security@example.com';

const acme = await createCompany();
const app = await startApp({
  corsOrigins: [ALLOWED_ORIGIN, 'http://localhost:5173'],
  securityContact: CONTACT,
  rateLimits: await openTestRateLimits(3),
});
afterAll(() => app.stop());

describe('a page of a configured origin', () => {
  const preflight = (path: string, headers: Record<string, string> = {}) =>
    app.ask(
      path,
      { Origin: ALLOWED_ORIGIN, 'Access-Control-Request-Method': 'PATCH', ...headers },
      { method: 'OPTIONS' },
    );

  test.for([`${VENDORS}/list`, '/external/nothing', '/trpc/vendor.list'])(
    'gets a preflight response for %s without a key',
    async (path) => {
      const response = await preflight(path, { 'Access-Control-Request-Headers': 'x-api-key,content-type' });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(ALLOWED_ORIGIN);
      expect(response.headers.get('Vary')).toBe('Origin');
      expect(response.headers.get('Access-Control-Max-Age')).toBe('600');
      expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false);
      expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual([
        'DELETE',
        'GET',
        'HEAD',
        'PATCH',
        'POST',
        'PUT',
      ]);
      expect(listOf(response, 'Access-Control-Allow-Headers')).toEqual([
        'Authorization',
        'Content-Digest',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'If-Range',
        'Prefer',
        'Range',
        'X-API-Key',
        'X-Company-Id',
        'X-Request-Id',
        'traceparent',
        'tracestate',
        'trpc-accept',
      ]);
    },
  );

  test('can read every response and its headers, including errors', async () => {
    const { key } = await acme.manage.apiKey.create({ name: 'Page' });
    const responses = [];
    for (let request = 0; request < 4; request++) {
      responses.push(await app.ask(`${VENDORS}/list`, { Origin: 'http://localhost:5173', 'X-API-Key': key }));
    }
    responses.push(await app.ask(`${VENDORS}/list`, { Origin: 'http://localhost:5173' }));
    responses.push(await app.ask('/trpc/vendor.list', { Origin: 'http://localhost:5173' }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 401, 401]);
    for (const response of responses) {
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('http://localhost:5173');
      expect(listOf(response, 'Vary')).toContain('Origin');
      expect(listOf(response, 'Access-Control-Expose-Headers')).toEqual([
        'Accept-Ranges',
        'Allow',
        'Content-Disposition',
        'Content-Range',
        'Content-Security-Policy',
        'Deprecation',
        'ETag',
        'Idempotency-Replayed',
        'Link',
        'Location',
        'Preference-Applied',
        'RateLimit',
        'RateLimit-Policy',
        'Repr-Digest',
        'Retry-After',
        'Sunset',
        'WWW-Authenticate',
        'X-API-Key-Expires',
        'X-API-Key-Rotated',
        'X-Dry-Run',
        'X-Error-Code',
        'X-Request-Id',
        'X-Total-Count',
        'X-Upsert',
      ]);
    }
  });

  test('may send every operation with each of its headers, and read those of its responses', async () => {
    const response = await preflight(`${VENDORS}/list`);
    const read = await app.ask(`${VENDORS}/list`, { Origin: ALLOWED_ORIGIN });
    const exposed = listOf(read, 'Access-Control-Expose-Headers');
    const { parameters, responses } = openApi.components;
    for (const verbs of Object.values(openApi.paths))
      for (const [verb, operation] of Object.entries(verbs)) {
        expect(listOf(response, 'Access-Control-Allow-Methods')).toContain(verb.toUpperCase());
        const headers = (operation.parameters ?? [])
          .map((parameter) => ('$ref' in parameter ? parameters[nameIn(parameter)] : parameter))
          .filter((parameter) => parameter?.in === 'header')
          .map((parameter) => parameter?.name);
        expect(listOf(response, 'Access-Control-Allow-Headers')).toEqual(expect.arrayContaining(headers));
        for (const documented of Object.values(operation.responses)) {
          const sent = '$ref' in documented ? responses[nameIn(documented)] : documented;
          const names = Object.keys(sent?.headers ?? {}).filter((name) => name !== 'Access-Control-Allow-Origin');
          expect(names).toContain('X-Request-Id');
          expect(exposed).toEqual(expect.arrayContaining(names));
        }
      }
  });

  const nameIn = ({ $ref }: { $ref: string }) => $ref.replace(/.*\//, '');

  test('gets the usual 401 for an OPTIONS request that is not a preflight', async () => {
    const response = await app.ask(`${VENDORS}/list`, { Origin: ALLOWED_ORIGIN }, { method: 'OPTIONS' });
    expect(response.status).toBe(401);
  });

  const listOf = ({ headers }: Response, name: string) => headers.get(name)?.split(/, */).toSorted();
});

describe('a page of any other origin', () => {
  test.for(['https://app.example.com.evil.example', 'https://APP.example.com', 'http://app.example.com', 'null'])(
    '%s gets no CORS headers, and its preflight gets 401',
    async (origin) => {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
      for (const method of ['OPTIONS', 'GET']) {
        const response = await app.ask(`${VENDORS}/list`, headers, { method });
        expect(response.status).toBe(401);
        expect(corsHeaders(response.headers)).toEqual([]);
        expect(response.headers.get('Vary')).toBe('Origin');
      }
    },
  );

  test('gets no CORS headers if no origin is configured', async () => {
    const headers = { Origin: ALLOWED_ORIGIN, 'Access-Control-Request-Method': 'GET' };
    for (const method of ['OPTIONS', 'GET']) {
      const response = await http(method, `${VENDORS}/list`, { headers });
      expect(response.status).toBe(401);
      expect(corsHeaders(new Headers(response.headers as Record<string, string>))).toEqual([]);
      expect(response.headers).not.toHaveProperty('vary');
    }
  });

  test('gets no CORS headers outside /external and /trpc', async () => {
    const response = await app.ask('/openapi.json', { Origin: ALLOWED_ORIGIN });
    expect(response.status).toBe(200);
    expect(corsHeaders(response.headers)).toEqual([]);
  });

  const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
});

describe('/.well-known/security.txt', () => {
  test('names the contact and expires in less than a year', async () => {
    const response = await app.ask('/.well-known/security.txt');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    const [, expires = ''] =
      /^Contact: mailto:security@example\.com\nExpires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\nPreferred-Languages: en\n$/.exec(
        text,
      ) ?? [];
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  test('allows only GET and HEAD', async () => {
    expect((await app.ask('/.well-known/security.txt', {}, { method: 'HEAD' })).status).toBe(200);
    const response = await app.ask('/.well-known/security.txt', {}, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('GET, HEAD');
  });

  test('does not exist if no contact is configured', async () => {
    expect(await http('GET', '/.well-known/security.txt')).toMatchObject({ status: 404 });
  });
});

describe('Accept', () => {
  const PROBLEM = 'application/problem+json';
  const requestWithAccept = (accept: string) =>
    http('GET', `${VENDORS}/abc/item`, { key: acme.key, headers: { Accept: accept, 'X-Request-Id': 'mine' } });

  test.for([
    PROBLEM,
    'Application/Problem+JSON',
    `${PROBLEM}, application/json;q=0.9`,
    `application/json;q=0.5, ${PROBLEM};q=0.6`,
    `${PROBLEM}, application/json`,
    `*/*, ${PROBLEM}`,
    `application/*;q=0.8, ${PROBLEM}`,
    `text/html, ${PROBLEM};q=0.1`,
  ])('%s selects problem details', async (accept) => {
    const response = await requestWithAccept(accept);
    expect(response).toMatchObject({ status: 404, headers: { 'content-type': PROBLEM, 'x-error-code': 'not_found' } });
    expect(JSON.parse(response.text)).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'vendor: not found',
      code: 'not_found',
      error: 'vendor: not found',
    });
  });

  test.for([
    '',
    '*/*',
    'application/*',
    'application/*+json',
    'application/json',
    'text/html',
    `application/json, ${PROBLEM}`,
    `application/json, ${PROBLEM};q=0.9`,
    `${PROBLEM};q=0`,
    `${PROBLEM};q=0, */*`,
    `${PROBLEM};q=0.1, application/*;q=0.9`,
    'application/problem+jsonx',
    'nonsense;;;,,x',
  ])('"%s" does not select problem details', async (accept) => {
    const response = await requestWithAccept(accept);
    expect(response).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(response.body).toEqual({ error: 'vendor: not found' });
  });

  test('adds the request id as `instance` if it is a UUID', async () => {
    const response = await http('GET', `${VENDORS}/list`, { headers: { Accept: PROBLEM } });
    expect(JSON.parse(response.text)).toMatchObject({
      status: 401,
      title: 'Unauthorized',
      code: 'unauthorized',
      instance: `urn:uuid:${String(response.headers['x-request-id'])}`,
    });
  });

  test('changes only errors below /external, and for HEAD only the content type', async () => {
    const headers = { Accept: PROBLEM };
    expect(await http('GET', `${VENDORS}/list`, { key: acme.key, headers })).toMatchObject({ status: 200, body: [] });
    expect(await http('HEAD', `${VENDORS}/list`, { headers })).toMatchObject({
      status: 401,
      text: '',
      headers: { 'content-type': PROBLEM },
    });
    expect(await http('GET', '/nothing', { headers })).toMatchObject({
      status: 404,
      body: { error: 'No such path. The paths are documented at /docs.' },
    });
    expect(await http('GET', '/external', { headers })).toMatchObject({ headers: { 'content-type': PROBLEM } });
  });

  test('applies to a request target that is an absolute URL, even a malformed one', async () => {
    const send = (target: string) =>
      sendRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nAccept: ${PROBLEM}\r\nConnection: close\r\n\r\n`);
    expect(await send('http://x/external/y')).toContain('"status":401');
    expect(await send('http://[/external/y')).toContain('"status":400');
  });
});
