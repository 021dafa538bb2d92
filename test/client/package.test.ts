import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { clientTypes } from '../../docs/clients/types.ts';
import { databaseUrl } from '../support/database/database.ts';
import { url } from '../support/http/server.ts';
import { installClient } from '../support/openapi/client-package.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { createCompany } from '../support/tenants/company.ts';

// The packed client in a project without the modules of this repository.

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Programs with their arguments. Each checker compares the same types again, so one takes the least CPU time. */
const COMPILERS = {
  'TypeScript 5': [join(root, 'docs', 'clients', 'node_modules', '.bin', 'tsc')],
  'TypeScript 7': [join(root, 'node_modules', '.bin', 'tsc'), '--checkers', '1'],
};
const page = await readFile(join(root, 'docs/clients/typescript.md'), 'utf8');
const [firstCall = '', follow = '', receive = ''] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code]) => code ?? '',
);

const { project, packedFiles } = await installClient();

/** Compiles files of the project with the default libraries. @returns the messages of the compiler */
async function compile(compiler: readonly string[], ...files: string[]): Promise<string> {
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext'];
  const { stdout } = await execFileAsync(process.execPath, [...compiler, ...options, ...files], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

test('the package contains the compiled modules, their types, a README and the licence, and imports nothing of Node', async () => {
  expect(packedFiles).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
  );
  expect(
    packedFiles.filter((path) => !/^(?:dist\/\w+\.(?:js|d\.ts)|LICENSE|README\.md|package\.json)$/.test(path)),
  ).toEqual([]);
  const installed = join(project, 'node_modules', '@compliance', 'client', 'dist');
  const imports = new Set<string>();
  for (const file of (await readdir(installed)).filter((name) => name.endsWith('.js')))
    for (const [, name = ''] of (await readFile(join(installed, file), 'utf8')).matchAll(/\bfrom '([^']+)'/g))
      if (!name.startsWith('./')) imports.add(name);
  expect([...imports]).toEqual(['openapi-fetch']);
});

test('the types of the package are those of the OpenAPI document', async () => {
  const types = join(project, 'node_modules', '@compliance', 'client', 'dist', 'api.d.ts');
  expect(await readFile(types, 'utf8')).toBe(await clientTypes());
});

test('the modules of the client have at most 600 lines of code, beside the generated types', async () => {
  const source = join(root, 'clients/typescript/src');
  const files = (await readdir(source)).filter((name) => name !== 'api.ts');
  const lines = (await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))).join('').split('\n');
  expect(lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length).toBeLessThanOrEqual(600);
});

describe.for(Object.entries(COMPILERS))('with %s', ([, compiler]) => {
  test('the programs of docs/clients/typescript.md compile, and a wrong field does not', async () => {
    await writeFile(join(project, 'first-call.ts'), firstCall);
    await writeFile(join(project, 'follow.ts'), follow);
    await writeFile(join(project, 'receive.ts'), receive);
    await writeFile(join(project, 'wrong.ts'), firstCall.replace("{ name: 'Cloud Ltd' }", "{ title: 'Cloud Ltd' }"));
    const messages = await compile(compiler, 'first-call.ts', 'follow.ts', 'receive.ts', 'wrong.ts');
    expect(messages).toMatch(/^wrong\.ts\(\d+,\d+\): error TS2353: .+'title'.*\r?\n$/);
  });
});

test('the first program of the page runs and prints the documented output', async () => {
  const acme = await createCompany();
  const program = firstCall.replace('http://127.0.0.1:3000', url).replace('svc_sk_live_…', acme.key);
  await writeFile(join(project, 'run.ts'), program);
  expect(await compile(COMPILERS['TypeScript 7'], 'run.ts')).toBe('');
  const { stdout } = await execFileAsync(process.execPath, ['run.js'], { cwd: project });
  expect(stdout).toBe('Cloud Ltd was created\nCloud Ltd is active\n');
  expect(page).toContain(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => `\`${line}\``)
      .join(' and '),
  );
  expect(await acme.vendor.list()).toMatchObject([{ name: 'Cloud Ltd', status: 'inactive' }]);
});

/** Creates vendors one by one, in a batch and from a file, and follows the feed meanwhile. Prints a line for each single vendor. */
const WORK = `
import { ComplianceClient } from '@compliance/client';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const client = new ComplianceClient({ baseUrl, apiKey });
const cursor = await client.changes.now();
const follow = async () => {
  const names: unknown[] = [];
  for await (const { items } of client.changes.follow({ cursor, wait: 10 })) {
    for (const { action, changes } of items) if (action === 'vendor.create') names.push(changes['name']);
    if (names.length >= 360) return names;
  }
  return names;
};
const followed = follow();
const create = async () => {
  for (let index = 0; index < 60; index++) {
    await client.vendors.create({ name: \`Created \${index}\` });
    console.log('created');
  }
};
const items = Array.from({ length: 200 }, (_, index) => ({ op: 'create' as const, body: { name: \`Batch \${index}\` } }));
await Promise.all([create(), client.vendors.batch(items)]);
const file = 'name\\n' + Array.from({ length: 100 }, (_, index) => \`Imported \${index}\\n\`).join('');
const { created } = await client.vendors.import(file);
const names = await followed;
const listed: string[] = [];
for await (const { name } of client.vendors.list()) listed.push(name);
console.log(JSON.stringify({ created, followed: names.length, distinct: new Set(names).size, listed: listed.length }));
declare const process: { argv: string[] };
`;

// The embedded database is a folder, so that the test can restart the service on it.
test.runIf(databaseUrl === undefined)(
  'a program applies each write once while the server is killed and restarted',
  async () => {
    const port = await freePort();
    const settings = { DATA_DIR: join(project, 'data'), PORT: String(port) };
    let service = await startServiceProcess(settings);
    try {
      const apiKey = /svc_sk_live_\w+/.exec(service.output)?.[0] ?? '';
      await writeFile(join(project, 'work.ts'), WORK);
      expect(await compile(COMPILERS['TypeScript 7'], 'work.ts')).toBe('');
      const child = spawn(process.execPath, ['work.js', `http://127.0.0.1:${port}`, apiKey], { cwd: project });
      const lines: string[] = [];
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      let restarting: Promise<void> = Promise.resolve();
      const restart = async () => {
        await stopServiceProcess(service, 'SIGKILL');
        service = await startServiceProcess(settings);
      };
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        if (lines.length === 5) restarting = restart();
      }
      await restarting;
      expect(stderr).toBe('');
      const summary = JSON.parse(lines.at(-1) ?? '{}') as object;
      expect(summary).toEqual({ created: 100, followed: 360, distinct: 360, listed: 360 });
    } finally {
      await stopServiceProcess(service);
    }
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
