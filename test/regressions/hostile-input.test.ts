import { expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { http, sendRaw } from '../support/http/server.ts';
import { createWebhookKey } from '../support/tenants/webhooks.ts';

// Defects found by `npm run program -- fuzz`.
const acme = await createCompany();

test.for([
  ['bytes that are not HTTP', (): string => 'NONSENSE\r\n\r\n'],
  ['a body that is malformed', (): string => `${requestHead('Transfer-Encoding: chunked')}zz\r\n`],
] as const)('a complete request gets its response before %s after it', async ([, nextBytes]) => {
  const body = '{"name":"Sent ahead"}';
  const responses = await sendRaw(`${requestHead(`Content-Length: ${body.length}`)}${body}${nextBytes()}`);
  expect(responses).toMatch(/^HTTP\/1.1 201 /);
  expect(responses.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
});

const requestHead = (framingHeader: string): string =>
  `POST /external/smart-inventory/vendor/new HTTP/1.1\r\nHost: x\r\nX-API-Key: ${acme.key}\r\nContent-Type: application/json\r\n${framingHeader}\r\n\r\n`;

test('TRACE is 405 over tRPC too', async () => {
  const response = await http('TRACE', '/trpc/vendor.list', { key: acme.key });
  expect(response).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
});

test('an etag over tRPC with text that PostgreSQL cannot store is 400', async () => {
  const { uniqueId: taskUniqueId } = await acme.newTask();
  for (const ifMatch of ['\0', '1-5f0c\ud800'])
    expect(await http('POST', '/trpc/task.delete', { key: acme.key, body: { taskUniqueId, ifMatch } })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/^ifMatch: /) } },
    });
});

test('a cursor that is not base64url is 400 before the lookup of the resource, whose id is unknown', async () => {
  const { key } = await createWebhookKey(acme);
  const id = acme.apiKey.uniqueId;
  for (const path of [`webhook/${id}/delivery`, `import/${id}/error`]) {
    const malformed = await http('GET', `/external/${path}/list?cursor=a%2Eb`, { key });
    const error = 'cursor: expected a cursor of this list with the same filters';
    expect(malformed).toMatchObject({ status: 400, body: { error } });
    expect(await http('GET', `/external/${path}/list?cursor=ab`, { key })).toMatchObject({ status: 404 });
  }
});
