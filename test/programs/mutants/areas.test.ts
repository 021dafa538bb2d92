import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MUTATION_AREAS, mutatePatterns } from './areas.ts';
import { findDeclaration, linesOutside } from './declarations.ts';
import type { LineRange } from './declarations.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const parts = MUTATION_AREAS.flatMap(({ mutate }) => mutate).flatMap((part) =>
  typeof part === 'string' ? [] : [part],
);
const declarations = parts.flatMap((part) =>
  ('only' in part ? part.only : part.except).map((name) => ({ name, file: part.file })),
);

const linesOf = (source: string, { start, end }: LineRange) =>
  source
    .split('\n')
    .slice(start - 1, end)
    .join('\n');

describe('a mutation area', () => {
  test.for(MUTATION_AREAS)('$name: names existing files and tests', (area) => {
    const files = mutatePatterns(area).map((pattern) => pattern.replace(/:\d+-\d+$/, ''));
    const tests = area.tests.map((name) => `test/${name}.test.ts`);
    expect([...files, ...tests].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test.for(declarations)('$file: the range of $name is one complete declaration', ({ file, name }) => {
    const source = readFileSync(join(root, file), 'utf8');
    const range = findDeclaration(source, name);
    const code = linesOf(source, range);
    const rest = linesOutside(source, [range]).map((outside) => linesOf(source, outside));
    const parsable = /^\s/.test(code) ? `class Example {\n${code}\n}` : code;
    expect(() => stripTypeScriptTypes(parsable)).not.toThrow();
    expect(() => stripTypeScriptTypes(rest.join('\n'))).not.toThrow();
  });

  test('excludes the lines of declarations and nothing else', () => {
    const source = 'const a = 1;\n\nfunction b() {\n\n  return a;\n}\n\n/** Doc. */\nconst c = b();\n';
    expect(findDeclaration(source, 'b')).toEqual({ start: 3, end: 6 });
    expect(linesOutside(source, [{ start: 3, end: 6 }])).toEqual([
      { start: 1, end: 2 },
      { start: 7, end: 9 },
    ]);
  });

  test('rejects a name that a file does not declare exactly once', () => {
    expect(() => findDeclaration('const a = 1;\n', 'b')).toThrow('b: expected one declaration, found 0');
    expect(() => findDeclaration('const a = 1;\nclass B {\n  a() {}\n}\n', 'a')).toThrow('found 2');
  });
});
