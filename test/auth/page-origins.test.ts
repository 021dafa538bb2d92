import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { postMcp } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

const APP_URL = 'https://compliance.example.com';
const PARTNER = 'https://partner.example.com';

/** Servers that believe to listen on different addresses. */
const servers = new Map<string, Awaited<ReturnType<typeof startApp>>>();

const acme = await createCompany();
const { token } = await createMember(acme);
const cookie = `__Host-session=${token}`;
for (const host of ['127.0.0.1', '0.0.0.0', '::', '192.0.2.10']) {
  const options = { host, services: { ...services, appUrl: () => APP_URL }, corsOrigins: [PARTNER] };
  const server = await startApp(options);
  servers.set(host, server);
  afterAll(server.stop);
}

const urlOf = (host: string) => servers.get(host)?.url ?? '';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Statuses of requests of a page. The browser sends the host name of the page in `Host`. */
async function statusesOf(origin: string, { host = '127.0.0.1', sentTo = origin.replace(/^https?:\/\//, '') } = {}) {
  const baseUrl = urlOf(host);
  const headers = { Host: sentTo, Origin: origin };
  const page = { ...headers, 'Sec-Fetch-Site': 'same-origin' };
  const responses = [
    await postMcp({ baseUrl, key: acme.key, headers, body: ping }),
    await http('POST', '/session', { baseUrl, headers: page, body: {} }),
    await http('GET', '/session/sso?email=x', { baseUrl, headers: page }),
    await http('PATCH', '/session', { baseUrl, headers: { ...page, Cookie: cookie }, body: {} }),
    await http('POST', '/trpc/vendor.create', { baseUrl, headers: { ...page, Cookie: cookie }, body: {} }),
  ];
  return responses.map(({ status }) => status);
}

/** All of them pass the check, and only the message of MCP has no other error. */
const ACCEPTED = [200, 400, 400, 400, 400];
const REJECTED = [403, 403, 403, 403, 403];

test('a page whose host name was pointed at the server is rejected', async () => {
  const { port } = new URL(urlOf('127.0.0.1'));
  for (const host of servers.keys())
    for (const origin of [`http://evil.example:${port}`, 'http://evil.example', 'https://localhost.evil.example'])
      expect([host, origin, await statusesOf(origin, { host })]).toEqual([host, origin, REJECTED]);
  // The policy `no-referrer` makes browsers send this origin.
  expect(await statusesOf('null', { sentTo: `evil.example:${port}` })).toEqual(REJECTED);
});

test('a page of APP_URL is accepted, whatever Host a proxy sends', async () => {
  for (const host of servers.keys())
    for (const sentTo of ['compliance.example.com', 'api:3000', ''])
      expect(await statusesOf(APP_URL, { host, sentTo })).toEqual(ACCEPTED);
  expect(await statusesOf(APP_URL.replace('https', 'http'))).toEqual(REJECTED);
  expect(await statusesOf(`${APP_URL}:8443`)).toEqual(REJECTED);
});

describe('a page of a loopback name', () => {
  const NAMES = ['localhost', '127.0.0.1', '[::1]'];

  test.each(['127.0.0.1', '0.0.0.0', '::'])(
    'is accepted if the server listens on %s, also at another port',
    async (host) => {
      for (const name of NAMES)
        // The second port is that of a container or a tunnel.
        for (const port of [new URL(urlOf(host)).port, '8080'])
          expect(await statusesOf(`http://${name}:${port}`, { host })).toEqual(ACCEPTED);
      expect(await statusesOf('http://localhost', { host })).toEqual(ACCEPTED);
    },
  );

  test('is rejected if another program serves it', async () => {
    const sentTo = 'localhost:8080';
    for (const origin of [
      'http://localhost:3001',
      'http://localhost',
      'https://localhost:8080',
      'http://user@localhost:8080',
    ])
      expect([origin, await statusesOf(origin, { sentTo })]).toEqual([origin, REJECTED]);
  });

  test('is rejected if the server listens elsewhere', async () => {
    for (const name of NAMES) expect(await statusesOf(`http://${name}:8080`, { host: '192.0.2.10' })).toEqual(REJECTED);
  });
});

test('a page of CORS_ORIGINS is accepted, and with a cookie only if the browser calls it same-origin', async () => {
  expect(await statusesOf(PARTNER)).toEqual(ACCEPTED);
  const send = (headers: Record<string, string>) =>
    http('GET', '/session', { baseUrl: urlOf('127.0.0.1'), headers: { Origin: PARTNER, Cookie: cookie, ...headers } });
  expect((await send({})).status).toBe(403);
  expect((await send({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect((await send({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
});

test('a program needs no Origin, whatever Host is', async () => {
  for (const host of servers.keys())
    for (const sentTo of ['evil.example', 'localhost:3000'])
      expect(
        await postMcp({ baseUrl: urlOf(host), key: acme.key, headers: { Host: sentTo }, body: ping }),
      ).toMatchObject({ status: 200 });
});
