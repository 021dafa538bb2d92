import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { appRouter } from '../procedures/index.ts';
import { routesOf } from '../server/routes.ts';
import { company } from './support/company.ts';
import { url } from './support/server.ts';

const root = join(import.meta.dirname, '..');

test('the tRPC example runs', async () => {
  const acme = await company();
  const env = { ...process.env, SERVER: url, API_KEY: acme.key };
  const { stdout } = await promisify(execFile)(process.execPath, ['docs/examples/trpc-client.ts'], { cwd: root, env });
  expect(stdout).toBe('Cloud Ltd is inactive, by Integration of Acme\n');
  expect(await acme.vendor.list()).toMatchObject([{ name: 'Cloud Ltd', status: 'inactive' }]);
});

test('the README lists every REST operation', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  for (const { method, template } of routesOf(appRouter)) expect(readme).toContain(`\`${method} ${template}\``);
});

test('no installed package has a known hole', async () => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const atLeast: Record<string, string> = {
    '@trpc/server': '11.8.0',
    koa: '3.1.2',
    '@mikro-orm/core': '7.1.7',
    '@mikro-orm/sql': '7.1.7',
    kysely: '0.28.17',
    'sanitize-html': '2.17.4',
  };
  const found = Object.entries(lock.packages).flatMap(([path, { version }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return version !== undefined && Object.hasOwn(atLeast, name) ? [{ name, version }] : [];
  });
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(Object.keys(atLeast)));
  for (const { name, version } of found) {
    const order = version.localeCompare(atLeast[name] ?? '', 'en', { numeric: true });
    expect({ name, version, order: order >= 0 }).toEqual({ name, version, order: true });
  }
});
