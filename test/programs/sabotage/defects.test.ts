import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFECTS } from './defects.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('a sabotage defect', () => {
  test.for(DEFECTS)('$description: applies to the current code', ({ file, search, replacement, tests }) => {
    // The way back of a migration has the functions of before.
    const [code = ''] = readFileSync(join(root, file), 'utf8').split('override down()');
    const occurrences = code.split(search).length - 1;
    expect(occurrences, `${file}: expected one occurrence of ${search}`).toBe(1);
    expect(replacement).not.toBe(search);
    expect(tests.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)))).toEqual([]);
  });

  test('has a unique description, which `--only` selects', () => {
    const descriptions = DEFECTS.map(({ description }) => description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
  });
});
