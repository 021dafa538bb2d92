import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceRouter } from '../../procedures/index.ts';
import { compileRoutes } from '../../server/rest/routes.ts';

const root = join(import.meta.dirname, '../..');
const readText = (path: string) => readFile(join(root, path), 'utf8');
const readme = await readText('README.md');
const endpoints = readme.split('\n## Endpoints\n')[1]?.split('\n## ')[0] ?? '';

/** Operations of the specification, in its order. */
const SPECIFIED = [
  'GET /external/task/framework/{framework}/list',
  'POST /external/task/framework/{framework}/new',
  'GET /external/task/{taskUniqueId}/item',
  'PATCH /external/task/{taskUniqueId}/edit',
  'DELETE /external/task/{taskUniqueId}/delete',
  'GET /external/smart-inventory/vendor/list',
  'POST /external/smart-inventory/vendor/new',
  'GET /external/smart-inventory/vendor/{vendor}/item',
  'PATCH /external/smart-inventory/vendor/{vendor}/edit',
  'DELETE /external/smart-inventory/vendor/{vendor}/delete',
];

/** Paths and page of each group of further operations. `…` is any beginning of a path. */
const groups = [...endpoints.matchAll(/^\|[^|]+\| (`[^|]+`) +\| \[[^\]]+\]\(([^)#]+)[^)]*\) +\|$/gm)].map(
  ([, paths = '', page = '']) => ({ paths: [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path), page }),
);

const covers = (path: string, template: string) =>
  path.startsWith('…') ? template.includes(path.slice(1)) : template.startsWith(path);

test('the README lists the operations of the specification, each on its own line', () => {
  const listed = [...endpoints.matchAll(/^\| `([A-Z]+ [^`]+)`/gm)].map(([, operation]) => operation);
  expect(listed).toEqual(SPECIFIED);
});

test('every further REST operation belongs to a group in the README, and every group has an operation', () => {
  const further = compileRoutes(serviceRouter).filter(
    ({ method, template }) => !SPECIFIED.includes(`${method} ${template}`),
  );
  const paths = groups.flatMap((group) => group.paths);
  expect(further.filter(({ template }) => !paths.some((path) => covers(path, template)))).toEqual([]);
  expect(paths.filter((path) => !further.some(({ template }) => covers(path, template)))).toEqual([]);
});

test('the page of each group in the README names its paths', async () => {
  expect(groups.length).toBeGreaterThan(5);
  const missing: string[] = [];
  for (const { paths, page } of groups) {
    const text = await readText(page);
    missing.push(...paths.filter((path) => !text.includes(path.replace('…', ''))).map((path) => `${page}: ${path}`));
  }
  expect(missing).toEqual([]);
});

test('the README has at most 100 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
});

test('docs/performance.md has at most 1,500 words', async () => {
  const words = (await readText(join('docs', 'performance.md'))).split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(1500);
});
