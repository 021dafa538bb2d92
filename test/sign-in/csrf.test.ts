import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { PASSWORD, passwordHash } from '../support/tenants/sign-in.ts';

const acme = await createCompany();
const app = await startApp({ services, corsOrigins: ['https://partner.example.com'] });
const ann = await createMember(acme, { password: passwordHash });
afterAll(() => app.stop());

const SITES = [undefined, 'same-origin', 'same-site', 'cross-site', 'none'] as const;
type Site = (typeof SITES)[number];
/** Origins: none, that of APP_URL, that of the request, one of CORS_ORIGINS, another port, and that of a sandboxed frame. */
const ORIGINS = ['absent', 'app', 'request', 'https://partner.example.com', 'http://localhost:3001', 'null'] as const;
type Origin = (typeof ORIGINS)[number];

const originHeader = (origin: Origin): string | undefined =>
  ({ absent: undefined, app: services.appUrl(), request: app.url })[origin as string] ??
  (origin === 'absent' ? undefined : origin);

function headersOf(site: Site, origin: Origin, token?: string): Record<string, string> {
  const originValue = originHeader(origin);
  return {
    ...(site !== undefined && { 'Sec-Fetch-Site': site }),
    ...(originValue !== undefined && { Origin: originValue }),
    ...(token !== undefined && { Cookie: `session-3000=${token}` }),
  };
}

/** `Referer` of a read without `Origin` and `Sec-Fetch-Site`, and whether it is of a page of this server. */
const REFERERS: [string, (page: string) => string, boolean][] = [
  ['of a page of this server', (page) => `${page}/tasks?q=a#b`, true],
  ['of the origin alone', (page) => `${page}/`, true],
  ['of another site', () => 'https://evil.example/', false],
  ['of a host that begins with that of this server', (page) => `${page}.evil.example/`, false],
  ['of a host after the origin of this server as a user', (page) => `${page}@evil.example/`, false],
  ['of a path with the origin of this server', (page) => `https://evil.example/${page}/`, false],
  ['of another port', () => 'http://localhost:3001/', false],
  ['of another scheme', (page) => page.replace('http:', 'https:'), false],
  ['that is no URL', () => 'localhost:3000', false],
  ['that is empty', () => '', false],
];

/** True if the page of the request belongs to this server. The browser may say so for a page of CORS_ORIGINS behind a proxy. */
function isSameOrigin(site: Site, origin: Origin): boolean {
  const isOwn = origin === 'app' || origin === 'request';
  if (site === undefined) return isOwn;
  return site === 'same-origin' && (isOwn || origin === 'absent' || origin === 'https://partner.example.com');
}

const MATRIX = SITES.flatMap((site) => ORIGINS.map((origin) => [site, origin] as const));

interface Target {
  method: string;
  path: string;
  body?: object;
  /** Status for a page of this server with the cookie, and without it. */
  status: number;
  statusWithoutCookie: number;
}

