import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { OPERATOR_TOKEN } from '../support/http/client.ts';
import { url } from '../support/http/server.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { createCompany } from '../support/tenants/company.ts';

const folder = await mkdtemp(join(tmpdir(), 'demo-'));
afterAll(() => rm(folder, { recursive: true }));

const create = (...args: string[]) =>
  runProgram('cli/manage.ts', ['demo', 'create', '--server', url, ...args], { OPERATOR_TOKEN, DATA_DIR: folder });

test('the command creates a company beside others, shows its secrets once, and rejects the name a second time', async () => {
  const acme = await createCompany();
  const name = `Bolt & Söhne ${newUniqueId()}`;
  const { code, stdout, stderr } = await create('--company', name);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const made: unknown = JSON.parse(stdout);
  expect(made).toMatchObject({
    name,
    appUrl: 'http://localhost',
    members: [{ role: 'admin' }, { role: 'editor' }, { role: 'editor' }, { role: 'auditor' }],
    keys: [{ name: 'Ticket sync' }, { name: 'Vulnerability scanner' }],
  });
  expect(stdout).toMatch(/mara\.lindqvist@bolt-sohne-[-0-9a-f]+\.example/);
  expect(Object(made).id).toBeGreaterThan(acme.id);
  const again = await create('--company', name);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toBe(`company: ${name} exists already, with the id ${Object(made).id}; choose another name\n`);
});

test('the command requires a name', async () => {
  expect(await create()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: '--company: expected the name of the company to create\n',
  });
});
