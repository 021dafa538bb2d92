import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { onceSuccessful } from '../../database/retry.ts';
import { ApiError } from '../../entities/api-error.ts';
import { createCaller } from '../../procedures/index.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { sqlOn, withClient } from '../support/database/client.ts';
import { asOwner, database, databaseUrl, ownerUrl, sql } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { createCompany, OPERATOR_TOKEN } from '../support/tenants/company.ts';

// On the embedded database each statement runs alone, so these tests find defects only on PostgreSQL.
const WRITERS = databaseUrl === undefined ? 8 : 50;
const ROUNDS = databaseUrl === undefined ? 3 : 200;

const acme = await createCompany();

const repeat = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));
const source = 'race';
let count = 0;
const newKey = () => ({ source, externalId: `R-${(count += 1)}` });

/** Replays the events of an object: its state after each, oldest first. */
async function statesOf(uniqueId: string): Promise<Record<string, unknown>[]> {
  const states: Record<string, unknown>[] = [];
  for (const { action, changes } of await acme.events(uniqueId)) {
    const isUpdate = action.endsWith('.update');
    const entries = Object.entries(changes).map(([column, value]) => {
      if (!isUpdate) return [column, value];
      const { from, to } = Object(value);
      // Each change starts from the state that the one before left, so no write is lost.
      expect({ [column]: from }).toEqual({ [column]: states.at(-1)?.[column] });
      return [column, to];
    });
    states.push({ ...states.at(-1), ...Object.fromEntries(entries) });
  }
  return states;
}

describe('concurrent PUTs of one external id', () => {
  test('create one vendor; every write has its event, and no result is stale', async () => {
    const key = newKey();
    const results = await Promise.all(
      repeat(WRITERS, (index) => acme.vendor.putByExternalId({ ...key, name: `Name ${index % 7}` })),
    );
    expect(results.filter(({ upsert }) => upsert === 'created')).toHaveLength(1);
    expect(new Set(results.map(({ item }) => item.uniqueId)).size).toBe(1);
    const current = await acme.vendor.getByExternalId(key);
    const states = await statesOf(current.uniqueId);
    const written = results.filter(({ upsert }) => upsert !== 'unchanged');
    expect(states).toHaveLength(written.length);
    expect(current).toMatchObject({ version: states.length, name: states.at(-1)?.['name'] });
    // The response shows the state that the request left at its version.
    for (const [index, { item }] of results.entries()) {
      expect(item.name).toBe(`Name ${index % 7}`);
      expect(states[item.version - 1]).toMatchObject({ name: item.name });
    }
    expect(new Set(written.map(({ item }) => item.version)).size).toBe(written.length);
  });

  test('and PATCHes of other fields lose no update', async () => {
    const key = { ...newKey(), framework: acme.framework };
    const { item } = await acme.task.putByExternalId({ ...key, title: 'Title' });
    const [titles, priorities] = await Promise.all([
      Promise.all(
        repeat(WRITERS, (index) => acme.task.putByExternalId({ ...key, mode: 'merge', title: `Title ${index}` })),
      ),
      Promise.all(
        repeat(WRITERS, (index) =>
          acme.task.update({ taskUniqueId: item.uniqueId, description: `Text ${index}`, priority: 1 + (index % 4) }),
        ),
      ),
    ]);
    const states = await statesOf(item.uniqueId);
    // Every value differs from all others, so each request must have changed the task.
    expect(titles.map(({ upsert }) => upsert)).toEqual(repeat(WRITERS, () => 'updated'));
    expect(states).toHaveLength(1 + 2 * WRITERS);
    const versions = [...titles.map((result) => result.item), ...priorities].map(({ version }) => version);
    expect(new Set(versions).size).toBe(2 * WRITERS);
    for (const { item: after } of titles) expect(states[after.version - 1]).toMatchObject({ title: after.title });
    for (const after of priorities) expect(states[after.version - 1]).toMatchObject({ description: after.description });
    expect(await acme.task.getByExternalId(key)).toMatchObject({ version: states.length });
  });

  test('with entity tags count every writer', async () => {
    const key = newKey();
    await acme.vendor.putByExternalId({ ...key, name: '0' });
    const increment = async (): Promise<void> => {
      const { results } = await acme.vendor.batch({ items: [{ op: 'upsert', ...key, mode: 'merge', body: {} }] });
      const next = String(Number(results[0]?.item?.name) + 1);
      const item = { op: 'upsert' as const, ...key, ifMatch: results[0]?.etag, body: { name: next } };
      const [result] = (await acme.vendor.batch({ items: [item] })).results;
      if (result?.status !== 412) expect(result).toMatchObject({ status: 200, item: { name: next } });
      else await increment();
    };
    const writers = Math.min(WRITERS, 20);
    await Promise.all(repeat(writers, increment));
    expect(await acme.vendor.getByExternalId(key)).toMatchObject({ name: String(writers), version: writers + 1 });
  });

  test('and deletions leave at most one vendor', async () => {
    const key = newKey();
    const results = await Promise.allSettled(
      repeat(WRITERS, (index) =>
        index % 3 === 0
          ? acme.vendor.deleteByExternalId(key)
          : acme.vendor.putByExternalId({ ...key, name: `Name ${index}`, recreate: true }),
      ),
    );
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ message: 'vendor: not found' });
    }
    const creations = results.filter((result) => result.status === 'fulfilled' && result.value?.upsert === 'created');
    const events = (await acme.events()).filter(({ changes }) =>
      JSON.stringify(changes['external_ids'] ?? []).includes(`"${key.externalId}"`),
    );
    expect(events.filter(({ action }) => action === 'vendor.create')).toHaveLength(creations.length);
  });

  test('links give one id to one vendor only', async () => {
    const key = newKey();
    const vendors = await Promise.all(repeat(10, (index) => acme.vendor.create({ name: `Linked ${index}` })));
    const results = await Promise.allSettled(
      vendors.map(({ uniqueId }) => acme.vendor.link({ vendor: uniqueId, ...key })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { uniqueId } = await acme.vendor.getByExternalId(key);
    const keys = repeat(20, newKey);
    const more = await Promise.allSettled(keys.map((other) => acme.vendor.link({ vendor: uniqueId, ...other })));
    expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect((await acme.vendor.get({ vendor: uniqueId })).externalIds).toHaveLength(10);
  });
});

