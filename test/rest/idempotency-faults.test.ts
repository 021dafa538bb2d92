import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lockIdempotencyKey } from '../../entities/idempotency-record/idempotency-record.ts';
import { test } from '../support/fixtures/test.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { databaseUrl, sql } from '../support/database/database.ts';
import { startFaultyProxy, startCommitLossProxy } from '../support/servers/faulty-proxy.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { http, startServer, url } from '../support/http/server.ts';

const folder = await mkdtemp(join(tmpdir(), 'idempotency-'));
afterAll(() => rm(folder, { recursive: true }));

const CREATE_PATH = '/external/smart-inventory/vendor/new';

interface Attempt {
  status: number;
  isReplay: boolean;
  uniqueId: string;
}

/** Creates a vendor with its name as the idempotency key. Returns undefined if no response arrives. */
async function createVendor(baseUrl: string, key: string, name: string): Promise<Attempt | undefined> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': name };
  try {
    const response = await fetch(`${baseUrl}${CREATE_PATH}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    });
    const { uniqueId } = (await response.json()) as { uniqueId: string };
    return { status: response.status, isReplay: response.headers.get('Idempotency-Replayed') === 'true', uniqueId };
  } catch {
    return undefined;
  }
}

/** Creates a vendor, and sends the request again while the service is too busy, as clients do. */
async function createVendorPatiently(baseUrl: string, key: string, name: string): Promise<Attempt | undefined> {
  let attempt = await createVendor(baseUrl, key, name);
  while (attempt?.status === 503) {
    await wait(1000);
    attempt = await createVendor(baseUrl, key, name);
  }
  return attempt;
}

async function listVendorNames(baseUrl: string, key: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': key } });
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
}

test('a retry after a lost response has no second effect', async ({ acme }) => {
  let losses = 2;
  const proxy = await startFaultyProxy(url, () => (losses-- > 0 ? 'lost' : 'none'));
  expect(await createVendor(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await createVendor(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await createVendor(proxy.url, acme.key, 'lost')).toMatchObject({ status: 201, isReplay: true });
  expect(await acme.vendor.list()).toHaveLength(1);
  proxy.stop();
});

test('a service killed during requests has executed each of them completely or not at all', async () => {
  const settings = {
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    OPERATOR_TOKEN,
    DATA_DIR: folder,
  };
  const first = await startServiceProcess(settings);
  const key =
    databaseUrl === undefined ? (/svc_sk_live_\w+/.exec(first.output)?.[0] ?? '') : (await createCompany()).key;
  const names = Array.from({ length: 60 }, (_, number) => `vendor ${String(number).padStart(2, '0')}`);
  const attempts = Promise.all(
    names.map(async (name, number) => wait(number * 4).then(() => createVendor(first.url, key, name))),
  );
  await wait(120);
  await stopServiceProcess(first, 'SIGKILL');
  const before = await attempts;
  const second = await startServiceProcess(settings);
  const after = await Promise.all(names.map((name) => createVendorPatiently(second.url, key, name)));
  expect(after.map((attempt) => attempt?.status)).toEqual(names.map(() => 201));
  for (const [index, attempt] of before.entries())
    if (attempt?.status === 201) expect(after[index]).toEqual({ ...attempt, isReplay: true });
  expect(before).toContain(undefined);
  expect(before.every((attempt) => attempt === undefined || [201, 503].includes(attempt.status))).toBe(true);
  expect(await listVendorNames(second.url, key)).toEqual(names);
  await stopServiceProcess(second);
});

test.runIf(databaseUrl !== undefined)(
  'two processes on one database execute a request once (PostgreSQL only)',
  async ({ acme }) => {
    const settings = { DATABASE_URL: databaseUrl ?? '', OPERATOR_TOKEN, DATA_DIR: folder };
    const processes = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
    for (let round = 0; round < 5; round++) {
      const attempts = processes.flatMap(({ url: baseUrl }) =>
        Array.from({ length: 10 }, () => createVendor(baseUrl, acme.key, `round ${round}`)),
      );
      const responses = await Promise.all(attempts);
      const created = responses.filter((response) => response?.status === 201);
      expect(responses.every((response) => response?.status === 201 || response?.status === 409)).toBe(true);
      expect(created.filter((response) => response?.isReplay === false)).toHaveLength(1);
      expect(new Set(created.map((response) => response?.uniqueId)).size).toBe(1);
    }
    expect(await acme.vendor.list()).toHaveLength(5);
    expect((await acme.events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(5);
    await Promise.all(processes.map((started) => stopServiceProcess(started)));
  },
);

test.runIf(databaseUrl !== undefined)(
  'a request in progress in another process is rejected at once with 409 and Retry-After (PostgreSQL only)',
  async ({ acme }) => {
    const other = await openPostgreSql(databaseUrl ?? '');
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // Simulates another process: it holds the lock on the idempotency key, and has not inserted the vendor yet.
    const headers = { 'Idempotency-Key': 'elsewhere' };
    const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
    const holding = new Session(other, principal, 'other').transaction(async (transactionSession) => {
      expect(
        await transactionSession.one(lockIdempotencyKey, { keyHash: hash('sha256', 'elsewhere', 'buffer') }),
      ).toEqual({
        acquired: true,
      });
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const createOnce = () => http('POST', CREATE_PATH, { key: acme.key, headers, body: { name: 'x' } });
    expect(await createOnce()).toMatchObject({
      status: 409,
      headers: { 'retry-after': '1', 'x-error-code': 'idempotency_conflict' },
    });
    ended.resolve();
    await holding;
    expect((await createOnce()).status).toBe(201);
    await other.close();
  },
);

test.runIf(databaseUrl !== undefined)(
  'a connection lost at COMMIT returns 503, and a retry returns the committed response (PostgreSQL only)',
  async ({ acme }) => {
    const proxy = await startCommitLossProxy(databaseUrl ?? '');
    const faultyDatabase = await openPostgreSql(proxy.url, { maxConnections: 2 });
    const baseUrl = await startServer(faultyDatabase);
    for (const name of ['first', 'second', 'third', 'fourth']) {
      proxy.loseNextCommit();
      expect(await createVendor(baseUrl, acme.key, name)).toMatchObject({ status: 503 });
      expect(await createVendor(baseUrl, acme.key, name)).toMatchObject({ status: 201, isReplay: true });
    }
    expect((await acme.vendor.list()).map(({ name }) => name)).toEqual(['first', 'fourth', 'second', 'third']);
    await faultyDatabase.close();
    proxy.stop();
  },
);

test.runIf(databaseUrl !== undefined)(
  'a connection that breaks inside a transaction is released from the pool (PostgreSQL only)',
  async ({ acme }) => {
    const faultyDatabase = await openPostgreSql(databaseUrl ?? '', { maxConnections: 2 });
    const session = new Session(faultyDatabase, operatorPrincipal(acme.id), 'faults');
    const pid = defineStatement<object, { pid: number }>('faults.pid', 'select pg_backend_pid() as pid');
    for (let kills = 0; kills < 6; kills++) {
      const transaction = session.transaction(async (transactionSession) => {
        const [row] = await transactionSession.run(pid, {});
        await sql('select pg_terminate_backend($1)', row?.pid);
        await transactionSession.run(pid, {});
      });
      await expect(transaction).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(await session.transaction(async (transactionSession) => transactionSession.run(pid, {}))).toHaveLength(1);
    await faultyDatabase.close();
  },
);
