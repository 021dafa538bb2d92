import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { FileContent } from '../../procedures/schemas/file-content.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import { startRest } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';

const CHUNKS = ['<script>', 'alert(1)', '</script>'].map((text) => Buffer.from(text));
const TEXT = Buffer.concat(CHUNKS).toString();
const SHA256 = createHash('sha256').update(TEXT).digest('hex');

/** Number of chunks that were read. */
let chunksRead = 0;

const procedures = router({
  read: companyProcedure('vendor:read')
    .meta({
      openapi: { method: 'GET', path: '/external/report/{count}/content', summary: 'Reads a report' },
      response: { kind: 'bytes' },
    })
    .input(
      z.strictObject({
        count: z
          .int()
          .max(9)
          .meta({ examples: [3] }),
      }),
    )
    .output(FileContent)
    .query(({ input: { count } }) => ({
      name: 'Prüfung für 9 € "neu".html',
      mediaType: 'text/html',
      size: TEXT.length,
      sha256: SHA256,
      async *read() {
        for (const chunk of CHUNKS.slice(0, count)) {
          chunksRead += 1;
          yield await Promise.resolve(chunk);
        }
        if (count < CHUNKS.length) throw new Error('The storage failed.');
      },
    })),
});

const { url, stop } = await startRest(procedures);
afterAll(stop);

let key: string;
beforeAll(async () => {
  ({ key } = await createCompany());
});

const read = (count: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${url}/external/report/${count}/content`, { method, headers: { 'X-API-Key': key, ...headers } });

const HEADERS = {
  'content-type': 'text/html',
  'content-length': String(TEXT.length),
  'content-disposition': `attachment; filename="Prüfung für 9 ? \\"neu\\".html"; filename*=UTF-8''Pr%C3%BCfung%20f%C3%BCr%209%20%E2%82%AC%20%22neu%22.html`,
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  etag: `"${SHA256}"`,
};

test('a file is sent as an attachment that no browser runs', async () => {
  const response = await read('3');
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject(HEADERS);
  expect(await response.text()).toBe(TEXT);
});

test('HEAD and a current entity tag read no content', async () => {
  chunksRead = 0;
  const head = await read('3', {}, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(Object.fromEntries(head.headers)).toMatchObject(HEADERS);
  const current = await read('3', { 'If-None-Match': `"another", W/"${SHA256}"` });
  expect([current.status, current.headers.get('ETag'), await current.text()]).toEqual([304, `"${SHA256}"`, '']);
  expect(chunksRead).toBe(0);
});

test('an error in the middle of a file closes the connection', async () => {
  await expect(read('2').then((response) => response.text())).rejects.toThrow(/terminated|fetch failed/);
});

test('errors before the content are JSON', async () => {
  const response = await read('x');
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringMatching(/^count: /) });
  expect(response.headers.get('Content-Disposition')).toBeNull();
});

test('the OpenAPI document describes the content as bytes', () => {
  const responses = openApiDocument(procedures).paths?.['/external/report/{count}/content']?.get?.responses;
  expect(responses).toMatchObject({
    200: {
      headers: { 'Content-Disposition': {}, ETag: {} },
      content: {
        'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
        '*/*': { schema: { description: 'The bytes of the file' } },
      },
    },
    304: {},
  });
  expect(responses?.['200']).not.toHaveProperty('content.application/json');
});
