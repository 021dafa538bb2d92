import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, test, vi } from 'vitest';
import { ApiKeyLastUsed } from '../../database/api-key/usage.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../entities/api-key/scope.ts';
import type { AppRouter } from '../../procedures/index.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { database, databaseUrl, sql, tamper } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const LIST_PATH = '/external/smart-inventory/vendor/list';

test('a new key has all scopes except webhook:manage, member:read and those of evidence and requirements, and no framework or address restriction', async () => {
  const acme = await createCompany();
  const onRequest = /^(?:webhook:manage|member:read|(?:evidence|requirement):\w+)$/;
  const scopes = SCOPES.filter((scope) => !onRequest.test(scope));
  expect(acme.apiKey).toMatchObject({ scopes, frameworks: null, cidrs: null });
});

test('a key has webhook:manage if the admin asks for it, and shows no scope that it implies', async () => {
  const { manage } = await createCompany();
  const scopes = ['audit:read', 'webhook:manage'] as const;
  const { key, ...apiKey } = await manage.apiKey.create({ name: 'Webhooks', scopes: [...scopes] });
  expect(apiKey).toMatchObject({ scopes });
  expect(await http('GET', '/external/api-key/whoami', { key })).toMatchObject({ status: 200, body: { scopes } });
});

test('permission and status changes take effect with the next request', async () => {
  const acme = await createCompany();
  const { uniqueId } = acme.apiKey;
  const status = async () => (await http('GET', LIST_PATH, { key: acme.key })).status;
  expect(await status()).toBe(200);
  await acme.manage.apiKey.update({ uniqueId, scopes: ['task:read'] });
  expect(await status()).toBe(403);
  await acme.manage.apiKey.update({ uniqueId, scopes: ['vendor:read', 'task:read'] });
  expect(await status()).toBe(200);
  await acme.manage.apiKey.update({ uniqueId, cidrs: ['10.0.0.0/8'] });
  expect(await status()).toBe(403);
  await acme.manage.apiKey.update({ uniqueId, cidrs: null });
  expect(await status()).toBe(200);
  await acme.manage.apiKey.update({ uniqueId, enabled: false });
  expect(await status()).toBe(401);
  await acme.manage.apiKey.update({ uniqueId, enabled: true });
  expect(await status()).toBe(200);
  await acme.manage.apiKey.revoke({ uniqueId });
  expect(await status()).toBe(401);
});

test('an update writes an audit event with the changed fields, and an identical update writes none', async () => {
  const acme = await createCompany();
  const { uniqueId } = acme.apiKey;
  await acme.manage.apiKey.update({
    uniqueId,
    scopes: ['task:read', 'vendor:read'],
    frameworks: [acme.framework],
    cidrs: ['10.0.0.0/8'],
  });
  await acme.manage.apiKey.update({
    uniqueId,
    scopes: ['vendor:read', 'task:read'],
    frameworks: [acme.framework, acme.framework],
    cidrs: ['10.0.0.0/8', '10.0.0.0/8'],
  });
  const [, narrowed, ...others] = await acme.events(uniqueId);
  expect(narrowed).toMatchObject({
    action: 'apiKey.update',
    changes: {
      scopes: { from: DEFAULT_SCOPES, to: ['task:read', 'vendor:read'] },
      frameworks: { from: null, to: [acme.framework] },
      cidrs: { from: null, to: ['10.0.0.0/8'] },
    },
  });
  expect(others).toEqual([]);
});

test('concurrent identical changes take effect once and write one audit event', async () => {
  const acme = await createCompany();
  const { uniqueId } = acme.apiKey;
  const revoked = await Promise.all(Array.from({ length: 10 }, () => acme.manage.apiKey.revoke({ uniqueId })));
  expect(new Set(revoked.map(({ revokedAt }) => revokedAt)).size).toBe(1);
  await Promise.all(Array.from({ length: 5 }, () => acme.manage.framework.archive({ id: acme.framework })));
  const actions = (await acme.events()).map(({ action }) => action);
  expect(actions.filter((action) => action === 'apiKey.revoke')).toHaveLength(1);
  expect(actions.filter((action) => action === 'framework.update')).toHaveLength(1);
});

