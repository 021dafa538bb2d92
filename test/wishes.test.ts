import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Route } from '../server/routes.ts';
import { wishesOf } from '../server/wishes.ts';

// What the headers of a request ask for, without a service. preconditions.test.ts and idempotency.test.ts hold it to that.

type Heeded = Pick<Route, 'type' | 'isTagged' | 'isOfOne' | 'shows'>;
const READ: Heeded = { type: 'query', isTagged: true, isOfOne: false, shows: undefined };
const CHANGE: Heeded = { type: 'mutation', isTagged: true, isOfOne: true, shows: 'Task' };
const CREATE: Heeded = { type: 'mutation', isTagged: true, isOfOne: false, shows: 'Task' };

/** Headers as they stand on the wire: a name may come more than once. */
function asked(heeded: Heeded, ...headers: [name: string, value: string][]) {
  const request = new IncomingMessage(new Socket());
  const distinct: NodeJS.Dict<string[]> = {};
  for (const [name, value] of headers) (distinct[name] ??= []).push(value);
  request.headersDistinct = distinct;
  for (const [name, [first, ...more] = []] of Object.entries(distinct)) {
    request.headers[name] = [first, ...more].join(', ');
  }
  return wishesOf(heeded as Route, request);
}

const NONE = { ifMatch: null, prefers: undefined, once: undefined, malformed: undefined };
const refused = (message: string) => expect.objectContaining({ name: 'Refusal', code: 'invalid_request', message });

describe('nothing is asked', () => {
  test.for([READ, CHANGE, CREATE])('without a header: %o', (heeded) => {
    const wishes = asked(heeded);
    expect(wishes).toMatchObject(NONE);
    expect(wishes.isKnown('1-a')).toBe(false);
  });

  test('by what the route does not heed', () => {
    const stray: [string, string][] = [
      ['if-match', 'x'],
      ['idempotency-key', 'ü'],
      ['prefer', 'return=minimal'],
    ];
    expect(asked(READ, ...stray)).toMatchObject(NONE);
    const untagged = asked({ ...READ, isTagged: false }, ['if-none-match', '"1-a"']);
    expect([untagged, untagged.isKnown('1-a')]).toEqual([expect.objectContaining(NONE), false]);
    const changes = asked(CHANGE, ['if-none-match', '*'], ['prefer', 'wait=1']);
    expect([changes, changes.isKnown('1-a')]).toEqual([expect.objectContaining(NONE), false]);
    expect(asked(CREATE, ['if-match', 'x'])).toMatchObject(NONE);
    expect(asked({ ...CHANGE, shows: undefined }, ['prefer', 'return=minimal'])).toMatchObject(NONE);
  });
});

describe('If-Match', () => {
  const tags = (text: string) => asked(CHANGE, ['if-match', text]);

  test.for<[string, string[] | null]>([
    ['*', null],
    [' * ', null],
    ['"1-a"', ['1-a']],
    ['"1-a", "2-b"', ['1-a', '2-b']],
    ['"1-a","2-b"', ['1-a', '2-b']],
    ['"1-a"\t,\t"2-b"\t', ['1-a', '2-b']],
    [' , ,"1-a" ,, ,"2-b" , ', ['1-a', '2-b']],
    ['"1-a", W/"2-b"', ['1-a']],
    ['W/"1-a"', []],
    ['""', ['']],
    ['"a,b"', ['a,b']],
    ['"*"', ['*']],
    ['"!#~\u0080ÿ"', ['!#~\u0080ÿ']],
  ])('%s', ([text, ifMatch]) => expect(tags(text)).toMatchObject({ ...NONE, ifMatch }));

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
  ])('is not understood: %j', (text) => {
    const told = refused('If-Match: expected * or a list of tags in double quotes');
    expect(tags(text)).toMatchObject({ ...NONE, malformed: told });
  });
});

describe('If-None-Match', () => {
  const known = (text: string) => {
    const { isKnown, malformed } = asked(READ, ['if-none-match', text]);
    return [['1-a', '2-b', ''].filter(isKnown), malformed?.message];
  };

  test('names what the client has, weakly or strongly', () => {
    expect(known('"1-a"')).toEqual([['1-a'], undefined]);
    expect(known('W/"1-a", "2-b"')).toEqual([['1-a', '2-b'], undefined]);
    expect(known('"x", ""')).toEqual([[''], undefined]);
    expect(known('*')).toEqual([['1-a', '2-b', ''], undefined]);
  });

  test('is not understood without quotes', () => {
    const told = 'If-None-Match: expected * or a list of tags in double quotes';
    for (const text of ['1-a', '', '"1-a" x']) expect(known(text)).toEqual([[], told]);
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
  ])('%s', ([text, prefers]) => {
    for (const heeded of [CHANGE, CREATE]) expect(asked(heeded, ['prefer', text])).toMatchObject({ ...NONE, prefers });
  });
});

describe('Idempotency-Key', () => {
  const once = (...names: string[]) =>
    asked(CREATE, ...names.map((name): [string, string] => ['idempotency-key', name]));

  test.for(['a', ' ', '~', 'x'.repeat(255), '"8e03978e"', 'a, b'])('is %j', (name) => {
    expect(once(name)).toMatchObject({ ...NONE, once: name });
  });

  test.for([[''], ['x'.repeat(256)], ['ü'], ['a\u007f'], ['a\u001f'], ['a', 'b'], ['a', 'a']])(
    'is not understood: %j',
    (names) => {
      const told = refused('Idempotency-Key: expected 1 to 255 printable ASCII characters, once');
      expect(once(...names)).toMatchObject({ ...NONE, malformed: told });
    },
  );

  test('goes with others', () => {
    const all = asked(CHANGE, ['if-match', '"1-a"'], ['prefer', 'return=minimal'], ['idempotency-key', 'a']);
    expect(all).toMatchObject({ ifMatch: ['1-a'], prefers: 'minimal', once: 'a', malformed: undefined });
    const bad = asked(CHANGE, ['if-match', 'x'], ['prefer', 'return=minimal'], ['idempotency-key', 'a']);
    expect(bad).toMatchObject({
      ...NONE,
      malformed: refused(expect.stringContaining('If-Match') as unknown as string),
    });
  });
});

test('what is no refusal is thrown', () => {
  const broken = { headers: { 'idempotency-key': 'a' } } as unknown as IncomingMessage;
  expect(() => wishesOf(CREATE as Route, broken)).toThrow(TypeError);
});
