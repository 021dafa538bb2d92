import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { listen } from '../http/listen.ts';

const fixtureDirectory = join(import.meta.dirname, '../..', 'fixtures', 'secret-scanning');
const readFixture = (name: string) => readFile(join(fixtureDirectory, name));

/** A key pair for the tests, the public key list with it, and a report signed with it. */
export const fixture = {
  privateKey: createPrivateKey(await readFixture('private-key.pem')),
  publicKeysJson: (await readFixture('keys.json')).toString(),
  body: await readFixture('report.body'),
  signature: (await readFixture('signature.txt')).toString().trim(),
};

const [publishedKey] = (
  JSON.parse(fixture.publicKeysJson) as { public_keys: { key_identifier: string; key: string }[] }
).public_keys;
export const keyIdentifier = publishedKey?.key_identifier ?? '';

/** Starts a server with a request listener, and counts the requests. */
export async function startCountingServer(listener: RequestListener) {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    listener(request, response);
  });
  const { url, stop: close } = await listen(server);
  return { url: `${url}/keys`, requestCount: () => count, close };
}

/** Headers that the scanner sends with a body: content type, key identifier and signature. */
export const signatureHeaders = (body: string | Buffer) => ({
  'Content-Type': 'application/json',
  'Github-Public-Key-Identifier': keyIdentifier,
  'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), fixture.privateKey).toString('base64'),
});

export const leakFinding = (token: unknown, url: unknown = 'https://github.com/o/r/blob/main/.env') => ({
  token,
  type: 'compliance_api_key',
  url,
  source: 'content',
});
