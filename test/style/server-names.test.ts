import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskResource } from '../../entities/task/task.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';

// A new field or resource needs no change in server/: its code derives from the procedures and names neither. Tasks and
// vendors are enough: they have most fields, and their names are not common words.

const SERVER = join(import.meta.dirname, '../../server');

/** Names of fields that are also words of HTTP, JSON Schema, metrics or pages. A key is limited to a `framework`. */
const COMMON_WORDS = new Set(['title', 'name', 'description', 'status', 'active', 'labels', 'framework']);

const resources = [taskResource, vendorResource];
const resourceNames = new Set(resources.map(({ type }) => type.toLowerCase()));
const fieldNames = new Set(
  resources.flatMap(({ fields, createdFields }) => [...fields, ...createdFields].map(({ name }) => name)),
);

const withoutComments = (code: string) => code.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

/** Words of identifiers and paths: `task`, `history` of `taskHistory`, `TASK_HISTORY` and `task-history`, without a plural. */
const wordsOf = (text: string) =>
  [...text.matchAll(/[A-Z]{2,}|[A-Za-z][a-z]*/g)].map(([word]) => word.toLowerCase().replace(/s$/, ''));

/** Names of resources and fields in the code of a file, or in its path. */
function namesIn(path: string, code: string): string[] {
  const text = `${path}\n${withoutComments(code)}`;
  const identifiers = [...text.matchAll(/\w+/g)].map(([identifier]) => identifier);
  return [
    ...wordsOf(text).filter((word) => resourceNames.has(word)),
    ...identifiers.filter((name) => fieldNames.has(name) && !COMMON_WORDS.has(name)),
  ];
}

test('server/ names no field and no resource', async () => {
  const files = (await readdir(SERVER, { recursive: true })).filter((file) => /\.(?:ts|html)$/.test(file));
  const found = await Promise.all(
    files.map(async (file) => ({ file, names: namesIn(file, await readFile(join(SERVER, file), 'utf8')) })),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(found.filter(({ names }) => names.length > 0)).toEqual([]);
});

test.each([
  ["const path = '/external/smart-inventory/vendor/list';", ['vendor']],
  ['recordTaskHistory(TASK_LIMIT);', ['task', 'task']],
  ["{ dueDate: null, title: 'Vendors' }", ['vendor', 'dueDate']],
  ['// A task, for example\n/** of a vendor */ const a = `https://tasks.example`;', ['task']],
  ['multitasking({ priority: 1 }, framework);', ['priority']],
])('names are found in code and not in comments: %s', (code, names) => {
  expect(namesIn('server/file.ts', code)).toEqual(names);
});