const TARGETS: Target[] = [
  { method: 'GET', path: '/session', status: 200, statusWithoutCookie: 401 },
  { method: 'PATCH', path: '/session', body: { company: 2_147_483_647 }, status: 404, statusWithoutCookie: 401 },
  { method: 'DELETE', path: '/session', status: 204, statusWithoutCookie: 401 },
  { method: 'POST', path: '/session', body: { email: 'x' }, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/invitation', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/invitation/look', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/reset', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/forgot', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/email', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'POST', path: '/session/delete', body: {}, status: 400, statusWithoutCookie: 400 },
  { method: 'GET', path: '/session/service', status: 200, statusWithoutCookie: 200 },
  { method: 'GET', path: '/trpc/management.framework.list', status: 200, statusWithoutCookie: 401 },
  { method: 'POST', path: '/trpc/vendor.create', body: { name: '' }, status: 400, statusWithoutCookie: 401 },
];

describe.each(TARGETS)('$method $path', ({ method, path, body, status, statusWithoutCookie }) => {
  const statusOf = async (headers: Record<string, string>) =>
    (await http(method, path, { baseUrl: app.url, headers, ...(body !== undefined && { body }) })).status;

  test.each(MATRIX)('with the cookie, Sec-Fetch-Site %s and Origin %s', async (site, origin) => {
    // A sign-out of a page of this server ends the session, so each has its own.
    const { token } = method === 'DELETE' ? await createMember(acme) : ann;
    const expected = isSameOrigin(site, origin) ? status : 403;
    expect(await statusOf(headersOf(site, origin, token))).toBe(expected);
  });

  test.each(MATRIX)('without the cookie, Sec-Fetch-Site %s and Origin %s', async (site, origin) => {
    const isProgram = site === undefined && origin === 'absent';
    const isTrpc = path.startsWith('/trpc');
    const expected = isTrpc || isProgram || isSameOrigin(site, origin) ? statusWithoutCookie : 403;
    expect(await statusOf(headersOf(site, origin))).toBe(expected);
  });
});

describe('without Sec-Fetch-Site, as browsers send requests over http', () => {
  const isRead = ({ method }: Target) => method === 'GET';
  const statusOf = async ({ method, path, body }: Target, headers: Record<string, string>) =>
    (await http(method, path, { baseUrl: app.url, headers, ...(body !== undefined && { body }) })).status;
  const cookie = headersOf(undefined, 'absent', ann.token);

  test.each(REFERERS)('a read with a Referer %s', async (_, refererOf, isOwn) => {
    for (const page of [services.appUrl(), app.url])
      for (const target of TARGETS.filter(isRead)) {
        const status = await statusOf(target, { ...cookie, Referer: refererOf(page) });
        expect([target.path, status]).toEqual([target.path, isOwn ? target.status : 403]);
      }
  });

  test('a read whose Origin is of another site is 403, whatever its Referer is', async () => {
    for (const origin of ['null', 'https://partner.example.com'] as const)
      for (const target of TARGETS.filter(isRead)) {
        const headers = { ...headersOf(undefined, origin, ann.token), Referer: `${services.appUrl()}/` };
        expect(await statusOf(target, headers)).toBe(403);
      }
  });

  test('the Referer of this server permits no write', async () => {
    for (const target of TARGETS.filter((one) => !isRead(one)))
      expect(await statusOf(target, { ...cookie, Referer: `${services.appUrl()}/` })).toBe(403);
  });

  test('the Referer of this server permits nothing if the browser says that another site sends the request', async () => {
    for (const site of ['cross-site', 'same-site', 'none'] as const)
      for (const target of TARGETS) {
        const headers = { ...headersOf(site, 'absent', ann.token), Referer: `${services.appUrl()}/` };
        expect(await statusOf(target, headers)).toBe(403);
      }
  });

  test('a read without a cookie and with the Referer of another site is 403 below /session', async () => {
    const headers = { Referer: 'https://evil.example/' };
    expect((await http('GET', '/session', { baseUrl: app.url, headers })).status).toBe(403);
    expect((await http('GET', '/session/sso?email=a@b.example', { baseUrl: app.url, headers })).status).toBe(403);
  });
});

describe('content types other than JSON', () => {
  const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
  const credentials = () => JSON.stringify({ email: ann.email, password: PASSWORD });
  const statusOf = async (method: string, path: string, headers: Record<string, string>, body: string) =>
    (await http(method, path, { baseUrl: app.url, headers, body })).status;

  test.each(TYPES)('"%s" is 415 below /session, with and without a cookie', async (type) => {
    for (const headers of [headersOf('same-origin', 'app', ann.token), headersOf(undefined, 'absent')])
      for (const path of [
        '/session',
        '/session/invitation',
        '/session/invitation/look',
        '/session/reset',
        '/session/forgot',
        '/session/email',
        '/session/delete',
      ])
        expect(await statusOf('POST', path, { ...headers, 'Content-Type': type }, credentials())).toBe(415);
    const headers = { ...headersOf('same-origin', 'app', ann.token), 'Content-Type': type };
    expect(await statusOf('PATCH', '/session', headers, JSON.stringify({ company: acme.id }))).toBe(415);
  });

  test.each(TYPES)('"%s" is 403 at /trpc with a cookie', async (type) => {
    const headers = { ...headersOf('same-origin', 'app', ann.token), 'Content-Type': type };
    expect(await statusOf('POST', '/trpc/vendor.create', headers, JSON.stringify({ name: 'Cloud' }))).toBe(403);
    expect(await acme.vendor.list({})).toMatchObject([]);
  });

  test('JSON with a charset is accepted', async () => {
    const headers = { ...headersOf('same-origin', 'app'), 'Content-Type': 'application/json; charset=utf-8' };
    expect(await statusOf('POST', '/session', headers, credentials())).toBe(204);
  });
});

test('a cookie below /external is 401, also of a page of this server', async () => {
  const headers = headersOf('same-origin', 'app', ann.token);
  for (const path of ['/external/smart-inventory/vendor/list', '/external/unknown'])
    expect((await http('GET', path, { baseUrl: app.url, headers })).status).toBe(401);
});

test('an API key and the operator need no Origin, also with a cookie', async () => {
  const headers = { ...headersOf('cross-site', 'https://partner.example.com', ann.token), 'X-API-Key': acme.key };
  expect((await http('GET', '/trpc/vendor.list', { baseUrl: app.url, headers })).status).toBe(200);
});
