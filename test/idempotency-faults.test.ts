import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openPostgreSql } from '../entities/database/postgresql.ts';
import { Session } from '../entities/database/session.ts';
import { statement } from '../entities/database/statement.ts';
import { operatorOf } from '../entities/principal.ts';
import { claimName } from '../entities/statements/remembered-answer.ts';
import { OPERATOR_TOKEN, company } from './support/company.ts';
import { databaseUrl, sql } from './support/database.ts';
import { faultyProxy, losingCommits } from './support/faulty-proxy.ts';
import { start, stop } from './support/process.ts';
import { http, serverOn, url } from './support/server.ts';

const folder = await mkdtemp(join(tmpdir(), 'idempotency-'));
afterAll(() => rm(folder, { recursive: true }));

const NEW = '/external/smart-inventory/vendor/new';

interface Tried {
  status: number;
  isReplay: boolean;
  id: string;
}

/** Creates a vendor under a name, and gives nothing where no answer comes. */
async function attempt(at: string, key: string, name: string): Promise<Tried | undefined> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': name };
  try {
    const answer = await fetch(`${at}${NEW}`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    const { uniqueId } = (await answer.json()) as { uniqueId: string };
    return { status: answer.status, isReplay: answer.headers.get('Idempotency-Replayed') === 'true', id: uniqueId };
  } catch {
    return undefined;
  }
}

async function vendorsAt(at: string, key: string): Promise<string[]> {
  const answer = await fetch(`${at}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': key } });
  return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
}

test('a request whose answer is lost on the way is repeated without a second effect', async () => {
  const acme = await company();
  let losses = 2;
  const proxy = await faultyProxy(url, () => (losses-- > 0 ? 'lost' : 'none'));
  expect(await attempt(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await attempt(proxy.url, acme.key, 'lost')).toBeUndefined();
  expect(await attempt(proxy.url, acme.key, 'lost')).toMatchObject({ status: 201, isReplay: true });
  expect(await acme.vendor.list()).toHaveLength(1);
  proxy.stop();
});

test('a service that is killed in the midst of requests leaves each whole or not at all', async () => {
  const settings = {
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    OPERATOR_TOKEN,
    DATA_DIR: folder,
  };
  const first = await start(settings);
  const key = databaseUrl === undefined ? (/svc_sk_live_\w+/.exec(first.output)?.[0] ?? '') : (await company()).key;
  const names = Array.from({ length: 60 }, (_, number) => `vendor ${String(number).padStart(2, '0')}`);
  const before = Promise.all(
    names.map(async (name, number) => wait(number * 4).then(() => attempt(first.url, key, name))),
  );
  await wait(120);
  await stop(first, 'SIGKILL');
  const answered = await before;
  const second = await start(settings);
  const after = await Promise.all(names.map((name) => attempt(second.url, key, name)));
  expect(after.map((tried) => tried?.status)).toEqual(names.map(() => 201));
  for (const [index, tried] of answered.entries())
    if (tried !== undefined) expect(after[index]).toEqual({ ...tried, isReplay: true });
  expect(answered).toContain(undefined);
  expect(await vendorsAt(second.url, key)).toEqual(names);
  await stop(second);
}, 60_000);

test.runIf(databaseUrl !== undefined)(
  'two processes on one database carry a request out once (PostgreSQL only)',
  async () => {
    const acme = await company();
    const settings = { DATABASE_URL: databaseUrl ?? '', OPERATOR_TOKEN, DATA_DIR: folder };
    const processes = await Promise.all([start(settings), start(settings)]);
    for (let round = 0; round < 5; round++) {
      const tries = processes.flatMap(({ url: at }) =>
        Array.from({ length: 10 }, () => attempt(at, acme.key, `round ${round}`)),
      );
      const answers = await Promise.all(tries);
      const done = answers.filter((answer) => answer?.status === 201);
      expect(answers.every((answer) => answer?.status === 201 || answer?.status === 409)).toBe(true);
      expect(done.filter((answer) => answer?.isReplay === false)).toHaveLength(1);
      expect(new Set(done.map((answer) => answer?.id)).size).toBe(1);
    }
    expect(await acme.vendor.list()).toHaveLength(5);
    expect((await acme.events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(5);
    await Promise.all(processes.map((started) => stop(started)));
  },
  60_000,
);

test.runIf(databaseUrl !== undefined)(
  'while another process carries it out a request is 409 with Retry-After, at once (PostgreSQL only)',
  async () => {
    const acme = await company();
    const other = await openPostgreSql(databaseUrl ?? '');
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // As another process would have it: the name is claimed, and the vendor's row is not there yet.
    const headers = { 'Idempotency-Key': 'elsewhere' };
    const principal = { ...operatorOf(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
    const holding = new Session(other, principal, 'other').transaction(async (inside) => {
      expect(await inside.only(claimName, { name: hash('sha256', 'elsewhere', 'buffer') })).toEqual({ free: true });
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const ask = () => http('POST', NEW, { key: acme.key, headers, body: { name: 'x' } });
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
    const acme = await company();
    const way = await losingCommits(databaseUrl ?? '');
    const apart = await openPostgreSql(way.url, { connections: 2 });
    const at = await serverOn(apart);
    for (const name of ['first', 'second', 'third', 'fourth']) {
      way.lose();
      expect(await attempt(at, acme.key, name)).toMatchObject({ status: 503 });
      expect(await attempt(at, acme.key, name)).toMatchObject({ status: 201, isReplay: true });
    }
    expect((await acme.vendor.list()).map(({ name }) => name)).toEqual(['first', 'fourth', 'second', 'third']);
    await apart.close();
    way.stop();
  },
);

test.runIf(databaseUrl !== undefined)(
  'a connection that dies inside a transaction gives its place in the pool back (PostgreSQL only)',
  async () => {
    const acme = await company();
    const apart = await openPostgreSql(databaseUrl ?? '', { connections: 2 });
    const session = new Session(apart, operatorOf(acme.id), 'faults');
    const pid = statement<object, { pid: number }>('faults.pid', 'select pg_backend_pid() as pid');
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
