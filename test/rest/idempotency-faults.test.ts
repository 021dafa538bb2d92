import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lockIdempotencyKey } from '../../entities/statements/idempotency-record.ts';
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

/** Creates a vendor under a name, and gives nothing where no answer comes. */
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

async function listVendorNames(baseUrl: string, key: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': key } });
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
}

test('a request whose answer is lost on the way is repeated without a second effect', async () => {
  const acme = await createCompany();
  let losses = 2;
  const proxy = await startFaultyProxy(url, () => (losses-- > 0 ? 'lost' : 'none'));
  expect(await createVendor(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await createVendor(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await createVendor(proxy.url, acme.key, 'lost')).toMatchObject({ status: 201, isReplay: true });
  expect(await acme.vendor.list()).toHaveLength(1);
  proxy.stop();
});

test('a service that is killed in the midst of requests leaves each whole or not at all', async () => {
  const settings = {
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    OPERATOR_TOKEN,
    DATA_DIR: folder,
  };
  const first = await startServiceProcess(settings);
  const key =
    databaseUrl === undefined ? (/svc_sk_live_\w+/.exec(first.output)?.[0] ?? '') : (await createCompany()).key;
  const names = Array.from({ length: 60 }, (_, number) => `vendor ${String(number).padStart(2, '0')}`);
  const before = Promise.all(
    names.map(async (name, number) => wait(number * 4).then(() => createVendor(first.url, key, name))),
  );
  await wait(120);
  await stopServiceProcess(first, 'SIGKILL');
  const answered = await before;
  const second = await startServiceProcess(settings);
  const after = await Promise.all(names.map((name) => createVendor(second.url, key, name)));
  expect(after.map((tried) => tried?.status)).toEqual(names.map(() => 201));
  for (const [index, tried] of answered.entries())
    if (tried !== undefined) expect(after[index]).toEqual({ ...tried, isReplay: true });
  expect(answered).toContain(undefined);
  expect(await listVendorNames(second.url, key)).toEqual(names);
  await stopServiceProcess(second);
}, 60_000);

test.runIf(databaseUrl !== undefined)(
  'two processes on one database carry a request out once (PostgreSQL only)',
  async () => {
    const acme = await createCompany();
    const settings = { DATABASE_URL: databaseUrl ?? '', OPERATOR_TOKEN, DATA_DIR: folder };
    const processes = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
    for (let round = 0; round < 5; round++) {
      const tries = processes.flatMap(({ url: at }) =>
        Array.from({ length: 10 }, () => createVendor(at, acme.key, `round ${round}`)),
      );
      const answers = await Promise.all(tries);
      const done = answers.filter((answer) => answer?.status === 201);
      expect(answers.every((answer) => answer?.status === 201 || answer?.status === 409)).toBe(true);
      expect(done.filter((answer) => answer?.isReplay === false)).toHaveLength(1);
      expect(new Set(done.map((answer) => answer?.uniqueId)).size).toBe(1);
    }
    expect(await acme.vendor.list()).toHaveLength(5);
    expect((await acme.events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(5);
    await Promise.all(processes.map((started) => stopServiceProcess(started)));
  },
  60_000,
);

test.runIf(databaseUrl !== undefined)(
  'while another process carries it out a request is 409 with Retry-After, at once (PostgreSQL only)',
  async () => {
    const acme = await createCompany();
    const other = await openPostgreSql(databaseUrl ?? '');
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // As another process would have it: the name is claimed, and the vendor's row is not there yet.
    const headers = { 'Idempotency-Key': 'elsewhere' };
    const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
    const holding = new Session(other, principal, 'other').transaction(async (inside) => {
      expect(await inside.one(lockIdempotencyKey, { keyHash: hash('sha256', 'elsewhere', 'buffer') })).toEqual({
        acquired: true,
      });
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const ask = () => http('POST', CREATE_PATH, { key: acme.key, headers, body: { name: 'x' } });
    expect(await ask()).toMatchObject({
      status: 409,
      headers: { 'retry-after': '1', 'x-error-code': 'idempotency_conflict' },
    });
    ended.resolve();
    await holding;
    expect((await ask()).status).toBe(201);
    await other.close();
  },
);

test.runIf(databaseUrl !== undefined)(
  'a database that is lost at COMMIT is 503, and the repetition tells what became of it (PostgreSQL only)',
  async () => {
    const acme = await createCompany();
    const way = await startCommitLossProxy(databaseUrl ?? '');
    const apart = await openPostgreSql(way.url, { maxConnections: 2 });
    const at = await startServer(apart);
    for (const name of ['first', 'second', 'third', 'fourth']) {
      way.loseNextCommit();
      expect(await createVendor(at, acme.key, name)).toMatchObject({ status: 503 });
      expect(await createVendor(at, acme.key, name)).toMatchObject({ status: 201, isReplay: true });
    }
    expect((await acme.vendor.list()).map(({ name }) => name)).toEqual(['first', 'fourth', 'second', 'third']);
    await apart.close();
    way.stop();
  },
);

test.runIf(databaseUrl !== undefined)(
  'a connection that dies inside a transaction gives its place in the pool back (PostgreSQL only)',
  async () => {
    const acme = await createCompany();
    const apart = await openPostgreSql(databaseUrl ?? '', { maxConnections: 2 });
    const session = new Session(apart, operatorPrincipal(acme.id), 'faults');
    const pid = defineStatement<object, { pid: number }>('faults.pid', 'select pg_backend_pid() as pid');
    for (let kills = 0; kills < 6; kills++) {
      const doomed = session.transaction(async (inside) => {
        const [row] = await inside.run(pid, {});
        await sql('select pg_terminate_backend($1)', row?.pid);
        await inside.run(pid, {});
      });
      await expect(doomed).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(await session.transaction(async (inside) => inside.run(pid, {}))).toHaveLength(1);
    await apart.close();
  },
);
