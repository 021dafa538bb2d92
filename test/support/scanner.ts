import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'fixtures', 'secret-scanning');
const read = (name: string) => readFile(join(folder, name));

/** A key pair made for the tests, the list that publishes it, and a report that was signed with it once. */
export const fixture = {
  privateKey: createPrivateKey(await read('private-key.pem')),
  list: (await read('keys.json')).toString(),
  body: await read('report.body'),
  signature: (await read('signature.txt')).toString().trim(),
};

const [published] = (JSON.parse(fixture.list) as { public_keys: { key_identifier: string; key: string }[] })
  .public_keys;
export const identifier = published?.key_identifier ?? '';

/** Serves what a listener says on a port of this machine, and counts how often it was asked. */
export async function serve(listener: RequestListener) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/keys`, asked: () => asked, close };
}

/** The headers with which the scanner vouches for a body. */
export const vouched = (body: string | Buffer) => ({
  'Content-Type': 'application/json',
  'Github-Public-Key-Identifier': identifier,
  'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), fixture.privateKey).toString('base64'),
});

export const finding = (token: unknown, url: unknown = 'https://github.com/o/r/blob/main/.env') => ({
  token,
  type: 'compliance_api_key',
  url,
  source: 'content',
});
