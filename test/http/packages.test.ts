import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const folder = await temporaryFolder();
const { url, stop } = await startApp({ packageDirectory: pathToFileURL(`${folder}/`) });
afterAll(stop);
afterEach(() => rm(join(folder, 'client.tgz'), { force: true }));

const PATH = '/packages/client.tgz';
const CONTENT = Buffer.from([0x1f, 0x8b, ...Array.from({ length: 3000 }, () => 7)]);
const cached = { 'Cache-Control': 'max-age=0' }; // fetch would send no-cache

test('without the packages a request is 404 that says what is missing, until they are built', async () => {
  const missing = await fetch(`${url}${PATH}`);
  expect(missing.status).toBe(404);
  expect(missing.headers.get('x-error-code')).toBe('not_found');
  expect(await missing.json()).toEqual({
    error: 'This installation does not have the packages. npm run build:packages makes them.',
  });
  await writeFile(join(folder, 'client.tgz'), CONTENT);
  const { status, headers, bytes } = await fetch(`${url}${PATH}`).then(async (response) => ({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: Buffer.from(await response.arrayBuffer()),
  }));
  expect(status).toBe(200);
  expect(bytes).toEqual(CONTENT);
  expect(headers).toMatchObject({
    'content-type': 'application/gzip',
    'content-length': String(CONTENT.length),
    'cache-control': 'public, no-cache',
    etag: expect.stringMatching(/^"[\da-f]{16}"$/),
  });
  expect(headers).not.toHaveProperty('content-encoding');

  const head = await fetch(`${url}${PATH}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(CONTENT.length)]);
  const known = await fetch(`${url}${PATH}`, { headers: { 'If-None-Match': headers['etag'] ?? '', ...cached } });
  expect([known.status, await known.text()]).toEqual([304, '']);
  const other = await fetch(`${url}${PATH}`, { headers: { 'If-None-Match': '"x"', ...cached } });
  expect(other.status).toBe(200);
});

test('no other file is served, and no other method', async () => {
  await writeFile(join(folder, 'secret.tgz'), CONTENT);
  for (const path of ['/packages', '/packages/', '/packages/secret.tgz', '/packages/..%2fpackage.json', `${PATH}/x`])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404]);
  const response = await fetch(`${url}${PATH}`, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
