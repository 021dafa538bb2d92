import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientTypes } from '../../docs/clients/types.ts';
import { TAGS } from '../../procedures/index.ts';
import { commandsPage } from '../../server/docs/commands.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { OPERATOR_TOKEN, callManagement } from '../support/http/client.ts';
import { createCompany } from '../support/tenants/company.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { url } from '../support/http/server.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const execFileAsync = promisify(execFile);
const docsDirectory = join(import.meta.dirname, '../..', 'docs');
const clients = join(docsDirectory, 'clients');
const folder = await temporaryFolder();
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
  const target = await mkdtemp(join(tmpdir(), 'clients-'));
  try {
    const document = join(target, 'openapi.json');
    await writeFile(document, JSON.stringify(openApi));
    await writeFile(join(target, 'api.d.ts'), await clientTypes());
    const generate = ['run', 'generate', '-w', 'docs/clients', '--', '-i', document, '-o', join(target, 'generated')];
    await execFileAsync('npm', generate, { cwd: join(docsDirectory, '..') });
    const generated = await readdir(join(target, 'generated'));
    expect(generated).toEqual(expect.arrayContaining(['types.gen.ts', 'sdk.gen.ts']));
    expect(await readFile(join(target, 'generated', 'types.gen.ts'), 'utf8')).toContain('export type NewTask = {');
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
    const files = [join(target, 'api.d.ts'), join(target, 'generated', 'index.ts')];
    const tsc = join(clients, 'node_modules', '.bin', 'tsc');
    const { stdout } = await execFileAsync(process.execPath, [tsc, ...options, ...files]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  } finally {
    await rm(target, { recursive: true });
  }
});

/** Repeats a request for up to a minute while its response says to, as a reader does. */
async function repeat(send: () => Promise<string>, isRepeated: (received: string) => boolean): Promise<string> {
  const deadline = performance.now() + 60_000;
  let received = await send();
  while (isRepeated(received) && performance.now() < deadline) {
    await wait(200);
    received = await send();
  }
  return received;
}

describe('the page of commands', () => {
  const page = commandsPage('http://127.0.0.1:3000');

  test('has a section for every operation, and every group', () => {
    const summaries = Object.values(openApi.paths).flatMap((verbs) =>
      Object.values(verbs).map(({ summary }) => summary),
    );
    const titles = [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
    expect(titles).toHaveLength(summaries.length);
    expect(new Set(titles)).toEqual(new Set(summaries));
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      ...TAGS.map(({ name }) => name),
      'Deletions',
    ]);
  });

  // CI has curl and must run this test. Machines without curl skip it.
  const isMissing = spawnSync('curl', ['--version']).error !== undefined && process.env['CI'] !== 'true';
  test.skipIf(isMissing)(
    'runs in its order on a new installation, with the documented responses (needs curl)',
    async () => {
      const service = await startServiceProcess({ DATA_DIR: join(folder, 'data'), OPERATOR_TOKEN });
      onTestFinished(async () => void (await stopServiceProcess(service)));
      const wanted = { name: 'Commands', scopes: SCOPES };
      // The embedded database may be busy with the first jobs.
      const create = () => callManagement<{ key: string }>(service.url, 'apiKey.create', wanted, 1);
      const { key } = await vi.waitFor(create, { timeout: 60_000, interval: 1000 });
      const variables = new Map<string, string>();
      const file = join(folder, 'response');
      // Wraps curl, so that the unchanged commands write the body to a file and print the status and the content type.
      const reporting = `curl() { command curl -sS -o '${file}' -w '%{http_code} %{content_type}' "$@"; }`;
      /** Runs a command as a reader who has set the variables. @returns status and media type */
      const run = async (command: string): Promise<string> => {
        const assignments = [...variables].map(([name, value]) => `${name}='${value}'`);
        const { stdout } = await execFileAsync('sh', ['-euc', [...assignments, reporting, command].join('\n')]);
        return stdout.trim().split(';')[0] ?? '';
      };

      const [introduction = '', ...sections] = page.split(/^### /m);
      for (const [, name = '', value = ''] of introduction.matchAll(/^([A-Z_]+)=(.*)$/gm)) variables.set(name, value);
      expect([...variables.keys()]).toEqual(['API', 'KEY', 'FRAMEWORK', 'SOURCE', 'EXTERNAL_ID']);
      variables.set('API', service.url).set('KEY', key);
      const differences: string[] = [];
      for (const section of sections) {
        const title = section.slice(0, section.indexOf('\n'));
        const commands = [...section.matchAll(/^```sh\n([\s\S]*?)\n```/gm)].map(([, command = '']) => command);
        const documented = [...section.matchAll(/^Returns (\d+)(?:, or (\d+) [^.]+)?(?:, `(.+)`)?[.:]/gm)];
        expect([title, commands.length]).toEqual([title, documented.length]);
        for (const [index, command] of commands.entries()) {
          const [, status = '', other, type] = documented[index] ?? [];
          const expected = new Set(
            [status, other].flatMap((code) =>
              code === undefined ? [] : [type === undefined ? code : `${code} ${type}`],
            ),
          );
          // A file has the type that it was sent with, and 204 has none.
          const answer = async () => {
            const received = await run(command);
            return type === undefined ? received.slice(0, 3) : received;
          };
          const isAwaited = section.includes('until `state` is `done`');
          const received = await repeat(answer, (one) => one.startsWith('503') || (isAwaited && !expected.has(one)));
          if (!expected.has(received))
            differences.push(`${title}: ${received} ${(await readFile(file, 'utf8')).slice(0, 200)}`);
        }
        const [, variable] = /^Set `(\w+)` to the `uniqueId` of this response\.$/m.exec(section) ?? [];
        if (variable === undefined) continue;
        const { uniqueId } = JSON.parse(await readFile(file, 'utf8')) as { uniqueId: string };
        variables.set(variable, uniqueId);
      }
      expect(differences).toEqual([]);
      expect(variables.size).toBeGreaterThan(11);
    },
  );
});
