import { execFile, spawnSync } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { serviceRouter } from '../../procedures/index.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

const root = join(import.meta.dirname, '../..');
const readText = (path: string) => readFile(join(root, path), 'utf8');
const readme = await readText('README.md');
const api = readme.split('\n## The API\n')[1]?.split('\n## ')[0] ?? '';

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

test('the README lists the operations of the specification, and each is a route', () => {
  const listed = [...api.matchAll(/^\| `([A-Z]+ [^`]+)`/gm)].map(([, operation]) => operation);
  expect(listed).toEqual(SPECIFIED);
  expect(compileRoutes(serviceRouter).map(({ method, template }) => `${method} ${template}`)).toEqual(
    expect.arrayContaining(SPECIFIED),
  );
});

test('every picture of the README exists', async () => {
  const pictures = [...readme.matchAll(/ src(?:set)?="([^"]+)"/g)].map(([, path = '']) => path);
  expect(pictures).toHaveLength(8);
  await Promise.all(pictures.map((path) => access(join(root, path))));
});

test('the README has at most 90 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(90);
});

/** A documented result, in which `…` stands for any text. */
const resultPattern = (result: string) =>
  new RegExp(`^${result.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', '.*')}$`);

// CI has curl and must run this test.
const isMissing = spawnSync('curl', ['--version']).error !== undefined;
describe.skipIf(isMissing && process.env['CI'] !== 'true')('the commands in the README (need curl)', () => {
  test('print the documented results', async () => {
    const acme = await createCompany();
    const [, exports = '', ...commands] = (api.match(/^```sh\n(.*?)^```/ms)?.[0] ?? '').trimEnd().split('\n');
    expect(exports).toMatch(/^export KEY=\S+ API=\S+ /);
    const script = commands.slice(0, -1).join('\n').replaceAll('/framework/1/', `/framework/${acme.framework}/`);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
      env: { ...process.env, API: url, KEY: acme.key },
    });
    const results = [...script.matchAll(/^api .* # (.*)$/gm)].map(([, result = '']) => resultPattern(result));
    expect(results).toHaveLength(7);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual(results.map((result): unknown => expect.stringMatching(result)));
  });
});

test('docs/performance.md has at most 1,500 words', async () => {
  const words = (await readText(join('docs', 'performance.md'))).split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(1500);
});
