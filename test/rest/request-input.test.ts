import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../entities/api-error.ts';
import { frameworkFromPath, readInput } from '../../server/rest/input.ts';
import { MAX_BODY_BYTES, parseJson, readJsonBody, requireJsonContentType } from '../../server/http/body/json-body.ts';
import { requireUtf8 } from '../../server/rest/request-headers.ts';
import type { Route, PathInput } from '../../server/rest/route.ts';
import type { RequestHeaders } from '../../server/rest/request-headers.ts';

// Merging of path, query and body into one input, with Koa's request and without a network connection.

const koa = new Koa();

/** Creates the Koa context of a complete request. */
function createContext(url: string, body?: string | Buffer, headers: Record<string, string> = {}) {
  const req = new IncomingMessage(new Socket());
  Object.assign(req, { url, method: body === undefined ? 'GET' : 'POST', complete: true });
  req.headers = {
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  if (body !== undefined) req.push(body);
  req.push(null);
  return koa.createContext(req, new ServerResponse(req));
}

const apiError = (code: string, message: string) => expect.objectContaining({ name: 'ApiError', code, message });
const invalidRequest = (message: string) => apiError('invalid_request', message);

type InputRoute = Pick<
  Route,
  'body' | 'pathParameters' | 'numericFields' | 'booleanFields' | 'timestampFields' | 'queryFields'
>;
const JSON_BODY = { kind: 'json', isOptional: false, maxBytes: MAX_BODY_BYTES } as const;
const queryFields = ['a', 'b', 'name', 'search', 'empty', 'since', 'limit'];
const timestampFields = new Set(['since']);
const QUERY_ROUTE: InputRoute = {
  body: undefined,
  pathParameters: [],
  numericFields: new Set(['limit', 'framework']),
  booleanFields: new Set(['dryRun']),
  timestampFields,
  queryFields: [...queryFields, 'framework', 'vendor'],
};
const BODY_ROUTE: InputRoute = {
  body: JSON_BODY,
  pathParameters: [],
  numericFields: new Set(['framework']),
  booleanFields: new Set(['dryRun']),
  timestampFields,
  queryFields: [],
};

const inputOf = (
  route: InputRoute,
  ctx: ReturnType<typeof createContext>,
  { path = {}, error }: { path?: PathInput; error?: ApiError } = {},
) => readInput(route as Route, path, ctx, { error } as RequestHeaders);

describe('a framework in a path', () => {
  test.for<[string | undefined, number | undefined]>([
    ['0', 0],
    ['1', 1],
    ['10', 10],
    ['%31', 1],
    ['1%30', 10],
    ['%2B1', undefined],
    ['%zz', undefined],
    ['2147483648', 2_147_483_648],
    ['9007199254740993', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['01', undefined],
    ['00', undefined],
    ['1x', undefined],
    ['x1', undefined],
    ['-1', undefined],
    ['1.0', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s', ([framework, expected]) => {
    expect(frameworkFromPath(framework === undefined ? {} : { framework })).toBe(expected);
  });
});

describe('a query', () => {
  test('becomes fields, with numbers for numeric fields', async () => {
    expect(await inputOf(QUERY_ROUTE, createContext('/x'))).toEqual({});
    expect(await inputOf(QUERY_ROUTE, createContext('/x?limit=10&name=10&search=a+b%20%C3%BC&empty='))).toEqual({
      limit: 10,
      name: '10',
      search: 'a b ü',
      empty: '',
    });
    for (const text of ['010', '1e3', '-1', '1.5', '', 'x']) {
      expect(await inputOf(QUERY_ROUTE, createContext(`/x?limit=${text}`))).toEqual({ limit: text });
    }
    expect(await inputOf(QUERY_ROUTE, createContext('/x?limit=99999999999999999999'))).toEqual({
      limit: Number.MAX_SAFE_INTEGER,
    });
  });

  test('may contain each parameter once', async () => {
    await expect(inputOf(QUERY_ROUTE, createContext('/x?a=1&b=2&b=2&a=1'))).rejects.toEqual(
      invalidRequest('b: expected only once'),
    );
    await expect(inputOf(QUERY_ROUTE, createContext('/x?a=1&a=1'))).rejects.toEqual(
      invalidRequest('a: expected only once'),
    );
    const long = 'n'.repeat(150);
    const error = invalidRequest(`${'n'.repeat(100)}: expected only once`);
    await expect(inputOf(QUERY_ROUTE, createContext(`/x?${long}=1&${long}=2`))).rejects.toEqual(error);
  });

  test('must be percent-encoded UTF-8', async () => {
    const error = (name: string) => invalidRequest(`${name}: expected UTF-8, percent-encoded`);
    await expect(inputOf(QUERY_ROUTE, createContext('/x?a=1&b=%ff'))).rejects.toEqual(error('b'));
    await expect(inputOf(BODY_ROUTE, createContext('/x?%zz=1', '{}'))).rejects.toEqual(error('%zz'));
    expect(() => requireUtf8(`${'%E'.repeat(80)}=1`)).toThrow(error('%E'.repeat(50)));
    expect(() => requireUtf8('a=%')).toThrow(
      expect.objectContaining({ cause: expect.any(URIError) as unknown }) as Error,
    );
    for (const valid of ['', 'a=b', 'a=%20&b=%C3%BC', 'a=100']) expect(() => requireUtf8(valid)).not.toThrow();
  });

  test('may contain a timestamp with an unescaped +', async () => {
    const timestamp = '2026-01-01T10:00:00';
    const parseSince = async (text: string) =>
      (await inputOf(QUERY_ROUTE, createContext(`/x?since=${text}&a=${text}`)))['since'];
    for (const plus of ['+', '%2B', '%20', ' '])
      expect(await parseSince(`${timestamp}.5${plus}01:00`)).toBe(`${timestamp}.5+01:00`);
    for (const other of [`${timestamp}-01:00`, `${timestamp}Z`, `${timestamp}%20`]) {
      expect(await parseSince(other)).toBe(decodeURIComponent(other));
    }
    expect(await inputOf(QUERY_ROUTE, createContext(`/x?a=${timestamp}+01:00`))).toEqual({ a: `${timestamp} 01:00` });
  });

  test('is rejected beside a body', async () => {
    expect(await inputOf(BODY_ROUTE, createContext('/x', '{"a":1}'))).toEqual({ a: 1 });
    expect(await inputOf(BODY_ROUTE, createContext('/x?', '{"a":1}'))).toEqual({ a: 1 });
    await expect(inputOf(BODY_ROUTE, createContext('/x?a=1', '{}'))).rejects.toEqual(
      invalidRequest('a: unknown parameter; known: none'),
    );
    const error = invalidRequest(`${'n'.repeat(100)}: unknown parameter; known: none`);
    await expect(inputOf(BODY_ROUTE, createContext(`/x?${'n'.repeat(150)}`, '{}'))).rejects.toEqual(error);
  });
});

describe('query fields beside a body', () => {
  const route = { ...BODY_ROUTE, queryFields: ['mode', 'dryRun'] };

  test('are merged with the body', async () => {
    expect(await inputOf(route, createContext('/x?mode=merge', '{"a":1}'))).toEqual({ a: 1, mode: 'merge' });
  });

  test('are rejected in the body, as are other fields in the query', async () => {
    await expect(inputOf(route, createContext('/x', '{"mode":"merge"}'))).rejects.toEqual(
      invalidRequest('mode: unknown field; send it in the query'),
    );
    await expect(inputOf(route, createContext('/x?a=1', '{}'))).rejects.toEqual(
      invalidRequest('a: unknown parameter; known: mode, dryRun'),
    );
  });

  test('are true or false if they are boolean, and remain text otherwise', async () => {
    const dryRun = async (text: string) => (await inputOf(route, createContext(`/x?dryRun=${text}`, '{}')))['dryRun'];
    expect([await dryRun('true'), await dryRun('false')]).toEqual([true, false]);
    expect([await dryRun('1'), await dryRun('True'), await dryRun('')]).toEqual(['1', 'True', '']);
    expect(await inputOf(route, createContext('/x?mode=true', '{}'))).toEqual({ mode: 'true' });
  });
});

describe('a path', () => {
  const PATH_ROUTE = { ...QUERY_ROUTE, pathParameters: ['framework', 'vendor'], queryFields };

  test('is decoded; a malformed escape becomes text that is not well-formed', async () => {
    const inputOfPath = (framework: string, vendor: string) =>
      inputOf(PATH_ROUTE, createContext('/x?a=1'), { path: { framework, vendor } });
    expect(await inputOfPath('7', '7')).toEqual({ a: '1', framework: 7, vendor: '7' });
    expect(await inputOfPath('07', 'a%20b+%C3%BC')).toEqual({ a: '1', framework: '07', vendor: 'a b+ü' });
    expect(await inputOfPath('%37', '%ff')).toEqual({ a: '1', framework: 7, vendor: '\ud800' });
    expect(await inputOf(PATH_ROUTE, createContext('/x'))).toEqual({ framework: '', vendor: '' });
  });

  test('is the only source of its parameters', async () => {
    const path = { framework: '7', vendor: 'v' };
    await expect(inputOf(PATH_ROUTE, createContext('/x?vendor=w'), { path })).rejects.toEqual(
      invalidRequest('vendor: unknown parameter; known: a, b, name, search, empty, since, limit'),
    );
    const withBody = { ...PATH_ROUTE, body: JSON_BODY, queryFields: [] };
    await expect(inputOf(withBody, createContext('/x', '{"framework":8}'), { path })).rejects.toEqual(
      invalidRequest('framework: unknown field; it is in the path'),
    );
  });
});

test('a malformed header is reported after an error of the body, and before all other errors', async () => {
  const error = new ApiError('invalid_request', 'If-Match: not understood');
  await expect(inputOf(BODY_ROUTE, createContext('/x', '{'), { error })).rejects.toMatchObject({
    code: 'malformed_json',
  });
  await expect(inputOf(BODY_ROUTE, createContext('/x?a=1', '{}'), { error })).rejects.toBe(error);
  await expect(inputOf(QUERY_ROUTE, createContext('/x?a=1&a=2'), { error })).rejects.toBe(error);
});

describe('a body', () => {
  const UNSUPPORTED = apiError('unsupported_media_type', 'Content-Type: expected application/json');

  test.for([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF8"',
  ])('accepts the content type %s', (type) =>
    expect(() => requireJsonContentType(createContext('/x', '{}', { 'content-type': type }))).not.toThrow(),
  );

  test.for(['', 'text/plain', 'application/jsonp', 'application/problem+json', 'application/json; charset=latin1'])(
    'rejects the content type %s',
    async (type) => {
      await expect(readJsonBody(createContext('/x', '{', { 'content-type': type }))).rejects.toEqual(UNSUPPORTED);
    },
  );

  test('must not be compressed', async () => {
    expect(await readJsonBody(createContext('/x', '{}', { 'content-encoding': 'identity' }))).toEqual({});
    await expect(readJsonBody(createContext('/x', '{}', { 'content-encoding': 'gzip' }))).rejects.toEqual(
      apiError('unsupported_media_type', 'Content-Encoding: expected none'),
    );
  });

  test('must be an object', async () => {
    expect(await readJsonBody(createContext('/x', '{"a":[{"b":null}]}'))).toEqual({ a: [{ b: null }] });
    for (const other of ['[]', '[{}]', 'null', '1', '"x"', 'true']) {
      await expect(readJsonBody(createContext('/x', other))).rejects.toEqual(
        invalidRequest('The body is not a JSON object.'),
      );
    }
  });

  test('must be JSON in UTF-8', () => {
    const error = apiError('malformed_json', 'The body is not JSON in UTF-8.');
    expect(parseJson(Buffer.from('{"a":"ü"}'))).toEqual({ a: 'ü' });
    for (const wrong of ['', '{', '{"a":1,}', "{'a':1}", 'undefined', 'NaN']) {
      expect(() => parseJson(Buffer.from(wrong))).toThrow(error);
    }
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(error);
    expect(() => parseJson(Buffer.from('{'))).toThrow(
      expect.objectContaining({ cause: expect.any(SyntaxError) as unknown }) as Error,
    );
  });

  test('may have 32 levels', async () => {
    const lists = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const error = invalidRequest('The body is nested deeper than 32.');
    for (const valid of [lists(31), objects(32), '{"a":1,"b":[1,"x",null]}']) {
      await expect(readJsonBody(createContext('/x', valid))).resolves.toEqual(JSON.parse(valid));
    }
    for (const deep of [lists(32), objects(33), `{"b":1,${lists(40).slice(1)}`]) {
      await expect(readJsonBody(createContext('/x', deep))).rejects.toEqual(error);
    }
  });

  test('may have 256 KiB', async () => {
    const body = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
    await expect(readJsonBody(createContext('/x', body(MAX_BODY_BYTES)))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(readJsonBody(createContext('/x', body(MAX_BODY_BYTES + 1)))).rejects.toEqual(
      apiError('payload_too_large', 'The body is larger than 262144 bytes.'),
    );
  });

  test('must be complete', async () => {
    await expect(readJsonBody(createContext('/x', '{}', { 'content-length': '3' }))).rejects.toEqual(
      invalidRequest('The request body was incomplete.'),
    );
  });
});
