import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PAGE_PATH, curlPage, curlSections, shellVariable } from '../../docs/clients/curl.ts';
import { clientTypes } from '../../docs/clients/types.ts';
import { makeParameters, targetOf } from '../support/fixtures/objects.ts';
import { createCompany } from '../support/tenants/company.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { url } from '../support/http/server.ts';

const execFileAsync = promisify(execFile);
const docsDirectory = join(import.meta.dirname, '../..', 'docs');
const clients = join(docsDirectory, 'clients');
const readDoc = (...path: string[]) => readFile(join(docsDirectory, ...path), 'utf8');

describe.for([
  ['clients/openapi-fetch.md', 'clients/openapi-fetch.ts', 'Cloud Ltd is inactive\n'],
  ['clients/trpc.md', 'examples/trpc-client.ts', 'Cloud Ltd is inactive, by Integration of Acme\n'],
] as const)('the program on the page %s', ([page, program, expectedOutput]) => {
  test('equals its source file', async () => {
    const [, source] = /```ts\n([\s\S]*?)```/.exec(await readDoc(page)) ?? [];
    expect(source).toBe(await readDoc(program));
  });

  test('runs and prints the documented output', async () => {
    const acme = await createCompany();
    const env = { ...process.env, SERVER: url, API_KEY: acme.key };
    const { stdout } = await execFileAsync(process.execPath, [program], { cwd: docsDirectory, env });
    expect(stdout).toBe(expectedOutput);
    expect(await acme.vendor.list()).toMatchObject([{ name: 'Cloud Ltd', status: 'inactive' }]);
  });
});

test('openapi-typescript and @hey-api/openapi-ts generate strict TypeScript', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  try {
    const document = join(folder, 'openapi.json');
    await writeFile(document, JSON.stringify(openApi));
    await writeFile(join(folder, 'api.d.ts'), await clientTypes());
    const generate = ['run', 'generate', '-w', 'docs/clients', '--', '-i', document, '-o', join(folder, 'generated')];
    await execFileAsync('npm', generate, { cwd: join(docsDirectory, '..') });
    const generated = await readdir(join(folder, 'generated'));
    expect(generated).toEqual(expect.arrayContaining(['types.gen.ts', 'sdk.gen.ts']));
    expect(await readFile(join(folder, 'generated', 'types.gen.ts'), 'utf8')).toContain('export type NewTask = {');
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    const files = [join(folder, 'api.d.ts'), join(folder, 'generated', 'index.ts')];
    const tsc = join(clients, 'node_modules', '.bin', 'tsc');
    const { stdout } = await execFileAsync(process.execPath, [tsc, ...options, ...files]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('the page of curl commands', () => {
  test('matches the document (npm run docs:curl)', async () => {
    expect(await readFile(PAGE_PATH, 'utf8')).toBe(curlPage());
  });

  // CI has curl and must run this test. Machines without curl skip it.
  const isMissing = spawnSync('curl', ['--version']).error !== undefined && process.env['CI'] !== 'true';
  test.skipIf(isMissing).for(curlSections())(
    'has commands for $template with the documented responses, without the other sections (needs curl)',
    async ({ template, text }) => {
      const target = await targetOf(await createCompany());
      const parameters = Object.entries(await makeParameters(template, target));
      const assignments = [
        ['API', url],
        ['KEY', target.key],
        ...parameters.map(([name, value]) => [shellVariable(name), value]),
      ].map(([name, value]) => `${name}='${value}'`);
      // Wraps curl, so that the unchanged commands print only the status and the content type.
      const reporting = `curl() { command curl -sS -o /dev/null -w '%{http_code} %{content_type}' "$@"; }`;
      const responses: string[] = [];
      for (const [, command = ''] of text.matchAll(/```sh\n([\s\S]*?)\n```/g)) {
        const { stdout } = await execFileAsync('sh', ['-c', [...assignments, reporting, command].join('\n')]);
        responses.push(stdout.trim().split(';')[0] ?? '');
      }
      const documented = [...text.matchAll(/^Returns (\d+)(?:, `(.+)`)?/gm)];
      expect(documented.length).toBeGreaterThan(0);
      // A file has the type that it was sent with, and 204 has none.
      const reported = responses.map((response, index) => (documented[index]?.[2] ? response : response.slice(0, 3)));
      expect(reported).toEqual(documented.map(([, status, type]) => [status, type].filter(Boolean).join(' ')));
    },
  );

  test('has a section for every operation', () => {
    const summaries = Object.values(openApi.paths).flatMap((verbs) =>
      Object.values(verbs).map(({ summary }) => summary),
    );
    expect(curlSections().map(({ text }) => /^## (.*)$/m.exec(text)?.[1])).toEqual(summaries);
  });
});
