import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';

const fixtureDirectory = join(import.meta.dirname, '../..', 'fixtures', 'secret-scanning');
const readFixture = (name: string) => readFile(join(fixtureDirectory, name));

/** A key pair made for the tests, the list that publishes it, and a report that was signed with it once. */
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

/** Serves what a listener says on a port of this machine, and counts how often it was asked. */
export async function startCountingServer(listener: RequestListener) {
  let requestCount = 0;
  const server = createServer((request, response) => {
    requestCount += 1;
    listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/keys`, asked: () => requestCount, close };
}

/** The headers with which the scanner vouches for a body. */
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
