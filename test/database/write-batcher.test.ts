import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { taskStatements } from '../../entities/statements/task/task.ts';
import { vendorStatements } from '../../entities/statements/vendor/vendor.ts';
import { vendorResource } from '../../entities/vendor.ts';
import { createCompany } from '../support/tenants/company.ts';
import { asOwner, databaseUrl, sql } from '../support/database/database.ts';

const repeat = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe.runIf(databaseUrl !== undefined)('changes that are asked for at once (PostgreSQL only)', async () => {
  const database = await openPostgreSql(databaseUrl ?? '');
  afterAll(() => database.close());

  const as = (id: number, request = 'gathered', at = database) => new Session(at, operatorPrincipal(id), request);
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

  test('share transactions: the first goes at once, the others as soon as that has ended', async () => {
    const { id, events } = await createCompany();
    await Promise.all(repeat(100, (index) => create(as(id, `gathered-${index}`), `Vendor ${index}`)));
    const transactions = await transactionsOf(id);
    expect(transactions.reduce((sum, { vendors }) => sum + vendors, 0)).toBe(100);
    expect(transactions.length).toBeLessThan(10);
    expect(Math.max(...transactions.map(({ vendors }) => vendors))).toBe(32);
    const created = (await events()).filter(({ action }) => action === 'vendor.create');
    expect(created).toHaveLength(100);
    expect(new Map(created.map((event) => [event.changes['name'], event.request_id]))).toEqual(
      new Map(repeat(100, (index) => [`Vendor ${index}`, `gathered-${index}`])),
    );
    expect(database.pool).toMatchObject({ total: database.pool?.idle, waiting: 0 });
  });

  test('are each of their own company, and in its trail with their own request', async () => {
    const companies = await Promise.all(repeat(5, (index) => createCompany(`Company ${index}`)));
    const made = await Promise.all(
      repeat(60, async (index) => {
        const { id } = companies[index % 5] ?? { id: 0 };
        const request = `gathered-${index}`;
        return { id, request, uniqueId: await create(as(id, request), `Vendor ${index}`) };
      }),
    );
    for (const { id, events: eventsOf } of companies) {
      const events = (await eventsOf()).filter(({ request_id }) => request_id.startsWith('gathered'));
      const told = events.map(({ resource_id, request_id, action }) => ({ resource_id, request_id, action }));
      const its = made.filter((vendor) => vendor.id === id);
      expect(told).toHaveLength(12);
      expect(told).toEqual(
        expect.arrayContaining(
          its.map(({ uniqueId, request }) => ({ resource_id: uniqueId, request_id: request, action: 'vendor.create' })),
        ),
      );
      const seen = await Promise.all(made.map(({ uniqueId }) => as(id).first(vendorStatements.get, { uniqueId })));
      expect(seen.filter((row) => row !== undefined)).toHaveLength(12);
    }
  });

  test('of another company’s row are no change, whoever is told of in the same transaction', async () => {
    const [ours, theirs] = [await createCompany('Ours'), await createCompany('Theirs')];
    const { uniqueId } = await theirs.vendor.create({ name: 'Theirs' });
    const answers = await Promise.all([
      rename(as(theirs.id), uniqueId, 'Renamed'),
      ...repeat(20, (index) => rename(as(ours.id), uniqueId, `Stolen ${index}`)),
      ...repeat(20, (index) => create(as(theirs.id), `Vendor ${index}`)),
    ]);
    expect(answers.slice(1, 21)).toEqual(repeat(20, () => undefined));
    expect(await theirs.vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Renamed', version: 2 });
    expect(await ours.vendor.list()).toEqual([]);
  });

  test('that are refused hurt no other, and leave nothing', async () => {
    const { id, events } = await createCompany();
    const answers = await Promise.allSettled(
      repeat(90, (index) => create(as(id), index % 30 === 7 ? 'n'.repeat(1000) : `Vendor ${index}`)),
    );
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    expect(refused).toEqual(repeat(3, () => expect.objectContaining({ code: '22001' })));
    const vendors = await sql<{ name: string }>('select name from vendor where company_id = $1', id);
    expect(vendors.map(({ name }) => name).toSorted()).toEqual(
      repeat(90, (index) => `Vendor ${index}`)
        .filter((_, index) => index % 30 !== 7)
        .toSorted(),
    );
    expect((await events()).filter(({ action }) => action === 'vendor.create')).toHaveLength(87);
  });

  test('that wait for a lock hold nobody up', async () => {
    const { id, vendor } = await createCompany();
    const { uniqueId } = await vendor.create({ name: 'Locked' });
    let waiting: Promise<unknown> | undefined;
    let isChanged = false;
    await asOwner(async (run) => {
      await run('select from vendor where company_id = $1 and unique_id = $2 for update', id, uniqueId);
      waiting = rename(as(id), uniqueId, 'Renamed').then(() => (isChanged = true));
      let done = 0;
      for (const name of repeat(40, (index) => `Vendor ${index}`)) void create(as(id), name).then(() => (done += 1));
      await run('select pg_sleep(1.2)'); // less than a change by itself waits for a lock
      expect({ done, isChanged }).toEqual({ done: 40, isChanged: false });
    });
    await waiting;
    expect(await vendor.get({ vendor: uniqueId })).toMatchObject({ name: 'Renamed' });
  });

  test('even where each of them came alone', async () => {
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

  test('and that want the same rows wait for each other in no ring, in whatever process', async () => {
    const { id, framework, vendor } = await createCompany();
    const ids = await Promise.all(repeat(20, (index) => create(as(id), `Vendor ${index}`)));
    // A session of the database adds what it has counted at its end.
    const rings = () =>
      sql<{ deadlocks: string; rollbacks: string }>(
        'select deadlocks, xact_rollback as rollbacks from pg_stat_database where datname = current_database()',
      );
    const sessions = () => sql('select count(*) from pg_stat_activity where datname = current_database()');
    const [[before], sessionsBefore] = [await rings(), await sessions()];
    const [one, other] = [await openPostgreSql(databaseUrl ?? ''), await openPostgreSql(databaseUrl ?? '')];
    const toDo = { title: 'Review', description: '', priority: 1, labels: [], gaps: [], status: 'todo' as const };
    const nothing = { startDate: null, dueDate: null, departmentId: null };
    const task = () => ({ ...toDo, ...nothing, uniqueId: newUniqueId(), framework });
    const rounds = repeat(10, (round) =>
      Promise.all([
        ...ids.map((uniqueId) => rename(as(id, 'one', one), uniqueId, `One ${round}`)),
        ...ids.toReversed().map((uniqueId) => rename(as(id, 'other', other), uniqueId, `Other ${round}`)),
        ...repeat(5, () => as(id, 'one', one).one(taskStatements.insert, task())),
        ...repeat(5, () => as(id, 'other', other).one(taskStatements.insert, task())),
      ]),
    );
    expect((await Promise.all(rounds)).flat()).toHaveLength(500);
    await Promise.all([one.close(), other.close()]);
    await expect.poll(sessions).toEqual(sessionsBefore);
    const [after] = await rings();
    expect(after?.deadlocks).toBe(before?.deadlocks);
    // One that waits for long on a busy machine is rolled back as well, and those of it go by themselves.
    expect(Number(after?.rollbacks) - Number(before?.rollbacks)).toBeLessThan(5);
    expect((await vendor.get({ vendor: ids[0] ?? '' })).version).toBe(21);
  });

  test('are unknown, not half done, where their connection is cut', async () => {
    const { id, events } = await createCompany();
    const requests = repeat(60, (index) => ({ request: randomUUID(), name: `Vendor ${index}` }));
    const begun = Promise.allSettled(requests.map(({ request, name }) => create(as(id, request), name)));
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'insert into vendor%'`,
    );
    const answers = await begun;
    const stored = new Set(
      (await sql<{ name: string }>('select name from vendor where company_id = $1', id)).map((row) => row.name),
    );
    const told = new Set(
      (await events()).filter(({ action }) => action === 'vendor.create').map((event) => event.changes['name']),
    );
    expect(told).toEqual(stored);
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') expect(stored).toContain(`Vendor ${index}`);
      else expect(answer.reason).toMatchObject({ code: 'unavailable' });
    }
    // A connection that nobody used may have been cut too, and be taken before that is known.
    await expect.poll(() => create(as(id), 'Afterwards').catch(() => undefined)).toBeTypeOf('string');
  });
});
