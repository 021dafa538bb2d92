import { describe, expect, test } from 'vitest';
import { findWords, toVector, wantedOf, wordsOf } from '../../entities/search/words.ts';

/** True if a text has all words of a query, as the index finds them. */
function matches(text: string, query: string): boolean {
  const words = [...wordsOf(text)];
  const hasAll = (wanted: readonly string[]) => wanted.every((one) => words.some((word) => word.startsWith(one)));
  const { runs, words: apart } = wantedOf(query);
  return runs.length > 0 && (hasAll(runs) || (apart !== null && hasAll(apart)));
}

describe('a query finds', () => {
  test.for([
    ['Review access rights', 'rev acc'],
    ['Review access rights', 'RIGHTS review'],
    ['Zürich, Straße 5', 'zurich STRASSE'],
    ['Zurich', 'zürich'],
    ['Zu\u0308rich', 'Zürich'],
    ['Smørrebrød for Łódź', 'smorrebrod lodz'],
    ['Οδός', 'οδοσ'],
    ['İstanbul', 'istanbul'],
    ['A.5.9 Inventory of assets', 'A.5.9'],
    ['A.5.9 Inventory of assets', 'a.5'],
    ['A.5.9 Inventory of assets', '5.9 inv'],
    ['(see A.5.9).', 'A.5.9'],
    ['A 5 9', 'A.5.9'],
    ['Mail ada@cloud.example, please', 'ada@cloud.example'],
    ['Mail ada@cloud.example, please', 'cloud.example'],
    ['Mail ada@cloud.example, please', 'ada example'],
    ['ISO/IEC 27001:2022', 'iso 27001'],
    ['ISO/IEC 27001:2022', 'ISO-IEC 2022'],
    ['ISO 27001', 'ISO-27001'],
    ['The access review of Q2', '"access review" q2'],
    ['The access review', '“review” (access)'],
    ['l’accès', "l'accès"],
    ['情報セキュリティ方針', 'セキュリティ'],
    ['سياسة أمن المعلومات', 'أمن'],
    ['정보 보안', '보안'],
    [`https://wiki.example.com/${'long/'.repeat(30)}`, `https://wiki.example.com/${'long/'.repeat(30)}`],
    ['x'.repeat(5000), 'x'.repeat(255)],
    ['ab', 'ab'],
    ['½ of it', '1 2 of'],
  ] as const)('%s by %s', ([text, query]) => {
    expect(matches(text, query)).toBe(true);
    const { runs, words } = wantedOf(query);
    const found = findWords(text, runs).size === runs.length ? runs : (words ?? []);
    expect(found.length).toBeGreaterThan(0);
    expect(findWords(text, found).size).toBe(found.length);
  });

  test.for([
    ['Review access rights', 'view'],
    ['Review access rights', 'review vendor'],
    ['A.5.90', 'A.59'],
    ['Review', ''],
    ['Review', '"?!" --'],
  ] as const)('%s not by %s', ([text, query]) => {
    expect(matches(text, query)).toBe(false);
  });
});

test('a word that begins another one of the query is left out, because it adds nothing', () => {
  expect(wantedOf('a acc access b')).toEqual({ runs: ['access', 'b'], words: null });
});

test('the words of a document begin with the company, and fit into a vector whatever is written', () => {
  expect(toVector(7, 3, { titles: ['A.5.9 Plan'], texts: ['plan b'] })).toBe(
    `'7 #3':1D '7 a.5.9':1A '7 5.9':1A '7 9':1A '7 plan':1A '7 b':1D`,
  );
  const letters = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000)));
  for (const text of [letters.join('.'), letters.map((letter) => `${letter}ж`).join('-')])
    expect(Buffer.byteLength(toVector(2_147_483_647, 1, { titles: [], texts: [text] }))).toBeLessThan(1_000_000);
});
