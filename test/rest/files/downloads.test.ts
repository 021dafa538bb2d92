import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../server/openapi/document.ts';
import {
  addFile,
  beingRead,
  fileProcedures,
  files,
  sendBytes,
  sha256Of,
  startFileServer,
} from '../../support/http/files.ts';
import { createCompany } from '../../support/tenants/company.ts';

const { url, stop } = await startFileServer();
afterAll(stop);
const { key } = await createCompany();

const TEXT = '0123456789';
const TAG = `"${sha256Of(TEXT)}"`;
let id = '';
beforeEach(() => {
  files.clear();
  id = addFile(TEXT);
});

async function read(headers: Record<string, string> = {}, method = 'GET', file = id) {
  const response = await fetch(`${url}/external/file/${file}/content`, {
    method,
    headers: { 'X-API-Key': key, ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Status, Content-Range and content of a response. */
const partOf = ({ status, headers, text }: Awaited<ReturnType<typeof read>>) => [
  status,
  headers.get('Content-Range'),
  text,
];

const WHOLE = [200, null, TEXT];

describe('Range', () => {
  test.for([
    ['bytes=0-0', '0-0', '0'],
    ['bytes=2-4', '2-4', '234'],
    ['bytes=8-', '8-9', '89'],
    ['bytes=0-99999999999999999999', '0-9', TEXT],
    ['bytes=-3', '7-9', '789'],
    ['bytes=-99', '0-9', TEXT],
    ['Bytes= 9-9 ', '9-9', '9'],
  ] as const)('%s is 206', async ([range, position, text]) => {
    const response = await read({ Range: range });
    expect(partOf(response)).toEqual([206, `bytes ${position}/10`, text]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': String(text.length),
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename="Report.txt"; filename*=UTF-8\'\'Report.txt',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      etag: TAG,
      'repr-digest': `sha-256=:${sha256Of(TEXT, 'base64')}:`,
    });
  });

  test.for([
    'bytes=0-0,2-2',
    `bytes=${Array.from({ length: 100 }, (_, index) => `${index % 10}-`).join(',')}`,
    'bytes=4-2',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes=0x0-1',
    'bytes=1.5-2',
    'bytes=--1',
    'bytes 0-1',
    'lines=0-1',
    '0-1',
  ])('%s is ignored', async (range) => {
    expect(partOf(await read({ Range: range }))).toEqual(WHOLE);
  });

  test.for(['bytes=10-', 'bytes=10-20', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])('%s is 416', async (range) => {
    const { status, headers, text } = await read({ Range: range });
    expect([status, JSON.parse(text)]).toEqual([416, { error: 'Range: expected a range of 10 bytes' }]);
    expect(headers.get('X-Error-Code')).toBe('range_not_satisfiable');
    expect(headers.get('Content-Range')).toBe('bytes */10');
    expect(headers.get('Content-Disposition')).toBeNull();
  });

  test('of an empty file is ignored', async () => {
    id = addFile('');
    expect(partOf(await read({ Range: 'bytes=0-' }))).toEqual([200, null, '']);
  });

  test('applies with If-Range only if the entity tag is the current one, weak or strong', async () => {
    const range = { Range: 'bytes=1-1' };
    for (const current of [TAG, `W/${TAG}`])
      expect(partOf(await read({ ...range, 'If-Range': current }))).toEqual([206, 'bytes 1-1/10', '1']);
    for (const other of [
      `w/${TAG}`,
      'W/"other"',
      '"other"',
      sha256Of(TEXT),
      new Date().toUTCString(),
      '*',
      `${TAG}, "x"`,
    ])
      expect(partOf(await read({ ...range, 'If-Range': other }))).toEqual(WHOLE);
    expect(partOf(await read({ Range: 'bytes=99-', 'If-Range': '"other"' }))).toEqual(WHOLE);
    expect(partOf(await read({ 'If-Range': TAG }))).toEqual(WHOLE);
  });

  test('gives way to If-None-Match', async () => {
    for (const range of ['bytes=1-1', 'bytes=99-']) {
      const response = await read({ Range: range, 'If-None-Match': `"x", W/${TAG}` });
      expect(partOf(response)).toEqual([304, null, '']);
      expect(response.headers.get('ETag')).toBe(TAG);
    }
    expect(partOf(await read({ Range: 'bytes=1-1', 'If-None-Match': '"x"' }))).toEqual([206, 'bytes 1-1/10', '1']);
  });

  test('is ignored for HEAD, which has the headers of the whole file', async () => {
    const response = await read({ Range: 'bytes=99-' }, 'HEAD');
    expect(partOf(response)).toEqual([200, null, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: TAG,
    });
  });
});

test('a large file arrives as it was stored, whole and in ranges', async () => {
  const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
  id = addFile(content);
  const response = await fetch(`${url}/external/file/${id}/content`, { headers: { 'X-API-Key': key } });
  expect(sha256Of(Buffer.from(await response.arrayBuffer()))).toBe(sha256Of(content));
  const parts: Buffer[] = [];
  for (let start = 0; start < content.length; start += 300_000) {
    const headers = { 'X-API-Key': key, Range: `bytes=${start}-${start + 299_999}` };
    const part = await fetch(`${url}/external/file/${id}/content`, { headers });
    expect(part.status).toBe(206);
    parts.push(Buffer.from(await part.arrayBuffer()));
  }
  expect(sha256Of(Buffer.concat(parts))).toBe(sha256Of(content));
});

test.for([
  ['quotes " and \\ and ;.txt', 'quotes " and \\ and ;.txt'],
  ['gepr\u00fcft \u20ac.pdf', 'gepr\u00fcft \u20ac.pdf'],
  ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
  ['\u2066a\u2069.txt', '_a_.txt'],
  ['😀'.repeat(127), '😀'.repeat(127)],
  ['😀'.repeat(255), '😀'.repeat(255)],
  ['\u05e9\u05dc\u05d5\u05dd.pdf', '\u05e9\u05dc\u05d5\u05dd.pdf'],
  ["it's 100%.html", "it's 100%.html"],
  ['%41.txt', '%41.txt'],
  ['\ud800.txt', '\ufffd.txt'],
])('a browser saves %j as an attachment', async ([name, saved]) => {
  id = addFile(TEXT, name);
  const { status, headers } = await read();
  const disposition = headers.get('Content-Disposition') ?? '';
  expect(status).toBe(200);
  expect(disposition).toMatch(/^attachment; filename/);
  const encoded = /filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(disposition)?.[1];
  const plain = /^attachment; filename="((?:[^"\\]|\\.)*)"$/.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1');
  expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(saved);
});

