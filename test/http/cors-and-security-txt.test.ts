import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { http, sendRaw } from '../support/http/server.ts';

const VENDORS = '/external/smart-inventory/vendor';
const ALLOWED_ORIGIN = 'https://app.example.com';
const CONTACT = 'mailto:security@example.com';

let acme: TestCompany;
let app: Awaited<ReturnType<typeof startApp>>;
beforeAll(async () => {
  acme = await createCompany();
  app = await startApp({
    corsOrigins: [ALLOWED_ORIGIN, 'http://localhost:5173'],
    securityContact: CONTACT,
    rateLimits: await openTestRateLimits(3),
  });
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
    'may ask whether it may ask %s, without a key',
    async (path) => {
      const answer = await preflight(path, { 'Access-Control-Request-Headers': 'x-api-key,content-type' });
      expect(answer.status).toBe(204);
      expect(await answer.text()).toBe('');
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(ALLOWED_ORIGIN);
      expect(answer.headers.get('Vary')).toBe('Origin');
      expect(answer.headers.get('Access-Control-Max-Age')).toBe('600');
      expect(answer.headers.has('Access-Control-Allow-Credentials')).toBe(false);
      expect(listOf(answer, 'Access-Control-Allow-Methods')).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST']);
      expect(listOf(answer, 'Access-Control-Allow-Headers')).toEqual([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'Prefer',
        'X-API-Key',
        'X-Company-Id',
        'X-Request-Id',
      ]);
    },
  );

  test('may read every answer and its headers, refusals too', async () => {
    const { key } = await acme.manage.apiKey.create({ name: 'Page' });
    const answers = [];
    for (let request = 0; request < 4; request++) {
      answers.push(await app.ask(`${VENDORS}/list`, { Origin: 'http://localhost:5173', 'X-API-Key': key }));
    }
    answers.push(await app.ask(`${VENDORS}/list`, { Origin: 'http://localhost:5173' }));
    answers.push(await app.ask('/trpc/vendor.list', { Origin: 'http://localhost:5173' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 401, 401]);
    for (const answer of answers) {
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('http://localhost:5173');
      expect(listOf(answer, 'Vary')).toContain('Origin');
      expect(listOf(answer, 'Access-Control-Expose-Headers')).toEqual([
        'Allow',
        'Deprecation',
        'ETag',
        'Idempotency-Replayed',
        'Link',
        'Location',
        'Preference-Applied',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'Sunset',
        'WWW-Authenticate',
        'X-API-Key-Expires',
        'X-API-Key-Rotated',
        'X-Error-Code',
        'X-Request-Id',
        'X-Total-Count',
      ]);
    }
  });

  test('is answered as ever for an OPTIONS that is no preflight', async () => {
    const answer = await app.ask(`${VENDORS}/list`, { Origin: ALLOWED_ORIGIN }, { method: 'OPTIONS' });
    expect(answer.status).toBe(401);
  });

  const listOf = ({ headers }: Response, name: string) => headers.get(name)?.split(/, */).toSorted();
});

describe('a page of any other origin', () => {
  test.for(['https://app.example.com.evil.example', 'https://APP.example.com', 'http://app.example.com', 'null'])(
    '%s is told nothing, and its preflight is 401',
    async (origin) => {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
      for (const method of ['OPTIONS', 'GET']) {
        const answer = await app.ask(`${VENDORS}/list`, headers, { method });
        expect(answer.status).toBe(401);
        expect(allowances(answer.headers)).toEqual([]);
        expect(answer.headers.get('Vary')).toBe('Origin');
      }
    },
  );

  test('is told nothing anywhere where no origin is configured', async () => {
    const headers = { Origin: ALLOWED_ORIGIN, 'Access-Control-Request-Method': 'GET' };
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await http(method, `${VENDORS}/list`, { headers });
      expect(answer.status).toBe(401);
      expect(allowances(new Headers(answer.headers as Record<string, string>))).toEqual([]);
      expect(answer.headers).not.toHaveProperty('vary');
    }
  });

  test('is told nothing beside /external and /trpc', async () => {
    const answer = await app.ask('/openapi.json', { Origin: ALLOWED_ORIGIN });
    expect(answer.status).toBe(200);
    expect(allowances(answer.headers)).toEqual([]);
  });

  const allowances = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
});

describe('/.well-known/security.txt', () => {
  test('names the contact, for less than a year', async () => {
    const answer = await app.ask('/.well-known/security.txt');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const text = await answer.text();
    const [, expires = ''] =
      /^Contact: mailto:security@example\.com\nExpires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\nPreferred-Languages: en\n$/.exec(
        text,
      ) ?? [];
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  test('is only read', async () => {
    expect((await app.ask('/.well-known/security.txt', {}, { method: 'HEAD' })).status).toBe(200);
    const answer = await app.ask('/.well-known/security.txt', {}, { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('Allow')).toBe('GET, HEAD');
  });

  test('is not there where no contact is set', async () => {
    expect(await http('GET', '/.well-known/security.txt')).toMatchObject({ status: 404 });
  });
});

describe('Accept', () => {
  const PROBLEM = 'application/problem+json';
  const asked = (accept: string) =>
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
  ])('%s asks for problems', async (accept) => {
    const answer = await asked(accept);
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': PROBLEM, 'x-error-code': 'not_found' } });
    expect(JSON.parse(answer.text)).toEqual({
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
  ])('"%s" does not', async (accept) => {
    const answer = await asked(accept);
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(answer.body).toEqual({ error: 'vendor: not found' });
  });

  test('names the request where its id is a UUID', async () => {
    const answer = await http('GET', `${VENDORS}/list`, { headers: { Accept: PROBLEM } });
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 401,
      title: 'Unauthorized',
      code: 'unauthorized',
      instance: `urn:uuid:${String(answer.headers['x-request-id'])}`,
    });
  });

  test('changes nothing for success, for HEAD but the type, nor beside /external', async () => {
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

  test('is heard for a target that is a whole URL, readable or not', async () => {
    const ask = (target: string) =>
      sendRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nAccept: ${PROBLEM}\r\nConnection: close\r\n\r\n`);
    expect(await ask('http://x/external/y')).toContain('"status":401');
    expect(await ask('http://[/external/y')).toContain('"status":400');
  });
});
