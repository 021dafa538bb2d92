import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import { createCompany } from '../support/tenants/company.ts';
import { asOwner, databaseUrl, sql } from '../support/database/database.ts';

const repeat = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe.runIf(databaseUrl !== undefined)('concurrent writes (PostgreSQL only)', async () => {
  const database = await openPostgreSql(databaseUrl ?? 'postgresql:///unused');
  afterAll(() => database.close());

  const as = (id: number, request = 'batched', at = database) => new Session(at, operatorPrincipal(id), request);
  const vendorOf = (name: string) => ({ ...vendorResource.defaults, uniqueId: newUniqueId(), name });
  const create = async (session: Session, name: string) =>
    (await session.one(vendorStatements.insert, vendorOf(name))).uniqueId;
  const rename = (session: Session, uniqueId: string, name: string) =>
    session.first(vendorStatements.update, { ...vendorResource.changeParameters({ name }), uniqueId, ifMatch: null });
  const transactionsOf = (id: number) =>
    sql<{ xmin: string; vendors: number }>(
      'select xmin::text, count(*)::int as vendors from vendor where company_id = $1 group by 1',
      id,
    );

  test('share transactions: the first batches start at once, the others when one of these ends', async () => {
    const { id, events } = await createCompany();
    await Promise.all(repeat(100, (index) => create(as(id, `batched-${index}`), `Vendor ${index}`)));
    const transactions = await transactionsOf(id);
    expect(transactions.reduce((sum, { vendors }) => sum + vendors, 0)).toBe(100);
    expect(transactions.length).toBeLessThan(10);
    expect(Math.max(...transactions.map(({ vendors }) => vendors))).toBe(32);
    const created = (await events()).filter(({ action }) => action === 'vendor.create');
    expect(created).toHaveLength(100);
    expect(new Map(created.map((event) => [event.changes['name'], event.request_id]))).toEqual(
      new Map(repeat(100, (index) => [`Vendor ${index}`, `batched-${index}`])),
    );
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });

  test('keep their company, and have audit events with their request id', async () => {
    const companies = await Promise.all(repeat(5, (index) => createCompany(`Company ${index}`)));
    const created = await Promise.all(
      repeat(60, async (index) => {
        const { id } = companies[index % 5] ?? { id: 0 };
        const request = `batched-${index}`;
        return { id, request, uniqueId: await create(as(id, request), `Vendor ${index}`) };
      }),
    );
    for (const { id, events: eventsOf } of companies) {
      const events = (await eventsOf()).filter(({ request_id }) => request_id.startsWith('batched'));
      const logged = events.map(({ resource_id, request_id, action }) => ({ resource_id, request_id, action }));
      const expected = created.filter((vendor) => vendor.id === id);
      expect(logged).toHaveLength(12);
      expect(logged).toEqual(
        expect.arrayContaining(
          expected.map(({ uniqueId, request }) => ({
            resource_id: uniqueId,
            request_id: request,
            action: 'vendor.create',
          })),
        ),
      );
      const visible = await Promise.all(
        created.map(({ uniqueId }) => as(id).first(vendorStatements.get, { uniqueId })),
      );
      expect(visible.filter((row) => row !== undefined)).toHaveLength(12);
    }
  });

  test('do not change rows of another company in the same batch', async () => {
    const [ours, theirs] = [await createCompany('Ours'), await createCompany('Theirs')];
    const { uniqueId } = await theirs.vendor.create({ name: 'Theirs' });
    const results = await Promise.all([
      rename(as(theirs.id), uniqueId, 'Renamed'),
      ...repeat(20, (index) => rename(as(ours.id), uniqueId, `Stolen ${index}`)),
      ...repeat(20, (index) => create(as(theirs.id), `Vendor ${index}`)),
    ]);
    expect(results.slice(1, 21)).toEqual(repeat(20, () => undefined));
    expect(await theirs.vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Renamed', version: 2 });
    expect(await ours.vendor.list()).toEqual([]);
  });

  test('that fail do not affect others, and leave nothing', async () => {
    const { id, events } = await createCompany();
    const results = await Promise.allSettled(
      repeat(90, (index) => create(as(id), index % 30 === 7 ? 'n'.repeat(1000) : `Vendor ${index}`)),
    );
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(errors).toEqual(repeat(3, () => expect.objectContaining({ code: '22001' })));
    const vendors = await sql<{ name: string }>('select name from vendor where company_id = $1', id);
    expect(vendors.map(({ name }) => name).toSorted()).toEqual(
      repeat(90, (index) => `Vendor ${index}`)
        .filter((_, index) => index % 30 !== 7)
        .toSorted(),
    );
    expect((await events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(87);
  });

  test('that wait for a lock do not block others', async () => {
    const { id, vendor } = await createCompany();
    const { uniqueId } = await vendor.create({ name: 'Locked' });
    let waiting: Promise<unknown> | undefined;
    let isChanged = false;
    await asOwner(async (run) => {
      await run('select from vendor where company_id = $1 and unique_id = $2 for update', id, uniqueId);
      waiting = rename(as(id), uniqueId, 'Renamed').then(() => (isChanged = true));
      let done = 0;
      for (const name of repeat(40, (index) => `Vendor ${index}`)) void create(as(id), name).then(() => (done += 1));
      await run('select pg_sleep(1.2)'); // less than lock_timeout of a write that runs alone
      expect({ done, isChanged }).toEqual({ done: 40, isChanged: false });
    });
    await waiting;
    expect(await vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Renamed' });
  });

  test('that wait for locks one after another do not block others', async () => {
    const { id, vendor } = await createCompany();
    const locked = await Promise.all(repeat(4, (index) => create(as(id), `Locked ${index}`)));
    await asOwner(async (run) => {
      await run('select from vendor where company_id = $1 for update', id);
      let changed = 0;
      let created = 0;
      for (const uniqueId of locked) {
        void rename(as(id), uniqueId, 'Renamed').then(() => (changed += 1));
        await run('select pg_sleep(0.02)');
      }
      for (const name of repeat(5, (index) => `Vendor ${index}`)) void create(as(id), name).then(() => (created += 1));
      await run('select pg_sleep(1)');
      expect({ created, changed }).toEqual({ created: 5, changed: 0 });
    });
    await expect.poll(async () => (await vendor.list({ q: 'Renamed' })).length).toBe(4);
  });

  const task = (framework: number) => {
    const fields = { title: 'Review', description: '', priority: 1, labels: [], gaps: [], status: 'todo' as const };
    const noDates = { startDate: null, dueDate: null, departmentId: null, assigneeId: null };
    return {
      ...fields,
      ...noDates,
      vendors: [],
      requirements: [],
      recurrence: null,
      reviewerId: null,
      needsEvidence: false,
      seriesDate: null,
      uniqueId: newUniqueId(),
      framework,
    };
  };

  test('run in the order of their locks, rows before counts, in whatever order they arrive', async () => {
    const { id, framework, events } = await createCompany();
    const ids = await Promise.all(repeat(10, (index) => create(as(id), `Vendor ${index}`)));
    await Promise.all([
      as(id, 'ordered').one(taskStatements.insert, task(framework)),
      ...ids.toReversed().map((uniqueId) => rename(as(id, 'ordered'), uniqueId, 'Renamed')),
    ]);
    const ordered = (await events()).filter(({ request_id }) => request_id === 'ordered');
    expect(ordered.slice(0, -1).map(({ resource_id }) => resource_id)).toEqual(ids.toSorted());
    expect(ordered.at(-1)).toMatchObject({ action: 'task.create' });
  });

  test('of the same rows cause no deadlock, even from several processes', async () => {
    const { id, framework } = await createCompany();
    const ids = await Promise.all(repeat(20, (index) => create(as(id), `Vendor ${index}`)));
    const deadlocks = () =>
      sql('select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()');
    const before = await deadlocks();
    const processes = await Promise.all(repeat(2, () => openPostgreSql(`${databaseUrl}?application_name=deadlock`)));
    const writes = processes.flatMap((process, number) =>
      repeat(10, (round) => [
        ...(number === 0 ? ids : ids.toReversed()).map((uniqueId) =>
          rename(as(id, 'deadlock', process), uniqueId, `Process ${number}, round ${round}`),
        ),
        ...repeat(5, () => as(id, 'deadlock', process).one(taskStatements.insert, task(framework))),
      ]),
    );
    expect(await Promise.all(writes.flat())).toHaveLength(500);
    // A server process reports its counters before it disappears from the list.
    const sessions = () => sql('select from pg_stat_activity where application_name = $1', 'deadlock');
    expect(await sessions()).not.toEqual([]);
    await Promise.all(processes.map((process) => process.close()));
    await expect.poll(sessions).toEqual([]);
    expect(await deadlocks()).toEqual(before);
    expect(await as(id).one(vendorStatements.get, { uniqueId: String(ids[0]) })).toMatchObject({ version: 21 });
  });

  test('have an unknown outcome when their connection breaks, but are never half done', async () => {
    const { id, events } = await createCompany();
    const requests = repeat(60, (index) => ({ request: randomUUID(), name: `Vendor ${index}` }));
    const pending = Promise.allSettled(requests.map(({ request, name }) => create(as(id, request), name)));
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'insert into vendor%'`,
    );
    const results = await pending;
    const stored = new Set(
      (await sql<{ name: string }>('select name from vendor where company_id = $1', id)).map((row) => row.name),
    );
    const logged = new Set(
      (await events()).filter(({ action }) => action === 'vendor.create').map((event) => event.changes['name']),
    );
    expect(logged).toEqual(stored);
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') expect(stored).toContain(`Vendor ${index}`);
      else expect(result.reason).toMatchObject({ code: 'unavailable' });
    }
    // The terminated backend may be idle in the pool, so the next write may fail.
    await expect.poll(() => create(as(id), 'Afterwards').catch(() => undefined)).toBeTypeOf('string');
  });
});
