import { generateKeyPairSync } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import { recordSigningKey } from '../../entities/signing-key/signing-key.ts';
import { createSigning } from '../../procedures/core/signing.ts';
import { database } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { services } from '../support/tenants/member.ts';

const PATH = '/.well-known/signing-keys.json';

/** Makes a key and records it, as a process does at its start and at a rotation. */
async function recordKey() {
  const key = createSigning(generateKeyPairSync('ed25519').privateKey);
  await new Session(database, null, 'signing-keys').run(recordSigningKey, key);
  return key;
}

const signing = { current: await recordKey() };
const { ask, stop } = await startApp({ services: { ...services, signing } });
afterAll(stop);
const run = vi.spyOn(database, 'run');

const queries = () => run.mock.calls.filter(([{ name }]) => name === 'signing-key.list').length;
const keyIds = async () => {
  const { keys } = (await (await ask(PATH)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

test('the keys cost at most one query a second, however many ask', async () => {
  const start = performance.now();
  const before = queries();
  const requests = 200;
  const texts = await Promise.all(Array.from({ length: requests }, async () => (await ask(PATH)).text()));
  const seconds = Math.ceil((performance.now() - start) / 1000);
  expect(queries() - before).toBeLessThanOrEqual(1 + seconds);
  expect(queries() - before).toBeLessThan(requests);
  expect(new Set(texts).size).toBe(1);
});

test('a client that has the keys gets 304', async () => {
  const cached = { 'Cache-Control': 'max-age=0' }; // fetch would send no-cache

  const { headers } = await ask(PATH);
  const entityTag = headers.get('etag') ?? '';
  expect(entityTag).toMatch(/^"[\da-f]{16}"$/);
  const known = await ask(PATH, { 'If-None-Match': entityTag, ...cached });
  expect([known.status, await known.text(), known.headers.get('cache-control')]).toEqual([
    304,
    '',
    'public, max-age=300',
  ]);
  expect((await ask(PATH, { 'If-None-Match': '"x"', ...cached })).status).toBe(200);
});

test('a key with which this process signs from now on shows at once, and that of another process soon', async () => {
  expect(await keyIds()).toContain(signing.current.keyId);
  const { keyId: former } = signing.current;
  signing.current = await recordKey();
  expect(await keyIds()).toEqual(expect.arrayContaining([signing.current.keyId, former]));
  const other = await recordKey();
  await expect.poll(keyIds, { timeout: 10_000 }).toContain(other.keyId);
});

test('an error of the database is not kept', async () => {
  await expect
    .poll(
      async () => {
        run.mockRejectedValueOnce(new Error('no database'));
        return (await ask(PATH)).status;
      },
      { timeout: 10_000 },
    )
    .toBe(500);
  run.mockReset();
  expect((await ask(PATH)).status).toBe(200);
});