describe('rotation', () => {
  test('replaces the secret of the key, and without an overlap the old secret stops working immediately', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    await acme.vendor.create({ name: 'Before' });
    const { key, ...rotated } = await acme.manage.apiKey.rotate({ uniqueId });
    const { start: _, last4, lastUsedAt: __, rotatedUntil: ___, ...unchanged } = acme.apiKey;
    expect(rotated).toMatchObject({ ...unchanged, start: key.slice(0, 16), last4: key.slice(-4) });
    expect(rotated.last4).not.toBe(last4);
    expect(await http('GET', LIST_PATH, { key: acme.key })).toMatchObject({
      status: 401,
      headers: { 'x-error-code': 'unauthorized' },
    });
    const response = await http('GET', LIST_PATH, { key });
    expect(response).toMatchObject({ status: 200, body: [{ name: 'Before' }] });
    expect(response.headers).not.toHaveProperty('x-api-key-rotated');
    const event = (await acme.events(uniqueId)).at(-1);
    expect(event).toMatchObject({ action: 'apiKey.rotate', changes: { last4: { from: last4, to: rotated.last4 } } });
    expect(event?.changes).not.toHaveProperty('hash');
    expect(event?.changes).not.toHaveProperty('previous_hash');
    expect(JSON.stringify(event)).not.toMatch(/svc_sk_live_\w{5}/);
  });

  test('with an overlap keeps the old secret valid until the overlap ends, with a warning header', async () => {
    const acme = await createCompany();
    const { key, rotatedUntil } = await acme.manage.apiKey.rotate({
      uniqueId: acme.apiKey.uniqueId,
      overlapSeconds: 1,
    });
    const old = await http('GET', LIST_PATH, { key: acme.key });
    expect(old).toMatchObject({ status: 200, headers: { 'x-api-key-rotated': rotatedUntil } });
    const trpc = await http('GET', '/trpc/vendor.list', { key: acme.key });
    expect(trpc).toMatchObject({ status: 200, headers: { 'x-api-key-rotated': rotatedUntil } });
    expect((await http('GET', LIST_PATH, { key })).headers).not.toHaveProperty('x-api-key-rotated');
    await expect
      .poll(async () => (await http('GET', LIST_PATH, { key: acme.key })).status, { timeout: 120_000 })
      .toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(new Date(rotatedUntil ?? '').getTime());
    expect((await http('GET', LIST_PATH, { key })).status).toBe(200);
  });

  test('warns with the expiry of the key if the key expires before the overlap ends', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    await acme.manage.apiKey.update({ uniqueId, expiresAt });
    await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 3600 });
    const { headers } = await http('GET', LIST_PATH, { key: acme.key });
    expect(headers).toMatchObject({ 'x-api-key-rotated': expiresAt, 'x-api-key-expires': expiresAt });
  });

  test('gives both secrets the status of the key', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const { key } = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 3600 });
    const statuses = async () => [
      (await http('GET', LIST_PATH, { key: acme.key })).status,
      (await http('GET', LIST_PATH, { key })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await acme.manage.apiKey.update({ uniqueId, enabled: false });
    expect(await statuses()).toEqual([401, 401]);
    await acme.manage.apiKey.update({ uniqueId, enabled: true });
    const third = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 3600 });
    expect(await statuses()).toEqual([401, 200]); // a second rotation invalidates the first secret
    expect((await http('GET', LIST_PATH, { key: third.key })).status).toBe(200);
    await acme.manage.apiKey.revoke({ uniqueId });
    expect(await statuses()).toEqual([401, 401]);
    await expect(acme.manage.apiKey.rotate({ uniqueId })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('X-API-Key-Expires', () => {
  test.for([
    [13, true],
    [15, false],
  ] as const)('is sent for a key that expires in %d days: %s', async ([days, isSent]) => {
    const acme = await createCompany();
    const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString();
    await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, expiresAt });
    for (const path of [LIST_PATH, '/external/nothing', '/trpc/vendor.list']) {
      expect((await http('GET', path, { key: acme.key })).headers['x-api-key-expires']).toBe(
        isSent ? expiresAt : undefined,
      );
    }
  });
});

describe('whoami', () => {
  test('returns the record of any key, without its secret', async () => {
    const acme = await createCompany();
    const { key, ...record } = await acme.manage.apiKey.create({
      name: 'Narrow',
      scopes: ['audit:read'],
      frameworks: [acme.framework],
    });
    const response = await http('GET', '/external/api-key/whoami', { key });
    expect(response).toMatchObject({ status: 200, body: { ...record, lastUsedAt: null } });
    expect(response.text).not.toContain(key);
    expect(await http('POST', '/external/api-key/whoami', { key })).toMatchObject({ status: 405 });
  });

  test('returns the same record from a prepared statement as management returns from the ORM', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    await acme.manage.apiKey.update({ uniqueId, cidrs: ['127.0.0.0/8'], expiresAt: '2999-12-31T23:59:59.9Z' });
    const { key } = await acme.manage.apiKey.rotate({ uniqueId, overlapSeconds: 60 });
    await tamper(
      `update api_key set leaked_at = '2026-01-31 12:00:00.05+00', leaked_url = 'https://example.com/leak',
       last_used_at = date_trunc('minute', now()) where unique_id = '${uniqueId}'`,
    );
    const orm = vi.spyOn(database, 'entityManager');
    const { body } = await http('GET', '/external/api-key/whoami', { key });
    expect(orm).not.toHaveBeenCalled();
    orm.mockRestore();
    const record = await acme.manage.apiKey.get({ uniqueId });
    expect(Object.values(record)).not.toContain(undefined);
    expect(record).toMatchObject({ leakedAt: '2026-01-31T12:00:00.050Z', expiresAt: '2999-12-31T23:59:59.900Z' });
    expect(body).toEqual({ ...record, timeZone: 'UTC' });
  });
});