test('an error of the storage before the first byte is an error response', async () => {
  id = addFile(TEXT, 'broken');
  const { status, headers, text } = await read();
  expect([status, JSON.parse(text)]).toEqual([503, { error: 'The storage does not respond.' }]);
  for (const name of ['ETag', 'Content-Disposition', 'Repr-Digest']) expect(headers.get(name)).toBeNull();
  expect((await read({}, 'HEAD')).status).toBe(200);
});

test.for(['while it reads', 'slow'])('a client that leaves ends the reading: %s', async (name) => {
  id = addFile(Buffer.alloc(64 * 1024 * 1024), name);
  const client = sendBytes(url, `GET /external/file/${id}/content HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  client.socket.pause();
  await vi.waitFor(() => expect([...beingRead]).toEqual([id]), 10_000);
  client.socket.destroy();
  await vi.waitFor(() => expect([...beingRead]).toEqual([]), 10_000);
});

describe('the OpenAPI document', () => {
  const { paths = {}, components = {} } = openApiDocument(fileProcedures);
  const namesOf = (parameters: unknown) => JSON.stringify(parameters);

  test('describes an upload of any media type', () => {
    const operation = paths['/external/folder/{folder}/file/new']?.post;
    expect(operation?.requestBody).toMatchObject({
      required: true,
      content: {
        'application/octet-stream': {
          schema: { type: 'string', format: 'binary', description: expect.stringContaining('at most 52,428,800,') },
        },
      },
    });
    expect(namesOf(operation?.parameters)).toContain('#/components/parameters/Content-Digest');
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '413', '415', '503']),
    );
  });

  test('describes ranges of a download', () => {
    const operation = paths['/external/file/{file}/content']?.get;
    for (const name of ['Range', 'If-Range', 'If-None-Match'])
      expect(namesOf(operation?.parameters)).toContain(`#/components/parameters/${name}"`);
    const headers = ['Accept-Ranges', 'Content-Disposition', 'Content-Security-Policy', 'ETag', 'Repr-Digest'];
    expect(operation?.responses).toMatchObject({
      200: { headers: Object.fromEntries(headers.map((name) => [name, {}])), content: { '*/*': {} } },
      206: {
        headers: Object.fromEntries([...headers, 'Content-Range'].map((name) => [name, {}])),
        content: { '*/*': {} },
      },
      304: { headers: { ETag: {} } },
      416: {},
    });
    expect(components.responses?.['416']).toMatchObject({ headers: { 'Content-Range': {} } });
  });
});
