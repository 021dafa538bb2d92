import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import { withClient } from '../../support/database/client.ts';
import { databaseUrl, sql } from '../../support/database/database.ts';
import { startApp } from '../../support/http/app.ts';
import { operatorHeaders } from '../../support/http/client.ts';
import { http } from '../../support/http/server.ts';
import { createCompany, operator } from '../../support/tenants/company.ts';
import { createMember, services } from '../../support/tenants/member.ts';
import { closeCompany } from '../../support/database/erase.ts';

const NEW = '/external/smart-inventory/vendor/new';
const reports: unknown[][] = [];
const withReports = { ...services, report: (...line: unknown[]) => void reports.push(line) };

describe.runIf(databaseUrl === undefined)('company.freeze on the embedded database', () => {
  test('says in one line that cells need PostgreSQL', async () => {
    const { company } = (await createCompany()).manage;
    const expected = { cause: { reason: 'unprocessable', message: 'company: cells need PostgreSQL (DATABASE_URL)' } };
    await expect(company.freeze()).rejects.toMatchObject(expected);
    await expect(company.unfreeze()).rejects.toMatchObject(expected);
  });
});

describe.runIf(databaseUrl !== undefined)('company.freeze (PostgreSQL only):', () => {
  /** Another process. */
  const openOther = async () => {
    const other = await openPostgreSql(databaseUrl ?? '');
    await other.start();
    const app = await startApp({ services: withReports }, other);
    afterAll(async () => {
      await app.stop();
      await other.close();
    });
    return app.url;
  };

  test('is audited once, reported, listed, and ended by unfreeze', async () => {
    const acme = await createCompany();
    const baseUrl = await openOther();
    const call = (name: string) =>
      http('POST', `/trpc/management.company.${name}`, { baseUrl, headers: operatorHeaders(acme.id), body: {} });
    const { company } = acme.manage;
    const frozen = await company.freeze();
    expect(frozen).toMatchObject({ id: acme.id, closedAt: null, frozenAt: expect.any(String) });
    expect(await company.freeze()).toEqual(frozen);
    expect(await operator.company.list()).toContainEqual(frozen);
    const events = async () => (await acme.events()).filter(({ action }) => action === 'company.update');
    expect((await events()).map(({ changes }) => changes)).toEqual([
      { frozen_at: { from: null, to: expect.any(String) } },
    ]);
    const unfrozen = { ...frozen, frozenAt: null };
    expect(await company.unfreeze()).toEqual(unfrozen);
    expect(await company.unfreeze()).toEqual(unfrozen);
    expect(await events()).toHaveLength(2);
    expect([(await call('freeze')).status, (await call('unfreeze')).status]).toEqual([200, 200]);
    const requestId = expect.any(String);
    expect(reports).toEqual([
      [{ company: acme.id, requestId }, 'company: frozen'],
      [{ company: acme.id, requestId }, 'company: unfrozen'],
    ]);
    expect((await acme.manage.audit.verify({})).intact).toBe(true);
  });

  test('holds at once in every process', async () => {
    const acme = await createCompany();
    const baseUrl = await openOther();
    const create = (at?: string) => http('POST', NEW, { key: acme.key, body: { name: 'x' }, baseUrl: at });
    expect([(await create()).status, (await create(baseUrl)).status]).toEqual([201, 201]);
    await acme.manage.company.freeze();
    expect([(await create()).status, (await create(baseUrl)).status]).toEqual([503, 503]);
    await acme.manage.company.unfreeze();
    await expect.poll(async () => (await create(baseUrl)).status, { timeout: 1000 }).toBe(201);
  });

  test('is rejected for a company that is closed or was moved, and unfreeze while it is moved', async () => {
    const closed = await createCompany('Closed');
    await closeCompany(closed, 'Closed');
    await expect(closed.manage.company.freeze()).rejects.toThrow(`company: ${closed.id} is closed`);
    const acme = await createCompany();
    await acme.manage.company.freeze();
    const move = (state: string) =>
      sql(
        `insert into company_move (id, direction, move, state, peer) values ($1, 'out', gen_random_uuid(), $2, 'https://b.example')
        on conflict (id) do update set state = excluded.state`,
        acme.id,
        state,
      );
    const moving = `company: ${acme.id} is being moved; run company move again, or with --abort`;
    for (const state of ['copying', 'switched']) {
      await move(state);
      await expect(acme.manage.company.unfreeze()).rejects.toMatchObject({
        cause: { reason: 'conflict', message: moving },
      });
    }
    await sql(`update company set moved_to = 'https://b.example' where id = $1`, acme.id);
    await expect(acme.manage.company.freeze()).rejects.toThrow(`company: ${acme.id} was moved to https://b.example`);
    await move('aborted');
    await expect(acme.manage.company.unfreeze()).rejects.toThrow(moving);
    await sql('update company set moved_to = null where id = $1', acme.id);
    expect(await acme.manage.company.unfreeze()).toMatchObject({ frozenAt: null });
    expect((await operator.company.list()).map(({ id }) => id)).toContain(acme.id);
  });

  test('waits for a transaction that began before it, and is taken back if that does not end', async () => {
    const acme = await createCompany();
    const moved = await createCompany('Moved');
    const isFrozen = async (id: number) => {
      const [row] = await sql<{ frozen: boolean }>(
        'select frozen_at is not null as frozen from company where id = $1',
        id,
      );
      return row?.frozen;
    };
    const underWay = {
      cause: { reason: 'unavailable', message: expect.stringContaining('are under way; it was not frozen') },
    };
    await withClient({ connectionString: databaseUrl ?? '' }, async (client) => {
      await client.query('begin');
      const began = performance.now();
      const freezes = Promise.allSettled([acme.manage.company.freeze(), moved.manage.company.freeze()]);
      await expect.poll(async () => [await isFrozen(acme.id), await isFrozen(moved.id)]).toEqual([true, true]);
      await sql(
        `insert into company_move (id, direction, move, state, peer) values ($1, 'out', gen_random_uuid(), 'copying', 'https://b.example')`,
        moved.id,
      );
      // A second call that finds the company frozen, and still waits when the first one takes that back.
      await wait(3000);
      const second = Promise.allSettled([acme.manage.company.freeze()]);
      expect(await freezes).toMatchObject([{ reason: underWay }, { reason: underWay }]);
      expect(performance.now() - began).toBeGreaterThan(9900);
      await client.query('commit');
      expect(await second).toMatchObject([{ reason: underWay }]);
      expect((await acme.task.create({ framework: acme.framework, title: 'Writable' })).version).toBe(1);
      // A move that began meanwhile gives the freeze up itself.
      expect(await isFrozen(moved.id)).toBe(true);
      await client.query('begin');
      const frozen = acme.manage.company.freeze();
      await client.query(`select pg_sleep(0.5)`);
      expect(await isFrozen(acme.id)).toBe(true);
      await client.query('commit');
      expect(await frozen).toMatchObject({ frozenAt: expect.any(String) });
    });
    await sql(`update company_move set state = 'aborted' where id = $1`, moved.id);
    expect(await moved.manage.company.unfreeze()).toMatchObject({ frozenAt: null });
  });

  test('is followed by no event and no row while twenty clients write, and loses no acknowledged write', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    const state = { isDone: false };
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const clients = Array.from({ length: 20 }, async (_, client) => {
      for (let count = 0; !state.isDone; count += 1) {
        const name = `${client}-${count}`;
        if (client % 5 === 0) {
          await ann.caller.view.create({ name, page: 'tasks', query: '', shared: false }).then(
            () => acknowledged.push(name),
            () => {},
          );
          continue;
        }
        const headers: Record<string, string> = client % 2 === 0 ? { 'Idempotency-Key': name } : {};
        const { status } = await http('POST', NEW, { key: acme.key, body: { name }, headers });
        statuses.add(status);
        if (status === 201) acknowledged.push(name);
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    const content = async () => {
      const [row] = await sql<{ event: string }>(
        `select (select max(id)::text from audit_event where company_id = $1) as event,
          (select count(*)::int from vendor where company_id = $1) as vendors,
          (select count(*)::int from view where company_id = $1) as views,
          (select count(*)::int from idempotency_record where company_id = $1) as records`,
        acme.id,
      );
      return row;
    };
    await acme.manage.company.freeze();
    const before = await content();
    await wait(2000);
    expect(await content()).toEqual(before);
    state.isDone = true;
    await Promise.all(clients);
    expect(await content()).toEqual(before);
    expect([...statuses].toSorted((one, other) => one - other)).toEqual([201, 503]);
    const names = await sql<{ name: string }>(
      'select name from vendor where company_id = $1 union all select name from view where company_id = $1',
      acme.id,
    );
    expect(names.map(({ name }) => name).toSorted()).toEqual(acknowledged.toSorted());
  });
});
