import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { startApp } from '../support/http/app.ts';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

/** The next response of the other server. */
let nextResponse: { status: number; body: string };

// Commands that call the running server, a server of another program, or no server.
const folder = await temporaryFolder();
const otherServer = createServer((request, response) => {
  request.resume();
  response.writeHead(nextResponse.status, { 'Content-Type': 'application/json' }).end(nextResponse.body);
});
await once(otherServer.listen(0, '127.0.0.1'), 'listening');
const address = otherServer.address();
const otherUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
afterAll(() => void otherServer.close());

const runCommand = (script: string, args: string[], env: Record<string, string> = {}) =>
  runProgram(script, args, { OPERATOR_TOKEN, DATA_DIR: folder, PORT: '1', ...env });

describe.for([
  ['manage', 'cli/manage.ts', () => ['company', 'list']],
  ['manage, with a company', 'cli/manage.ts', () => ['framework', 'list']],
  ['backup', 'cli/manage.ts', () => ['backup', 'create', join(folder, 'never.tar.gz')]],
] as const)('the command %s', ([, script, args]) => {
  test('names the address and the settings if there is no server', async () => {
    const result = await runCommand(script, args());
    const stderr = 'no server at http://127.0.0.1:1; use --server or PORT\n';
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
    const wildcardHost = await runCommand(script, args(), { HOST: '0.0.0.0' });
    expect(wildcardHost).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test.for([
    [404, '<p>Not found</p>'],
    [403, '{"error":"Forbidden"}'],
    [200, '{}'],
  ] as const)('names the status if another server responds %i %s', async ([status, body]) => {
    nextResponse = { status, body };
    const result = await runCommand(script, [...args(), '--server', `${otherUrl}/`]);
    const stderr = `${otherUrl} responded ${status} and is not this service; use --server or PORT\n`;
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('names the option if the address is not a URL', async () => {
    const result = await runCommand(script, [...args(), '--server', '127.0.0.1:3000']);
    const stderr = '--server: expected a URL like http://127.0.0.1:3000\n';
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

describe('a command whose operator token the server does not accept', () => {
  const wrong = 'x'.repeat(32);

  test.for([
    ['company', 'list'],
    ['backup', 'create', 'never.tar.gz'],
  ])('names the file that it was read from: %s %s', async (args) => {
    nextResponse = { status: 401, body: '{"error":"The key is invalid."}' };
    const dataDir = await temporaryFolder();
    const file = join(dataDir, 'operator-token');
    await writeFile(file, wrong, { mode: 0o600 });
    const settings = { DATA_DIR: dataDir, OPERATOR_TOKEN: '' };
    const stderr = `${file}: ${otherUrl} does not accept this operator token; set OPERATOR_TOKEN to its own\n`;
    const result = await runCommand('cli/manage.ts', [...args, '--server', otherUrl], settings);
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('names OPERATOR_TOKEN if it has the token', async () => {
    const args = ['framework', 'list', '--company', '1', '--server', url];
    const result = await runCommand('cli/manage.ts', args, { OPERATOR_TOKEN: wrong });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^OPERATOR_TOKEN: http/) });
  });
});

test('the server address may end with a slash', async () => {
  const listed = await runCommand('cli/manage.ts', ['company', 'list', '--server', `${url}/`]);
  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\[/) });
  const backup = await runCommand('cli/manage.ts', ['backup', 'create', join(folder, 'x'), '--server', `${url}/`]);
  expect(backup).toMatchObject({ code: 1, stderr: 'No such path. The paths are documented at /docs.\n' });
});

test('the operator manages members and invitations', async () => {
  const { id, framework } = await createCompany();
  const email = `${newUniqueId()}@example.com`;
  const manage = async (...args: string[]) => {
    const result = await runCommand('cli/manage.ts', [...args, '--company', String(id), '--server', url]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(result.stdout) as unknown;
  };
  const frameworks = ['--frameworks', String(framework)];
  const invited = await manage('member', 'invite', '--email', email, '--role', 'editor', ...frameworks);
  expect(invited).toMatchObject({ link: expect.stringContaining('/invitation/'), expiresAt: expect.any(String) });
  expect(await manage('invitation', 'list')).toMatchObject([{ email, role: 'editor', frameworks: [framework] }]);
  const { uniqueId } = await createMember({ id }, { role: 'editor', frameworks: [framework] });
  const member = ['--unique-id', uniqueId];
  expect(await manage('member', 'update', ...member, '--frameworks', 'null')).toMatchObject({ frameworks: null });
  expect(await manage('member', 'update', ...member, '--role', 'auditor')).toMatchObject({ role: 'auditor' });
  expect(await manage('member', 'reset-password', ...member)).toMatchObject({
    link: expect.stringContaining('/reset/'),
  });
  expect(await manage('member', 'end', ...member)).toMatchObject({ uniqueId, endedAt: expect.any(String) });
});

test('the operator lists sign-ins, also those of one member', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme);
  const ben = await createMember(acme);
  const command = ['--server', url, 'sign-in', 'list', '--company', String(acme.id), '--limit', '100'];
  const all = await runCommand('cli/manage.ts', command);
  expect(JSON.parse(all.stdout)).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ member: ann.uniqueId })]),
  });
  const ofBen = await runCommand('cli/manage.ts', [...command, '--member', ben.uniqueId]);
  expect(JSON.parse(ofBen.stdout)).toMatchObject({
    items: [{ member: ben.uniqueId, email: ben.email, event: 'signed_in', method: 'password' }],
    nextCursor: null,
  });
});

test('the rotation of encryption keys needs no company', async () => {
  await createCompany();
  await createCompany();
  const withoutKey = await startApp({});
  onTestFinished(() => withoutKey.stop());
  const result = await runCommand('cli/manage.ts', ['encryption', 'rotate', '--server', withoutKey.url]);
  const stderr = expect.stringMatching(/^ENCRYPTION_KEY: required on this server/);
  expect(result).toMatchObject({ code: 1, stdout: '', stderr });
});
