import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { OPERATOR_TOKEN } from '../support/tenants/company.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { url } from '../support/http/server.ts';

// Commands that call the running server, and servers that are another one or none.
let folder: string;
let otherServer: Server;
let otherUrl: string;
/** The next response of the other server. */
let response: { status: number; body: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-'));
  otherServer = createServer((request, answer) => {
    request.resume();
    answer.writeHead(response.status, { 'Content-Type': 'application/json' }).end(response.body);
  });
  await once(otherServer.listen(0, '127.0.0.1'), 'listening');
  const address = otherServer.address();
  otherUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(async () => {
  otherServer.close();
  await rm(folder, { recursive: true });
});

const runCommand = (script: string, args: string[], env: Record<string, string> = {}) =>
  runProgram(script, args, {
    OPERATOR_TOKEN,
    DATA_DIR: folder,
    PORT: '1',
    SECRET_SCANNING_KEYS_URL: 'http://127.0.0.1:9823/keys',
    ...env,
  });

describe.for([
  ['manage', 'cli/manage.ts', () => ['company', 'list']],
  ['manage, with a company', 'cli/manage.ts', () => ['framework', 'list']],
  ['backup', 'cli/manage.ts', () => ['backup', 'create', join(folder, 'never.tar.gz')]],
  ['simulate-leak', 'cli/simulate-leak.ts', () => [generateRawKey()]],
] as const)('%s', ([, script, args]) => {
  test('names the address and the settings if there is no server', async () => {
    const said = await runCommand(script, args());
    const stderr = 'no server at http://127.0.0.1:1; use --server or PORT\n';
    expect(said).toMatchObject({ code: 1, stdout: '', stderr });
    const anywhere = await runCommand(script, args(), { HOST: '0.0.0.0' });
    expect(anywhere).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test.for([
    [404, '<p>Not found</p>'],
    [403, '{"error":"Forbidden"}'],
    [200, '{}'],
  ] as const)('names the status if another server responds %i %s', async ([status, body]) => {
    response = { status, body };
    const said = await runCommand(script, [...args(), '--server', `${otherUrl}/`]);
    const stderr = `${otherUrl} responded ${status} and is not this service; use --server or PORT\n`;
    expect(said).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('names the option if the address is none', async () => {
    const said = await runCommand(script, [...args(), '--server', '127.0.0.1:3000']);
    const stderr = '--server: expected a URL like http://127.0.0.1:3000\n';
    expect(said).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

test('the address may end with a slash', async () => {
  const listed = await runCommand('cli/manage.ts', ['company', 'list', '--server', `${url}/`]);
  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\[/) });
  const backup = await runCommand('cli/manage.ts', ['backup', 'create', join(folder, 'x'), '--server', `${url}/`]);
  expect(backup).toMatchObject({ code: 1, stderr: 'No such path. The paths are documented at /docs.\n' });
  const leak = await runCommand('cli/simulate-leak.ts', [generateRawKey(), '--server', `${url}/`]);
  expect(leak).toMatchObject({ code: 1, stderr: expect.stringMatching(/^the endpoint for leak reports is disabled/) });
});
