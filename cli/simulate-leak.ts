import { createECDH, createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { parseArgs } from 'node:util';
import { createTRPCClient, httpLink } from '@trpc/client';
import { z } from 'zod';
import { keyPreview, isRawKey } from '../entities/api-key/raw-key.ts';
import type { AppRouter } from '../procedures/index.ts';
import { ConfigError, loadSettings } from '../server/config/settings.ts';
import { readOperatorToken, tokenSourceOf } from '../server/config/data-dir.ts';
import { call, serverOf, trpcLinkTo, unexpected } from './remote.ts';
import { REPORTS_PATH } from '../server/secret-scanning/route.ts';

const USAGE = 'npm run simulate-leak -- <key> [--server <url>] [--url <where it was found>]';
const KEYS_URL = 'http://127.0.0.1:9797/keys';

const Verdicts = z.array(z.object({ label: z.string() }));

/** Simulates a secret scanner that found a key: publishes a public key, sends a signed report, and prints the result. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { server: { type: 'string' }, url: { type: 'string' } },
  });
  // Generates a new URL for each run: the server ignores a report of a known URL.
  const url = values.url ?? `https://github.com/octocat/hello-world/blob/${randomBytes(20).toString('hex')}/.env`;
  const [key] = positionals;
  if (key === undefined || positionals.length > 1) throw new ConfigError(USAGE);
  if (!isRawKey(key))
    throw new ConfigError('key: expected an API key of this service, with a valid format and checksum');
  const server = serverOf(values.server, settings);
  const keysUrl = new URL(settings.secretScanningKeysUrl ?? KEYS_URL);
  if (keysUrl.protocol !== 'http:')
    throw new ConfigError(`SECRET_SCANNING_KEYS_URL: expected an http:// URL for a simulation, like ${KEYS_URL}`);
  const token = await readOperatorToken(settings);
  const scanner = createScanner(token);
  const keyServer = await servePublicKeys(scanner, keysUrl);
  try {
    const label = await sendReport(scanner, server, keysUrl.href, { key, url });
    process.stdout.write(`Reported   ${keyPreview(key).start}…, found at ${url}\nResponse   ${label}\n`);
    process.stdout.write(`The key    ${await describeKey(key, server, { token, source: tokenSourceOf(settings) })}\n`);
  } finally {
    keyServer.closeAllConnections();
    keyServer.close();
  }
}

interface Scanner {
  identifier: string;
  privateKey: KeyObject;
  publicPem: string;
}

/** Derives the key pair from the operator token. It is the same in each run, so the server's cached key list stays valid. */
function createScanner(token: string): Scanner {
  const secret = createHash('sha256').update(`simulate-leak ${token}`).digest();
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = (start: number, end: number) => pair.getPublicKey().subarray(start, end).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: point(1, 33), y: point(33, 65), d: secret.toString('base64url') };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  return { identifier: createHash('sha256').update(publicPem).digest('hex'), privateKey, publicPem };
}

async function servePublicKeys({ identifier, publicPem }: Scanner, { hostname, port }: URL): Promise<Server> {
  const list = { public_keys: [{ key_identifier: identifier, key: publicPem, is_current: true }] };
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(list));
  });
  try {
    await once(server.listen(Number(port || 80), hostname), 'listening');
  } catch (cause) {
    throw new ConfigError(`${hostname}:${port || 80}: the port for the list of public keys is in use`, {
      cause,
    });
  }
  return server;
}

/**
 * Sends a report of one finding.
 * @returns the label in the response
 */
async function sendReport(scanner: Scanner, server: string, keysUrl: string, finding: { key: string; url: string }) {
  const { key: token, url } = finding;
  const body = JSON.stringify([{ token, type: 'compliance_api_key', url, source: 'content' }]);
  const headers = {
    'Content-Type': 'application/json',
    'Github-Public-Key-Identifier': scanner.identifier,
    'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), scanner.privateKey).toString('base64'),
  };
  const response = await call(server, REPORTS_PATH, { method: 'POST', headers, body });
  const hint = `start the server with SECRET_SCANNING_KEYS_URL=${keysUrl}`;
  const responseBody: unknown = await response.json().catch(() => undefined);
  const verdicts = Verdicts.safeParse(responseBody);
  if (response.ok && verdicts.success) return verdicts.data[0]?.label ?? 'nothing';
  const isOurs = response.headers.has('X-Error-Code');
  if (isOurs && response.status === 404) throw new ConfigError(`the endpoint for leak reports is disabled: ${hint}`);
  if (isOurs && response.status === 403) throw new ConfigError(`the server trusts another scanner: ${hint}`);
  throw unexpected(server, response, responseBody);
}

/** Describes the key as management shows it. Finds it by its first and last characters. */
async function describeKey(
  key: string,
  server: string,
  { token, source }: { token: string; source: string },
): Promise<string> {
  const { start, last4 } = keyPreview(key);
  const managementClient = (company: Record<string, string>) => {
    const headers = { Authorization: `Bearer ${token}`, ...company };
    return createTRPCClient<AppRouter>({ links: [httpLink({ ...trpcLinkTo(server, source), headers })] }).management;
  };
  const companies = (await managementClient({}).company.list.query()).filter((one) => 'name' in one);
  for (const { id, name } of companies.filter(({ closedAt, movedTo }) => closedAt === null && movedTo === null)) {
    const keys = await managementClient({ 'X-Company-Id': String(id) }).apiKey.list.query();
    const matchingKey = keys.find((apiKey) => apiKey.start === start && apiKey.last4 === last4);
    if (matchingKey === undefined) continue;
    const leaked = matchingKey.leakedAt === null ? 'no leak reported' : `leaked, reported ${matchingKey.leakedAt}`;
    return `${matchingKey.name} (${matchingKey.uniqueId}) of ${name}: ${matchingKey.enabled ? 'enabled' : 'disabled'}, ${leaked}`;
  }
  return 'not a key of any company';
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