/**
 * A company whose database counts no deadlocks of other tests: on PostgreSQL it has one of its own, because the test that erases a
 * company while requests write to it provokes some in that of the worker.
 */
async function createCompanyAlone() {
  const scratch = ownerUrl === undefined ? undefined : await createMigratedDatabase(ownerUrl);
  const home = scratch === undefined ? database : await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
  const close = onceSuccessful(async () => {
    if (scratch !== undefined) await home.close();
  });
  onTestFinished(async () => {
    await close();
    await scratch?.drop();
  });
  const { key, framework, manage } = await createCompanyIn(home);
  const request = { headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'batches' };
  const { context } = await createAuthentication(home, OPERATOR_TOKEN).apiKey(request);
  const { task } = createCaller({ ...context, session: context.session.withoutDeadline() });
  const countDeadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';
  const sessions = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  return {
    task,
    framework,
    manage,
    /** Closes the connections of the company, as PostgreSQL counts what a connection did when it ends. */
    deadlocks: async (): Promise<unknown> => {
      if (scratch === undefined) return sql(countDeadlocks);
      await close();
      return withClient(scratch.url, async (client) => {
        await expect.poll(() => sqlOn(client)(sessions)).toEqual([]);
        return sqlOn(client)(countDeadlocks);
      });
    },
  };
}

describe('concurrent batches', () => {
  test('with the same targets in opposite order both succeed, every time', async () => {
    const { task, framework, manage, deadlocks } = await createCompanyAlone();
    const { id: other } = await manage.framework.create({ name: 'Other' });
    for (let round = 0; round < ROUNDS; round++) {
      const tasks = await Promise.all(repeat(3, () => task.create({ framework, title: 'Review access rights' })));
      const updates = tasks.map(({ uniqueId }) => ({
        op: 'update' as const,
        uniqueId,
        body: { title: `Round ${round}` },
      }));
      const upserts = repeat(3, (index) => ({
        op: 'upsert' as const,
        ...newKey(),
        framework: index === 1 ? other : framework,
        body: { title: `Upsert ${round}` },
      }));
      const items = [...updates, ...upserts];
      const [one, opposite] = await Promise.all([
        task.batch({ items }),
        task.batch({ items: items.toReversed() }),
        ...upserts.map(({ op: _op, body, ...key }) => task.putByExternalId({ ...key, ...body })),
      ]);
      expect([one.failed, opposite.failed]).toEqual([0, 0]);
    }
    expect(await task.list({ framework: other })).toEqual({ total: ROUNDS });
    // A deadlock would be retried, after a second.
    expect(await deadlocks()).toEqual([{ deadlocks: 0 }]);
  });

  test('with deletions respond 404 for an item that the other one deleted', async () => {
    for (let round = 0; round < Math.min(ROUNDS, 20); round++) {
      const tasks = await Promise.all(repeat(4, () => acme.newTask()));
      const deletions = tasks.map(({ uniqueId }) => ({ op: 'delete' as const, uniqueId }));
      const [one, opposite] = await Promise.all([
        acme.task.batch({ items: deletions }),
        acme.task.batch({ items: deletions.toReversed() }),
      ]);
      expect(one.succeeded * opposite.succeeded).toBe(0);
      expect(one.succeeded + opposite.succeeded).toBe(4);
      const failed = [...one.results, ...opposite.results].filter(({ status }) => status !== 204);
      expect(failed.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
  });
});

test('an error of the database aborts the whole batch, and never becomes the result of an item', async () => {
  const key = newKey();
  const items = [
    { op: 'upsert' as const, ...key, body: { name: 'x' } },
    { op: 'create' as const, body: { name: 'explode' } },
    { op: 'create' as const, body: { name: 'y' } },
  ];
  await asOwner((run) => run(`alter table vendor add constraint explode check (name <> 'explode')`));
  try {
    await expect(acme.vendor.batch({ items })).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  } finally {
    await asOwner((run) => run('alter table vendor drop constraint explode'));
  }
  await expect(acme.vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
  expect(await acme.vendor.batch({ items })).toMatchObject({ succeeded: 3 });
});

test('after an atomic batch that fails nothing is written', async () => {
  const key = newKey();
  const items = [
    { op: 'upsert' as const, ...key, body: { name: 'x' } },
    { op: 'delete' as const, uniqueId: 'x' },
  ];
  const before = (await acme.events()).length;
  await expect(acme.vendor.batch({ atomic: true, items })).rejects.toMatchObject({ cause: expect.any(ApiError) });
  expect(await acme.events()).toHaveLength(before);
  await expect(acme.vendor.getByExternalId(key)).rejects.toThrow('vendor: not found');
  expect(await acme.vendor.putByExternalId({ ...key, name: 'x' })).toMatchObject({ upsert: 'created' });
});
