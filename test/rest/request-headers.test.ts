import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Route } from '../../server/rest/route.ts';
import { parseRequestHeaders } from '../../server/rest/request-headers.ts';

// Parsing of request headers without a service. preconditions.test.ts and idempotency.test.ts test the service.

type HeaderRoute = Pick<Route, 'type' | 'targetsItem' | 'response'>;
const UNTAGGED = {
  kind: 'json',
  hasEntityTag: false,
  noContent: false,
  successStatus: 200,
  representation: undefined,
} as const;
const TAGGED = { ...UNTAGGED, hasEntityTag: true } as const;
const READ_ROUTE: HeaderRoute = { type: 'query', targetsItem: false, response: TAGGED };
const CHANGE_ROUTE: HeaderRoute = {
  type: 'mutation',
  targetsItem: true,
  response: { ...TAGGED, representation: 'Task' },
};
const CREATE_ROUTE: HeaderRoute = { ...CHANGE_ROUTE, targetsItem: false };
const UPSERT_ROUTE: HeaderRoute = { ...CHANGE_ROUTE, response: { kind: 'upsert', location: '/external/item' } };

/** Parses headers as sent by a client, in which a name may occur more than once. */
function parseHeaders(route: HeaderRoute, ...headers: [name: string, value: string][]) {
  const request = new IncomingMessage(new Socket());
  const distinct: NodeJS.Dict<string[]> = {};
  for (const [name, value] of headers) (distinct[name] ??= []).push(value);
  request.headersDistinct = distinct;
  for (const [name, [first, ...more] = []] of Object.entries(distinct)) {
    request.headers[name] = [first, ...more].join(', ');
  }
  return parseRequestHeaders(route as Route, request);
}

const NO_HEADERS = { ifMatch: null, prefer: undefined, idempotencyKey: undefined, error: undefined };
const apiError = (message: string) => expect.objectContaining({ name: 'ApiError', code: 'invalid_request', message });

describe('the parsed headers are empty', () => {
  test.for([READ_ROUTE, CHANGE_ROUTE, CREATE_ROUTE])('without a header: %o', (route) => {
    const requestHeaders = parseHeaders(route);
    expect(requestHeaders).toMatchObject(NO_HEADERS);
    expect(requestHeaders.matchesIfNoneMatch('1-a')).toBe(false);
  });

  test('for headers that the route does not support', () => {
    const unsupported: [string, string][] = [
      ['if-match', 'x'],
      ['idempotency-key', 'ü'],
      ['prefer', 'return=minimal'],
    ];
    expect(parseHeaders(READ_ROUTE, ...unsupported)).toMatchObject(NO_HEADERS);
    const untagged = parseHeaders({ ...READ_ROUTE, response: UNTAGGED }, ['if-none-match', '"1-a"']);
    expect([untagged, untagged.matchesIfNoneMatch('1-a')]).toEqual([expect.objectContaining(NO_HEADERS), false]);
    const changes = parseHeaders(CHANGE_ROUTE, ['if-none-match', '*'], ['prefer', 'wait=1']);
    expect([changes, changes.matchesIfNoneMatch('1-a')]).toEqual([expect.objectContaining(NO_HEADERS), false]);
    expect(parseHeaders(CREATE_ROUTE, ['if-match', 'x'])).toMatchObject(NO_HEADERS);
    expect(parseHeaders({ ...CHANGE_ROUTE, response: TAGGED }, ['prefer', 'return=minimal'])).toMatchObject(NO_HEADERS);
  });
});

describe('If-None-Match of an upsert', () => {
  const createOnly = (text: string) => parseHeaders(UPSERT_ROUTE, ['if-none-match', text]);

  test('creates only if it is *', () => {
    expect(createOnly(' * ')).toMatchObject({ ...NO_HEADERS, createOnly: true });
    expect(parseHeaders(UPSERT_ROUTE)).toMatchObject({ ...NO_HEADERS, createOnly: false });
    expect(parseHeaders(CHANGE_ROUTE, ['if-none-match', '*'])).toMatchObject({ createOnly: false });
  });

  test('is rejected if it is an entity tag', () => {
    expect(createOnly('"1-a"').error).toEqual(apiError('If-None-Match: expected *, which only creates'));
  });
});

