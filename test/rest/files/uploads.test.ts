import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { files, sha256Of, startFileServer } from '../../support/http/files.ts';
import { createCompany } from '../../support/tenants/company.ts';

const { url, stop } = await startFileServer();
afterAll(stop);
const { key } = await createCompany();
beforeEach(() => files.clear());

const PATH = '/external/folder/a/file/new';
const TEXT = 'an access review';
const DIGEST = `sha-256=:${sha256Of(TEXT, 'base64')}:`;

async function upload(
  headers: Record<string, string> = {},
  query = '?name=x',
  body: string | Buffer = Buffer.from(TEXT),
) {
  const response = await fetch(`${url}${PATH}${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

describe('a file of any media type', () => {
  test('is stored, and its resource is where Location says', async () => {
    const { status, headers, body } = await upload({ 'Content-Type': 'application/pdf' });
    expect(status).toBe(201);
    expect(body).toEqual({ uniqueId: expect.any(String), name: 'x', mediaType: 'application/pdf', size: TEXT.length });
    expect(headers.get('Location')).toBe(`/external/file/${String(body['uniqueId'])}/item`);
    const item = await fetch(`${url}${headers.get('Location')}`, { headers: { 'X-API-Key': key } });
    expect(await item.json()).toEqual(body);
  });

  test.for([
    ['application/octet-stream', undefined],
    ['text/plain; charset=ISO-8859-1', 'text/plain; charset=ISO-8859-1'],
    ['TEXT/HTML', 'TEXT/HTML'],
    ['application/vnd.ms-excel.sheet.macroEnabled.12', 'application/vnd.ms-excel.sheet.macroEnabled.12'],
    ['multipart/form-data; boundary="a b\\"c"', 'multipart/form-data; boundary="a b\\"c"'],
    ['application/json', 'application/json'],
    [`a/b;c=${'d'.repeat(249)}`, `a/b;c=${'d'.repeat(249)}`],
  ])('keeps %s as sent', async ([stored, sent]) => {
    const { status, body } = await upload(sent === undefined ? {} : { 'Content-Type': sent });
    expect([status, body['mediaType']]).toEqual([201, stored]);
  });

  test.for([
    'text',
    'text/',
    '/plain',
    'text/plain/x',
    'text plain',
    'text/plain; charset',
    'text/plain; =x',
    'text/plain, text/html',
    'text/plain; a="b',
    'text/plain; a="ü"',
    'te(xt/plain',
    `a/b;c=${'d'.repeat(250)}`,
  ])('is 415 with Content-Type %s', async (type) => {
    const { status, body } = await upload({ 'Content-Type': type });
    expect([status, body]).toEqual([415, { error: expect.stringMatching(/^Content-Type: /) }]);
    expect(files.size).toBe(0);
  });

  test('is 415 if it is compressed', async () => {
    const { status, body } = await upload({ 'Content-Encoding': 'gzip' });
    expect([status, body]).toEqual([415, { error: 'Content-Encoding: expected none' }]);
    expect((await upload({ 'Content-Encoding': 'Identity' })).status).toBe(201);
  });

  test('is received only if the query is valid', async () => {
    expect((await upload({}, '')).status).toBe(400);
    expect((await upload({}, '?name=x&colour=red')).status).toBe(400);
    expect(files.size).toBe(0);
  });

  test('is discarded if the resolver fails', async () => {
    expect((await upload({}, '?name=taken')).status).toBe(409);
    expect(files.size).toBe(0);
  });
});

describe('Content-Digest', () => {
  test.for([
    DIGEST,
    DIGEST.replaceAll('=:', ':').replace('256:', '256=:'),
    `md5=:AAAA:, ${DIGEST}`,
    `unixsum=42, ${DIGEST};a=1`,
    'sha-512=:AAAA:',
    'x="a, sha-256=:AAAA:"',
    `sha-256=:AAAA:`.replace('AAAA', sha256Of('other', 'base64')) + `, ${DIGEST}`,
    '',
  ])('%s admits the file', async (digest) => {
    expect((await upload({ 'Content-Digest': digest })).status).toBe(201);
  });

  test('of other content is 400, and nothing is kept', async () => {
    const headers = { 'Content-Digest': `sha-256=:${sha256Of('other', 'base64')}:` };
    const expected = { status: 400, body: { error: expect.stringMatching(/^Content-Digest: /) } };
    expect(await upload(headers)).toMatchObject(expected);
    expect(files.size).toBe(0);
    const idempotent = { ...headers, 'Idempotency-Key': randomUUID() };
    expect(await upload(idempotent)).toMatchObject(expected);
    expect(files.size).toBe(0);
    expect((await upload({ ...idempotent, 'Content-Digest': DIGEST })).status).toBe(201);
  });

  test.for([
    'sha-256',
    'sha-256=AAAA',
    'sha-256=:AAAA:',
    `sha-256=:${'!'.repeat(44)}:`,
    DIGEST.replace('sha', 'SHA'),
    '=x',
    '"',
  ])('%s is 400 before the body is read', async (digest) => {
    const { status, body } = await upload({ 'Content-Digest': digest });
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/^Content-Digest: /) }]);
    expect(files.size).toBe(0);
  });
});

describe('a retry with the same Idempotency-Key', () => {
  test('returns the same file and keeps no second one; other content or another media type is 422', async () => {
    const headers = { 'Idempotency-Key': randomUUID(), 'Content-Digest': DIGEST, 'Content-Type': 'text/plain' };
    const first = await upload(headers);
    const retry = await upload(headers);
    expect([retry.status, retry.body]).toEqual([201, first.body]);
    expect(retry.headers.get('Idempotency-Replayed')).toBe('true');
    const other = { 'Idempotency-Key': headers['Idempotency-Key'] };
    expect((await upload({ ...other, 'Content-Type': 'text/html' })).status).toBe(422);
    expect((await upload({ ...other, 'Content-Type': 'text/plain' }, '?name=x', 'else')).status).toBe(422);
    expect([...files.keys()]).toEqual([first.body['uniqueId']]);
  });
});
