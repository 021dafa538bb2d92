import { randomInt } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { createCaller } from '../../procedures/index.ts';
import { test } from '../support/fixtures/test.ts';
import { database, databaseUrl, sql } from '../support/database/database.ts';
import { recorded } from '../support/tenants/samples.ts';
import { callerForKey } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readAll, seal } from '../support/tenants/feed.ts';
import { readPages } from '../support/tenants/pages.ts';
import type { Change } from '../support/tenants/feed.ts';

// The embedded database runs one transaction at a time, so a smaller workload reaches the same states.
const WORKLOAD = databaseUrl === undefined ? { fast: 3, slow: 1, changes: 40 } : { fast: 5, slow: 4, changes: 250 };
const READERS = 3;
const SEALERS = 3;

type Caller = ReturnType<typeof createCaller>;
const pause = defineStatement<{ seconds: number }, object>(
  'test.pause',
  ({ seconds }) => `select pg_sleep(${seconds})`,
);
const ROLLBACK = new Error('rolled back');

/** Runs work in one transaction that stays open for a moment, and that sometimes rolls back. */
async function inSlowTransaction(acme: TestCompany, work: (caller: Caller) => Promise<unknown>): Promise<void> {
  const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const isRolledBack = randomInt(4) === 0;
  const committed = new Session(database, principal, 'slow').transaction(async (session) => {
    await work(createCaller({ requestId: 'slow', caller: 'apiKey', address: null, session }));
    if (databaseUrl !== undefined) await session.run(pause, { seconds: randomInt(800) / 1000 });
    if (isRolledBack) throw ROLLBACK;
  });
  await committed.catch((error: unknown) => {
    if (error !== ROLLBACK) throw error;
  });
}

/** Makes a random change of a vendor or a task. A resource may be gone, or a transition forbidden. */
async function changeSomething({ vendor, task }: Caller, { framework }: TestCompany, ids: string[]): Promise<void> {
  const uniqueId = ids[randomInt(ids.length + 1)];
  if (uniqueId === undefined || ids.length < 5) {
    ids.push((await vendor.create({ name: `Vendor ${randomInt(1e6)}` })).uniqueId);
    ids.push((await task.create({ framework, title: `Task ${randomInt(1e6)}` })).uniqueId);
  } else if (randomInt(10) === 0) {
    ids.splice(ids.indexOf(uniqueId), 1);
    await Promise.allSettled([vendor.delete({ vendor: uniqueId }), task.delete({ taskUniqueId: uniqueId })]);
  } else {
    const changes = [
      vendor.update({ vendor: uniqueId, name: `Vendor ${randomInt(1e6)}`, active: randomInt(2) === 0 }),
      task.update({ taskUniqueId: uniqueId, title: `Task ${randomInt(1e6)}`, priority: 1 + randomInt(4) }),
    ];
    await Promise.allSettled(changes);
  }
}

/** Reads the feed from its start until the writers are done, and requires that no page has a gap. */
async function followFeed(caller: Caller, done: AbortSignal): Promise<Change[]> {
  const items: Change[] = [];
  let cursor: string | undefined;
  for (let isLast = false; !isLast;) {
    isLast = done.aborted;
    const page = await readAll(caller, { limit: 1 + randomInt(40), ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) {
      expect(item.sequence).toBe(items.length + 1);
      items.push(item);
    }
    ({ cursor } = page);
    await nextTick();
  }
  return items;
}

/** A copy of a resource, made from its events. */
interface Copy {
  fields: Record<string, unknown>;
  version: number;
}

/** Builds the resources of a type from the feed. */
function buildCopies(items: readonly Change[], type: string): Map<string, Copy> {
  const copies = new Map<string, Copy>();
  for (const { resource, action, changes, deleted } of items) {
    if (resource.type !== type) continue;
    const copy = copies.get(resource.uniqueId);
    if (action.endsWith('.create')) copies.set(resource.uniqueId, { fields: { ...changes }, version: 1 });
    else if (copy === undefined) throw new Error(`${action} of a resource that the feed did not create`);
    else if (deleted) {
      const { updatedAt: _, updatedBy: __, version, ...last } = { ...changes };
      expect({ ...copy.fields, version: copy.version }).toMatchObject({ ...last, version });
      copies.delete(resource.uniqueId);
    } else {
      for (const [field, change] of Object.entries(changes)) copy.fields[field] = Reflect.get(Object(change), 'to');
      if (type === 'vendor') copy.fields['active'] = copy.fields['status'] === 'active';
      copy.version += 1;
    }
  }
  return copies;
}

/** Compares copies with the service, without the metadata that events of updates do not have. */
function expectEqual(copies: Map<string, Copy>, resources: readonly { uniqueId: string; version: number }[]): void {
  expect(copies.size).toBe(resources.length);
  for (const { version, ...resource } of resources) {
    const { updatedAt: _, updatedBy: __, ...fields } = { ...resource } as Record<string, unknown>;
    const copy = copies.get(resource.uniqueId);
    expect(copy?.fields).toMatchObject(fields);
    expect(copy?.version).toBe(version);
  }
}

test('the feed skips no event of concurrent slow, fast and failed transactions, and a copy built from it is equal', async ({
  acme,
}) => {
  const caller = await callerForKey(acme.key);
  const done = new AbortController();
  const repeat = async (times: number, work: () => Promise<unknown>) => {
    for (let count = 0; count < times; count++) await work();
  };
  const shared: string[] = [];
  const writers = [
    ...Array.from({ length: WORKLOAD.fast }, () =>
      repeat(WORKLOAD.changes, () => changeSomething(caller, acme, shared)),
    ),
    // Slow transactions change resources of their own: a lock on a shared one would stop the fast writers.
    ...Array.from({ length: WORKLOAD.slow }, () =>
      repeat(WORKLOAD.changes / 25, () =>
        inSlowTransaction(acme, async (inside) => {
          const { uniqueId } = await inside.vendor.create({ name: 'Slow' });
          await inside.vendor.update({ vendor: uniqueId, name: 'Slower' });
          await inside.task.create({ framework: acme.framework, title: 'Slow' });
          if (randomInt(3) === 0) await inside.vendor.delete({ vendor: uniqueId });
        }),
      ),
    ),
  ];
  const sealers = Array.from({ length: SEALERS }, async () => {
    while (!done.signal.aborted) {
      await seal(acme);
      await nextTick();
    }
  });
  const readers = Array.from({ length: READERS }, () => followFeed(caller, done.signal));
  await Promise.all(writers).finally(() => done.abort());
  await Promise.all([...sealers, ...readers]);
  await seal(acme);

  const { items } = await readAll(caller, { limit: 500 });
  for (const reader of readers) expect(items.slice(0, (await reader).length)).toEqual(await reader);
  const stored = await sql<{ id: string }>('select unique_id as id from audit_event where company_id = $1', acme.id);
  expect(items.map(({ uniqueId }) => uniqueId).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, index) => index + 1));

  const vendors = await Promise.all(
    (await acme.vendor.list()).map(async ({ uniqueId }) => recorded(await acme.vendor.get({ vendor: uniqueId }))),
  );
  expectEqual(buildCopies(items, 'vendor'), vendors);
  const pages = readPages((from) => acme.task.list({ framework: acme.framework, limit: 100, ...from }));
  const tasks = (await Array.fromAsync(pages)).flatMap((page) => (page.items ?? []).map(recorded));
  expectEqual(buildCopies(items, 'task'), tasks);
  expect(vendors.length + tasks.length).toBeGreaterThan(5);
});