describe('If-Match', () => {
  const tags = (text: string) => parseHeaders(CHANGE_ROUTE, ['if-match', text]);

  test.for<[string, string[] | null]>([
    ['*', null],
    [' * ', null],
    ['"1-a"', ['1-a']],
    ['"1-a", "2-b"', ['1-a', '2-b']],
    ['"1-a","2-b"', ['1-a', '2-b']],
    ['"1-a"\t,\t"2-b"\t', ['1-a', '2-b']],
    [' , ,"1-a" ,, ,"2-b" , ', ['1-a', '2-b']],
    ['"1-a", W/"2-b"', ['1-a', '2-b']],
    ['W/"1-a"', ['1-a']],
    ['""', ['']],
    ['"a,b"', ['a,b']],
    ['"*"', ['*']],
    ['"!#~\u0080ÿ"', ['!#~\u0080ÿ']],
  ])('is parsed: %s', ([text, ifMatch]) => expect(tags(text)).toMatchObject({ ...NO_HEADERS, ifMatch }));

  test.for([
    '',
    ' ',
    ',',
    '1-a',
    "'1-a'",
    '"1-a',
    '1-a"',
    '"1-a" "2-b"',
    '"1-a"x',
    'x"1-a"',
    'w/"1-a"',
    'W/',
    '*, "1-a"',
    '"a b"',
    '"a\u007f"',
    '"1-a"; "2-b"',
    '"1-a",x',
    '"1-a"x"2-b"',
    '**',
  ])('is rejected if it is malformed: %j', (text) => {
    const error = apiError('If-Match: expected * or a list of entity tags in double quotes');
    expect(tags(text)).toMatchObject({ ...NO_HEADERS, error });
  });
});

describe('If-None-Match', () => {
  const parse = (text: string) => {
    const { matchesIfNoneMatch, error } = parseHeaders(READ_ROUTE, ['if-none-match', text]);
    return [['1-a', '2-b', ''].filter(matchesIfNoneMatch), error?.message];
  };

  test('matches weak and strong entity tags', () => {
    expect(parse('"1-a"')).toEqual([['1-a'], undefined]);
    expect(parse('W/"1-a", "2-b"')).toEqual([['1-a', '2-b'], undefined]);
    expect(parse('"x", ""')).toEqual([[''], undefined]);
    expect(parse('*')).toEqual([['1-a', '2-b', ''], undefined]);
  });

  test('is rejected without quotes', () => {
    const error = 'If-None-Match: expected * or a list of entity tags in double quotes';
    for (const text of ['1-a', '', '"1-a" x']) expect(parse(text)).toEqual([[], error]);
  });
});

describe('Prefer', () => {
  test.for<[string, string | undefined]>([
    ['return=minimal', 'minimal'],
    ['return=representation', 'representation'],
    ['Return = "MINIMAL" ; x', 'minimal'],
    ['return=minimal;x=y', 'minimal'],
    ['wait=10, return=minimal', 'minimal'],
    ['return=minimal, return=representation', 'minimal'],
    ['return=else, return=representation', 'representation'],
    ['x="a, return=minimal", return=representation', 'representation'],
    ['x="a\\", return=minimal", return=representation', 'representation'],
    ['x="return=minimal"', undefined],
    ['xreturn=minimal', undefined],
    ['return=minimally', undefined],
    ['return=minimal x', undefined],
    ['return', undefined],
    ['', undefined],
  ])('is parsed: %s', ([text, prefer]) => {
    for (const route of [CHANGE_ROUTE, CREATE_ROUTE])
      expect(parseHeaders(route, ['prefer', text])).toMatchObject({ ...NO_HEADERS, prefer });
  });
});

describe('Idempotency-Key', () => {
  const parse = (...names: string[]) =>
    parseHeaders(CREATE_ROUTE, ...names.map((name): [string, string] => ['idempotency-key', name]));

  test.for(['a', ' ', '~', 'x'.repeat(255), '"8e03978e"', 'a, b'])('may be %j', (name) => {
    expect(parse(name)).toMatchObject({ ...NO_HEADERS, idempotencyKey: name });
  });

  test.for([[''], ['x'.repeat(256)], ['ü'], ['a\u007f'], ['a\u001f'], ['a', 'b'], ['a', 'a']])(
    'is rejected if it is malformed: %j',
    (names) => {
      const error = apiError('Idempotency-Key: expected 1 to 255 printable ASCII characters, once');
      expect(parse(...names)).toMatchObject({ ...NO_HEADERS, error });
    },
  );

  test('is combined with other headers', () => {
    const all = parseHeaders(
      CHANGE_ROUTE,
      ['if-match', '"1-a"'],
      ['prefer', 'return=minimal'],
      ['idempotency-key', 'a'],
    );
    expect(all).toMatchObject({ ifMatch: ['1-a'], prefer: 'minimal', idempotencyKey: 'a', error: undefined });
    const bad = parseHeaders(CHANGE_ROUTE, ['if-match', 'x'], ['prefer', 'return=minimal'], ['idempotency-key', 'a']);
    expect(bad).toMatchObject({
      ...NO_HEADERS,
      error: apiError(expect.stringContaining('If-Match') as unknown as string),
    });
  });
});

test('an error other than an ApiError is thrown', () => {
  const broken = { headers: { 'idempotency-key': 'a' } } as unknown as IncomingMessage;
  expect(() => parseRequestHeaders(CREATE_ROUTE as Route, broken)).toThrow(TypeError);
});
