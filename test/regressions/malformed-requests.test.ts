import { describe, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { sendRaw } from '../support/http/server.ts';

const acme = await createCompany();

const LIST_PATH = '/external/smart-inventory/vendor/list';
const statusCodes = (responses: string) => responses.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)));

describe('a request target', () => {
  test.for(['http://', 'http:', 'http:?q=1', 'http://?q=1', 'http://[', 'http://[/external/x', 'HTTP://#'])(
    '%s without a path is 400 with the JSON error body',
    async (target) => {
      const response = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response).toMatch(/^x-error-code: invalid_request\r$/im);
      expect(response).toMatch(/\r\n\r\n\{"error":"[^"]+"\}$/);
    },
  );

  test.for([
    ['*', 404],
    ['//', 404],
    ['//x/healthz', 404],
    ['///', 404],
    ['/\\', 404],
    // The page of the application, which a browser reads with GET.
    ['/?', 200],
    ['/#', 200],
    ['http://x', 200],
    ['http://x/healthz', 200],
    ['http://user:secret@x:99999/healthz', 200],
    ['ftp://x/healthz', 200],
    ['/external', 401],
    ['http://x/external/x', 401],
    [`http://x${LIST_PATH}?limit=`, 401],
    ['x', 400],
    ['/%', 404],
    ['/%00', 404],
    ['/external/%ff', 401],
  ] as const)('%s is %i', async ([target, status]) => {
    for (const method of ['GET', 'OPTIONS', 'POST'] as const) {
      const response = await sendRaw(
        `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      const expected = status === 200 && method !== 'GET' ? 405 : status;
      expect({ method, statuses: statusCodes(response) }).toEqual({ method, statuses: [expected] });
    }
  });
});

test.for(['/trpc/none', 'http://x/trpc/none', 'http://user:secret@x/trpc/none', 'http://[::1]/trpc/none'])(
  'the target %s reaches tRPC, whatever Host is',
  async (target) => {
    for (const host of ['x', '', '[', 'a b', 'x:99999', '\xfc', 'x/y', 'x@y', '%']) {
      const response = await sendRaw(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${acme.key}\r\nConnection: close\r\n\r\n`,
      );
      expect({ host, response }).toEqual({ host, response: expect.stringMatching(/^HTTP\/1\.1 404 [^]*"NOT_FOUND"/) });
    }
  },
);

test('two Host headers are 400, whatever their case', async () => {
  for (const path of ['/healthz', LIST_PATH, '/trpc/vendor.list']) {
    const response = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nhOST: x\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":"Host: expected once"\}$/);
  }
});

test('no Host header is 400 over HTTP/1.1, and none is needed over HTTP/1.0', async () => {
  for (const target of ['/healthz', LIST_PATH, '/trpc/vendor.list', '/mcp', 'http://x/healthz']) {
    const response = await sendRaw(`GET ${target} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(
      /^HTTP\/1\.1 400 [^]*\r\nX-Error-Code: invalid_request\r\n[^]*\{"error":"Host: expected once"\}$/,
    );
  }
  expect(await sendRaw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a request with Upgrade is served over HTTP/1.1, and the connection closes', () => {
  const upgrade = (protocol: string, more = '') =>
    `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;
  const next = `GET ${LIST_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`;

  test.for(['websocket', 'h2c', 'TLS/1.0', 'x'])('%s', async (protocol) => {
    const responses = await sendRaw(upgrade(protocol) + next + next);
    expect(statusCodes(responses)).toEqual([200]);
    expect(responses).toMatch(/^connection: close\r$/im);
  });

  test('behind another request', async () => {
    const responses = await sendRaw(next + upgrade('websocket') + next);
    expect(statusCodes(responses)).toEqual([401, 200]);
    expect(responses).toMatch(/^connection: close\r$/im);
  });

  test('with a body, without carrying out the request behind it', async () => {
    const create = (name: string, headers = '') =>
      `POST /external/smart-inventory/vendor/new HTTP/1.1\r\nHost: x\r\nX-API-Key: ${acme.key}\r\nContent-Type: application/json\r\nContent-Length: ${name.length + 11}\r\n${headers}\r\n{"name":"${name}"}`;
    const responses = await sendRaw(
      create('Upgraded', 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n') + create('Behind'),
    );
    expect(statusCodes(responses)).toEqual([201]);
    expect((await acme.vendor.list()).map(({ name }) => name)).toEqual(['Upgraded']);
  });
});

test('CONNECT is 400, after the responses to the requests before it', async () => {
  const connect = 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n';
  const before = `GET ${LIST_PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${acme.key}\r\n\r\n`;
  expect(statusCodes(await sendRaw(connect))).toEqual([400]);
  const responses = await sendRaw(before + connect + before);
  expect(statusCodes(responses)).toEqual([200, 400]);
  expect(responses).toMatch(/\{"error":"This is not an HTTP request\."\}$/);
});

describe('Transfer-Encoding', () => {
  const send = (head: string) => {
    const body = '12\r\n{"name":"Hosting"}\r\n0\r\n\r\n';
    const lines = [`X-API-Key: ${acme.key}`, 'Content-Type: application/json', head, 'Host: x'];
    const next = `GET ${LIST_PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    return sendRaw(`POST /external/smart-inventory/vendor/new HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}${next}`);
  };

  test.for([
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, gzip',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: chunked;q=1',
    'Transfer-Encoding: gzip, chunked\r\nExpect: 100-continue',
  ])('%j is 501, closes the connection and changes nothing', async (head) => {
    const response = await send(head);
    expect(response).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n[^]*\r\nX-Error-Code: invalid_request\r\n/);
    expect(response).toMatch(/\r\nConnection: close\r\n\r\n\{"error":"Transfer-Encoding: expected chunked"\}$/);
    expect(statusCodes(response)).toEqual([501]);
    expect(await acme.vendor.list()).not.toContainEqual(expect.objectContaining({ name: 'Hosting' }));
  });

  test('comes after the responses to earlier requests of the connection', async () => {
    const responses = await sendRaw(
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    );
    expect(statusCodes(responses)).toEqual([200, 501]);
  });

  test.for([
    'Content-Length: 3\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 3',
    'Content-Length: 3\r\nTransfer-Encoding: gzip',
  ])('%j is 400, because the body has two lengths', async (head) => {
    expect(statusCodes(await send(head))).toEqual([400]);
  });

  test.for(['chunked', 'Chunked', ' CHUNKED '])('"%s" is the one that is read', async (coding) => {
    const company = await createCompany();
    const request = `POST /external/smart-inventory/vendor/new HTTP/1.1\r\nHost: x\r\nX-API-Key: ${company.key}\r\nContent-Type: application/json`;
    const response = await sendRaw(
      `${request}\r\nConnection: close\r\nTransfer-Encoding:${coding}\r\n\r\n12\r\n{"name":"Hosting"}\r\n0\r\n\r\n`,
    );
    expect(statusCodes(response)).toEqual([201]);
  });
});
