import { describe, expect, test } from 'vitest';
import { MAX_IMPORT_BYTES } from '../../entities/import/import.ts';
import { MAX_BODY_BYTES } from '../../server/http/body/json-body.ts';
import { sendRaw } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

// A client that sends `Expect: 100-continue` waits for `100 Continue` before it sends the body.
// https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1

const VENDORS = '/external/smart-inventory/vendor';
const MIB = 1024 * 1024;

const acme = await createCompany();

interface Announcement {
  path: string;
  length: number;
  key?: string;
  type?: string;
  version?: string;
}

/** Announces a body, and sends no more than its beginning. Returns the status codes until the connection closes. */
async function announce({ path, length, key, type = 'application/json', version = '1.1' }: Announcement, body = '') {
  const headers = [
    `POST ${path} HTTP/${version}`,
    'Host: x',
    `Content-Type: ${type}`,
    'Accept: application/json, text/event-stream',
    `Content-Length: ${length}`,
    'Expect: 100-continue',
    ...(key === undefined ? [] : [`X-API-Key: ${key}`]),
    ...(body === '' ? [] : ['Connection: close']),
  ];
  const text = await sendRaw(`${headers.join('\r\n')}\r\n\r\n${body}`);
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)), text };
}

const TARGETS = [
  { name: 'a request of REST', path: `${VENDORS}/new`, limit: MAX_BODY_BYTES },
  { name: 'a batch', path: `${VENDORS}/batch`, limit: 2 * MIB },
  { name: 'a call of tRPC', path: '/trpc/vendor.create', limit: MAX_BODY_BYTES },
  { name: 'a message of MCP', path: '/mcp', limit: 2 * MIB },
  { name: 'a sign-in', path: '/session', limit: MAX_BODY_BYTES },
  { name: 'a file of an import', path: `${VENDORS}/import`, type: 'text/csv', limit: MAX_IMPORT_BYTES },
];

describe('a body over the limit is 413 without 100 Continue, and the connection closes:', () => {
  test.each(TARGETS)('$name', async ({ limit, ...target }) => {
    // The last length is 1 modulo 2^32.
    for (const length of [limit + 1, 3_000_000_000, 4_294_967_297]) {
      const { statuses, text } = await announce({ ...target, length, key: acme.key });
      expect(statuses).toEqual([413]);
      expect(text).toMatch(/\r\nConnection: close\r\n/);
      expect(text).toContain(`The body is larger than ${limit} bytes.`);
    }
  });
});

describe('a body up to the limit gets 100 Continue:', () => {
  test.each([
    { path: `${VENDORS}/new`, body: '{"name":"Expected"}', status: 201 },
    { path: '/trpc/vendor.create', body: '{"name":"Called"}', status: 200 },
    { path: '/mcp', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', status: 200 },
    { path: '/session', body: '{"email":"nobody@example.com"}', status: 400 },
    { path: `${VENDORS}/import`, body: 'name\r\n', type: 'text/csv', status: 202 },
  ])('$path', async ({ path, body, status, ...target }) => {
    const { statuses } = await announce({ path, length: body.length, key: acme.key, ...target }, body);
    expect(statuses).toEqual([100, status]);
  });
});

describe('no body is accepted before an error that the headers show:', () => {
  const length = 20;
  const unknownFramework = '/external/task/framework/2147483647/import';
  test.each([
    ['401 without a key', { path: `${VENDORS}/new` }, 401],
    ['401 without a key, at an unknown path', { path: '/external/unknown' }, 401],
    ['401 at /trpc', { path: '/trpc/vendor.create' }, 401],
    ['401 at /mcp', { path: '/mcp' }, 401],
    ['401 for a file', { path: `${VENDORS}/import`, type: 'text/csv' }, 401],
    ['404 for an unknown path', { path: '/external/unknown', hasKey: true }, 404],
    ['404 below /mcp', { path: '/mcp/sse', hasKey: true }, 404],
    ['404 below /session', { path: '/session/unknown' }, 404],
    ['404 elsewhere', { path: '/unknown' }, 404],
    ['404 for a file of an unknown framework', { path: unknownFramework, type: 'text/csv', hasKey: true }, 404],
    ['405 for another method', { path: `${VENDORS}/list`, hasKey: true }, 405],
    ['415 for another content type', { path: `${VENDORS}/new`, type: 'text/plain', hasKey: true }, 415],
    ['415 for another type of a file', { path: `${VENDORS}/import`, hasKey: true }, 415],
  ])('%s', async (_, { hasKey = false, ...target }: { path: string; type?: string; hasKey?: boolean }, status) => {
    const { statuses } = await announce({ length, ...target, ...(hasKey && { key: acme.key }) });
    expect(statuses).toEqual([status]);
  });
});

test('a client of HTTP/1.0 gets no 100 Continue, which it cannot read', async () => {
  const body = '{"name":"Old"}';
  const target = { path: `${VENDORS}/new`, length: body.length, key: acme.key, version: '1.0' };
  expect((await announce(target, body)).statuses).toEqual([201]);
});