describe('lastUsedAt', () => {
  const storedLastUsedAt = async (uniqueId: string) =>
    (await sql<{ at: string | null }>('select last_used_at as at from api_key where unique_id = $1', uniqueId))[0]?.at;

  test('is written in a batch, truncated to the minute, without an audit event', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const events = await acme.events();
    const before = Math.floor(Date.now() / 60_000);
    await http('GET', LIST_PATH, { key: acme.key });
    await http('GET', LIST_PATH, { key: acme.key });
    expect(await storedLastUsedAt(uniqueId)).toBeNull();
    await database.apiKeyLastUsed.flush();
    const minute = new Date((await storedLastUsedAt(uniqueId)) ?? '').getTime() / 60_000;
    expect([before, before + 1]).toContain(minute);
    expect(await acme.events()).toEqual(events);
    expect((await acme.manage.apiKey.get({ uniqueId })).lastUsedAt).toBe(new Date(minute * 60_000).toISOString());
  });

  test('is written at most once per minute and key', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    const usage = new ApiKeyLastUsed(database);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:30Z') });
    usage.record(acme.id, uniqueId);
    await usage.flush();
    await sql('update api_key set last_used_at = null where unique_id = $1', uniqueId);
    for (let request = 0; request < 5; request++) usage.record(acme.id, uniqueId);
    await usage.flush();
    expect(await storedLastUsedAt(uniqueId)).toBeNull();
    vi.setSystemTime(new Date('2026-11-21T12:01:00Z'));
    usage.record(acme.id, uniqueId);
    await usage.flush();
    expect(new Date((await storedLastUsedAt(uniqueId)) ?? '').toISOString()).toBe('2026-11-21T12:01:00.000Z');
    vi.useRealTimers();
  });
});

describe.runIf(databaseUrl !== undefined)('another process on the same database (PostgreSQL only)', () => {
  test('applies a key change within a second of the commit', async () => {
    const settings = { DATABASE_URL: databaseUrl ?? '', DATA_DIR: await temporaryFolder(), OPERATOR_TOKEN };
    const [local, remote] = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
    const acme = await createCompany();
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(acme.id) };
    const { management } = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${local.url}/trpc`, headers })] });
    const { uniqueId } = acme.apiKey;
    const status = async () =>
      (await fetch(`${remote.url}${LIST_PATH}`, { headers: { 'X-API-Key': acme.key } })).status;
    const lags: number[] = [];
    for (let round = 0; round < 10; round++) {
      await vi.waitUntil(async () => (await status()) === 200, { timeout: 120_000 });
      const disabled = management.apiKey.update.mutate({ uniqueId, enabled: false }).then(() => performance.now());
      let accepted = 0;
      while ((await status()) === 200) accepted = performance.now();
      lags.push(Math.max(0, accepted - (await disabled)));
      await management.apiKey.update.mutate({ uniqueId, enabled: true });
    }
    process.stdout.write(`maximum time for which a disabled key was accepted: ${Math.max(...lags).toFixed(1)} ms\n`);
    expect(Math.max(...lags)).toBeLessThan(1000);
    expect(await Promise.all([stopServiceProcess(local), stopServiceProcess(remote)])).toEqual([0, 0]);
  });

  test('applies a key change within a second without notifications', async () => {
    const acme = await createCompany();
    const notListening = await openPostgreSql(databaseUrl ?? '');
    const { apiKey } = createAuthentication(notListening, OPERATOR_TOKEN);
    const authenticate = () => apiKey({ headers: { 'x-api-key': acme.key }, address: null, requestId: 'cached' });
    await authenticate();
    await acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId });
    const committed = performance.now();
    expect(await authenticate()).toBeDefined(); // the key is cached
    await vi.waitUntil(
      () =>
        authenticate().then(
          () => false,
          () => true,
        ),
      { timeout: 2000, interval: 5 },
    );
    expect(performance.now() - committed).toBeLessThan(1000);
    await notListening.close();
  });
});

test('at most 10,000 keys wait for their lastUsedAt while the database is down', async () => {
  const sizes: number[] = [];
  const usage = new ApiKeyLastUsed({
    run: (_statement, input) => {
      sizes.push(Object.values(input)[0].length);
      return Promise.reject(new Error('down'));
    },
  });
  for (let round = 0; round < 3; round++) {
    for (let key = 0; key < 12_000; key++) usage.record(1, `${round} ${key}`);
    const flushed = usage.flush();
    for (let key = 0; key < 12_000; key++) usage.record(1, `${round} later ${key}`);
    await flushed;
  }
  expect(sizes).toEqual([10_000, 10_000, 10_000]);
});
