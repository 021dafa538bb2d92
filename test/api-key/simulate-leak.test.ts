import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { startApp } from '../support/http/app.ts';
import { url as urlWithoutReceiver } from '../support/http/server.ts';
import { findFreePort } from '../support/http/listen.ts';
import { startCountingServer } from '../support/servers/secret-scanner.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';

const root = join(import.meta.dirname, '../..');

const port = await findFreePort();
const keysUrl = `http://127.0.0.1:${port}/keys`;
const { url, stop } = await startApp({ secretScanningKeysUrl: keysUrl });
afterAll(stop);

/** Runs the command in a separate process. */
async function runSimulateLeak(args: string[], settings: Record<string, string> = {}) {
  const env = { ...process.env, OPERATOR_TOKEN, SECRET_SCANNING_KEYS_URL: keysUrl, ...settings };
  try {
    const output = await promisify(execFile)(process.execPath, ['cli/simulate-leak.ts', ...args], { cwd: root, env });
    return { code: 0, ...output };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test('the command reports a key, and prints the verdict and the new status of the key', async () => {
  const acme = await createCompany();
  const { uniqueId, start } = acme.apiKey;
  for (const branch of ['a', 'b']) {
    const result = await runSimulateLeak([
      acme.key,
      '--server',
      url,
      '--url',
      `https://github.com/o/r/blob/${branch}/.env`,
    ]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.split('\n')).toEqual([
      `Reported   ${start}…, found at https://github.com/o/r/blob/${branch}/.env`,
      'Response   true_positive',
      expect.stringMatching(
        new RegExp(`^The key    Integration of Acme \\(${uniqueId}\\) of Acme: disabled, leaked, reported 20.*Z$`),
      ),
      '',
    ]);
  }
  expect(await acme.manage.apiKey.get({ uniqueId })).toMatchObject({
    enabled: false,
    leakedUrl: 'https://github.com/o/r/blob/b/.env',
  });
});

/** Starts a server that trusts the key of another scanner. */
async function startDistrustingServer() {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const list = {
    public_keys: [
      { key_identifier: 'other', key: publicKey.export({ type: 'spki', format: 'pem' }), is_current: true },
    ],
  };
  const scanner = await startCountingServer((_, response) => response.end(JSON.stringify(list)));
  onTestFinished(scanner.close);
  const distrusting = await startApp({ secretScanningKeysUrl: scanner.url });
  onTestFinished(distrusting.stop);
  return distrusting.url;
}

test('an error is printed in one line', async () => {
  const distrustingUrl = await startDistrustingServer();
  const key = generateRawKey();
  const start = `start the server with SECRET_SCANNING_KEYS_URL=${keysUrl}`;
  const cases = [
    [await runSimulateLeak([]), 'npm run simulate-leak -- <key> [--server <url>] [--url <where it was found>]'],
    [
      await runSimulateLeak(['svc_sk_live_x']),
      'key: expected an API key of this service, with a valid format and checksum',
    ],
    [
      await runSimulateLeak([key, '--server', 'http://127.0.0.1:1']),
      'no server at http://127.0.0.1:1; use --server or PORT',
    ],
    [
      await runSimulateLeak([key, '--server', urlWithoutReceiver]),
      `the endpoint for leak reports is disabled: ${start}`,
    ],
    [await runSimulateLeak([key, '--server', distrustingUrl]), `the server trusts another scanner: ${start}`],
    [
      await runSimulateLeak([key, '--server', url], { SECRET_SCANNING_KEYS_URL: 'https://127.0.0.1/keys' }),
      'SECRET_SCANNING_KEYS_URL: expected an http:// URL for a simulation, like http://127.0.0.1:9797/keys',
    ],
  ] as const;
  for (const [result, line] of cases) expect(result).toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` });
  const unknown = await runSimulateLeak([key, '--server', url]);
  expect(unknown.stdout).toMatch(/\nResponse {3}false_positive\nThe key {4}not a key of any company\n$/);
});
