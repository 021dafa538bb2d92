import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../database/version.ts';
import { databaseUrl } from '../support/database/database.ts';
import { execFileAsync, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { copyProject } from '../support/setup/project-copy.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

// The packages that a service offers, built in a copy of the project and installed in an empty folder, as by an integrator.

const root = join(import.meta.dirname, '../..');
const project = await temporaryFolder();
const TSC = join(root, 'node_modules', '.bin', 'tsc');
/** Other registries are not reached, so that the test needs no network. */
const OFFLINE = ['--registry=http://127.0.0.1:1', '--no-audit', '--no-fund', '--fetch-retries=0'];

const npm = (...args: string[]) => execFileAsync('npm', args, { cwd: project });
const readText = (...path: string[]) => readFile(join(project, ...path), 'utf8');

/** The Node on which npm runs outside of this project, which may be the oldest one that the client supports. */
const npmNode = (process.env['PATH'] ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file));

/** Compiles a program strictly. @returns a function that runs it and returns what it prints */
async function compile(name: string, code: string) {
  await writeFile(join(project, `${name}.ts`), code);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--checkers', '1'];
  const compiled = await execFileAsync(process.execPath, [TSC, ...options, `${name}.ts`], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
  return async (node = process.execPath) => (await execFileAsync(node, [`${name}.js`], { cwd: project })).stdout;
}

const page = async (name: string) => readFile(join(root, 'docs', 'clients', name), 'utf8');
/** The command of a page that installs a package of the service. */
const installCommand = async (name: string) => /^npm (install .*\/packages\/\S+)/m.exec(await page(name))?.[1] ?? '';

/** The service and the project of an integrator, who has the dependencies of the packages already. */
async function start() {
  const copy = await copyProject();
  await copy.run('npm run build:packages');
  const service = await startServiceProcess({ DATA_DIR: join(project, 'data') }, undefined, copy.folder);
  onTestFinished(async () => void (await stopServiceProcess(service)));
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name));
  await npm('pack', '--ignore-scripts', ...dependencies);
  const tarballs = (await readdir(project)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`);
  await npm('install', '--offline', '--no-audit', '--no-fund', ...tarballs);
  return service;
}

/** Checks an installed package. */
async function expectPackage(name: string, url: string): Promise<void> {
  const folder = ['node_modules', '@compliance', name];
  expect(JSON.parse(await readText(...folder, 'package.json'))).toMatchObject({ version: VERSION, license: 'MIT' });
  expect(await readText(...folder, 'LICENSE')).toBe(await readFile(join(root, 'LICENSE'), 'utf8'));
  const lock = JSON.parse(await readText('package-lock.json')) as { packages: Record<string, object> };
  expect(lock.packages[folder.join('/')]).toMatchObject({
    version: VERSION,
    resolved: `${url}/packages/${name}.tgz`,
    integrity: expect.stringMatching(/^sha512-/),
  });
}

// An embedded database of its own, so one run is enough.
test.runIf(databaseUrl === undefined)(
  'the packages of a service install with the documented commands, compile and run against the service',
  async () => {
    const { url, output } = await start();
    const apiKey = /svc_sk_live_\w+/.exec(output)?.[0] ?? '';

    const command = (await installCommand('typescript.md')).replace('http://127.0.0.1:3000', url);
    expect(command).toBe(`install ${url}/packages/client.tgz`);
    await npm(...command.split(' '), ...OFFLINE);
    await expectPackage('client', url);
    const [, code = ''] = /```ts\n(.*?)```/s.exec(await page('typescript.md')) ?? [];
    const program = code.replace('http://127.0.0.1:3000', url).replace('svc_sk_live_…', apiKey);
    const run = await compile('client', program);
    expect(await run()).toBe('Cloud Ltd was created\nCloud Ltd is active\n');
    expect(await run(npmNode)).toBe('Cloud Ltd was unchanged\n'); // the first run has made it inactive

    const typesCommand = (await installCommand('trpc.md')).replace('http://127.0.0.1:3000', url);
    expect(typesCommand).toBe(`install --save-dev ${url}/packages/api-types.tgz`);
    await npm(...typesCommand.split(' '), ...OFFLINE, '--legacy-peer-deps');
    await expectPackage('api-types', url);
    await mkdir(join(project, 'node_modules', '@trpc'), { recursive: true });
    for (const name of ['@trpc/client', '@trpc/server'])
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
    const typed = `
      import { createTRPCClient, httpBatchLink } from '@trpc/client';
      import type { AppRouter } from '@compliance/api-types';
      const headers = { 'X-API-Key': '${apiKey}' };
      const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '${url}/trpc', maxItems: 20, headers })] });
      const { uniqueId } = await client.vendor.create.mutate({ name: 'Hosting Inc' });
      const vendor = await client.vendor.get.query({ vendor: uniqueId });
      console.log(vendor.name, vendor.status);
    `;
    const runTyped = await compile('types', typed);
    expect(await runTyped()).toBe('Hosting Inc active\n');
  },
);
