import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { insertDemoCompany, setDemoTime } from '../../entities/company/demo.ts';
import { findSealLag } from '../../entities/audit/seal-statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { sealWaiting } from '../../procedures/audit/sealing.ts';
import { DemoCompany } from '../../procedures/demo/past.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { createCompany, operatorCaller } from '../support/tenants/company.ts';
import { services } from '../support/demo/company.ts';
import { database, sql } from '../support/database/database.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const operator = new Session(database, null, 'test');

let id: number;
let demo: DemoCompany;
let task: string;
beforeAll(async () => {
  id = await operator.transaction(async (inside) => {
    const company = await inside.one(insertDemoCompany, { name: 'Acme', idStart: 1 });
    await inside.asOperator(company.id).one(setDemoTime, { at: daysAgo(300).toISOString() });
    return company.id;
  });
  demo = new DemoCompany(operator, id, services);
  const { id: framework } = await demo.unitsAt(daysAgo(299), operatorPrincipal(id)).framework.create({ name: 'ISO' });
  const { uniqueId, user, scopes } = await demo
    .unitsAt(daysAgo(298), operatorPrincipal(id))
    .apiKey.create({ name: 'Key' });
  const principal = { ...operatorPrincipal(id), user, key: uniqueId, scopes };
  ({ uniqueId: task } = await demo.at(daysAgo(200), principal, (caller) =>
    caller.task.create({ framework, title: 'T' }),
  ));
});

let statements = 0;
/** Runs SQL with the role of the service, in one transaction of a company. */
const asService = (company: number, ...texts: string[]) =>
  operator.asOperator(company).transaction(async (inside) => {
    for (const text of texts) await inside.run(defineStatement(`test.demo-${(statements += 1)}`, text), {});
  });

const rename = 'update framework set name = name || 1';

describe('set_demo_time', () => {
  test('moves what the transaction has written, also by units of work', async () => {
    const times = await sql<{ action: string; days: number }>(
      `select action, round(extract(epoch from now() - occurred_at) / 86400)::int as days from audit_event
       where company_id = $1 order by id`,
      id,
    );
    expect(times).toEqual([
      { action: 'company.create', days: 300 },
      { action: 'framework.create', days: 299 },
      { action: 'apiKey.create', days: 298 },
      { action: 'task.create', days: 200 },
    ]);
    expect(
      await sql(
        'select created_at = updated_at as equal, now() - created_at > $2 as old from task where unique_id = $1',
        task,
        '199 days',
      ),
    ).toEqual([{ equal: true, old: true }]);
  });

  test('leaves the lag of seals as it is: events of a demo company do not wait for a year', async () => {
    // Other tests of this database have events that are some days old.
    const { seconds } = await operator.one(findSealLag, {});
    expect(seconds).toBeLessThan(100 * 86_400);
  });

  test('rejects a company that was not made as a demo', async () => {
    const acme = await createCompany();
    await expect(asService(acme.id, rename, `select set_demo_time(now() - interval '1 day')`)).rejects.toThrow(
      `company ${acme.id}: only a demo company has times of the past`,
    );
    const { events } = acme;
    expect((await events()).filter(({ action }) => action === 'framework.update')).toEqual([]);
  });

  test('rejects a time before the last event of the company, and one in the future', async () => {
    for (const time of [`now() - interval '201 days'`, `now() - interval '400 days'`])
      await expect(asService(id, rename, `select set_demo_time(${time})`)).rejects.toThrow(
        'is before the last event of the company',
      );
    for (const time of [`now() + interval '1 minute'`, 'null', `'infinity'`])
      await expect(asService(id, rename, `select set_demo_time(${time})`)).rejects.toThrow(
        'expected a time in the past',
      );
  });

  test('leaves events of earlier transactions as they are', async () => {
    const before = await sql('select id, occurred_at, changes from audit_event where company_id = $1 order by id', id);
    await asService(id, `select set_demo_time(now() - interval '150 days')`);
    expect(await sql('select id, occurred_at, changes from audit_event where company_id = $1 order by id', id)).toEqual(
      before,
    );
    await sealWaiting(operator.asOperator(id), 10_000);
    expect(await operatorCaller({ id }).management.audit.verify({})).toMatchObject({ intact: true });
  });
});

describe('the role of the service', () => {
  test('cannot make a company a demo, or a demo a company', async () => {
    const acme = await createCompany();
    await expect(asService(acme.id, 'update company set is_demo = true')).rejects.toThrow(
      'UPDATE on company is forbidden',
    );
    await expect(asService(id, 'update company set is_demo = false')).rejects.toThrow('UPDATE on company is forbidden');
  });

  test.for(['acme', 'demo'])(
    'cannot change events or skip them with the setting of the function in the company %s',
    async (name) => {
      const acme = await createCompany();
      const company = name === 'demo' ? id : acme.id;
      const set = `select set_config('app.demo_time', '2020-01-01', true)`;
      await expect(asService(company, set, `update audit_event set occurred_at = '2020-01-01'`)).rejects.toThrow(
        /permission denied|UPDATE on audit_event is forbidden/,
      );
      const count = async () =>
        (
          await sql<{ events: number }>(
            'select count(*)::int as events from audit_event where company_id = $1',
            company,
          )
        )[0]?.events ?? 0;
      const before = await count();
      await asService(company, set, rename);
      expect(await count()).toBe(before + 1);
    },
  );
});
