import { describe, expect, test } from 'vitest';
import { erasePlan } from '../../database/erase/plan.ts';
import { deleteBatch } from '../../database/erase/erase-company.ts';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { callerForKey, createCompany, operator } from '../support/tenants/company.ts';
import { closeCompany, begin, eraseCompany, owner } from '../support/database/erase.ts';
import { createMember } from '../support/tenants/member.ts';
import { createWithEverything } from '../support/fixtures/everything.ts';
import { storedRows } from '../support/tenants/samples.ts';
import { sealAll } from '../support/tenants/webhooks.ts';
import { openTestStorage } from '../support/storage/evidence-files.ts';
import { database, sql } from '../support/database/database.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const storage = await openTestStorage(await temporaryFolder());
const { tables } = await erasePlan();

/** Tables with rows of a company, and their number. */
async function rowsOf({ id }: { id: number }): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ rows: number }>(`select count(*)::int as rows from ${name} where company_id = $1`, id);
    counts[name] = row?.rows ?? 0;
  }
  return counts;
}

describe('the plan of an erase', () => {
  test('has every table with a company, and each comes before the tables to which it refers', async () => {
    const stored = await sql<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    const names = tables.map(({ name }) => name);
    expect(names.toSorted()).toEqual(stored.map(({ name }) => name));
    const keys = await sql<{ child: string; parent: string }>(
      `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
      where contype = 'f' and conrelid <> confrelid`,
    );
    const isWrong = ({ child, parent }: { child: string; parent: string }) =>
      names.includes(child) && names.includes(parent) && names.indexOf(child) > names.indexOf(parent);
    expect(keys.length).toBeGreaterThan(20);
    expect(keys.filter(isWrong)).toEqual([]);
  });

  test('has every table that refers to a person', async () => {
    const keys = await sql<{ child: string }>(
      `select conrelid::regclass::text as child from pg_constraint where contype = 'f' and confrelid = 'person'::regclass`,
    );
    const { ofPersons } = await erasePlan();
    const known = [
      ...ofPersons.map(({ table }) => table),
      ...tables.flatMap((t) => (t.personColumn === null ? [] : t.name)),
    ];
    expect(known.toSorted()).toEqual(keys.map(({ child }) => child).toSorted());
  });
});

describe('an erase', () => {
  test('removes every row of the company and its people, keeps the head, and changes nothing of another company', async () => {
    const acme = await createWithEverything('Acme');
    const rival = await createWithEverything('Rival');
    const shared = await createMember(rival, { email: `shared-${acme.id}@example.com` });
    await createMember(acme, { email: `shared-${acme.id}@example.com` });
    await closeCompany(acme, 'Acme');
    const before = await rowsOf(acme);
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    const ofRival = await storedRows(rival);
    await sealAll(acme);
    const [head] = await sql<{ sequence: number; hash: string }>(
      `select seq::float8 as sequence, encode(hash, 'hex') as hash from audit_seal where company_id = $1 order by seq desc limit 1`,
      acme.id,
    );
    const erased = await eraseCompany(acme, 'Acme', storage);
    expect(Object.entries(await rowsOf(acme)).filter(([, rows]) => rows > 0)).toEqual([]);
    expect(await sql('select id from company where id = $1', acme.id)).toEqual([]);
    for (const [table, rows] of Object.entries(before))
      expect([table, (erased[table] ?? 0) >= rows]).toEqual([table, true]);
    const persons = await sql<{ id: string; last: number | null }>(
      'select unique_id as id, last_company_id as last from person where unique_id = any($1::uuid[])',
      [acme.member.person, rival.member.person, shared.person],
    );
    expect(persons.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
      [
        { id: rival.member.person, last: rival.id },
        { id: shared.person, last: null },
      ].toSorted((one, other) => one.id.localeCompare(other.id)),
    );
    expect(await storedRows(rival)).toEqual(ofRival);
    const listed = (await operator.company.list()).find(({ id }) => id === acme.id);
    expect(listed).toEqual({
      id: acme.id,
      erasedAt: expect.any(String),
      sequence: (head?.sequence ?? 0) + 1, // the test has changed closed_at
      hash: expect.stringMatching(/^[\da-f]{64}$/),
    });
    const next = await createCompany('Next');
    expect(next.id).toBeGreaterThan(acme.id);
    const { sealed, intact } = await rival.manage.audit.verify({});
    expect([intact, sealed > 0]).toEqual([true, true]);
  });
});

describe('the guard', () => {
  const setErase = (id: number) =>
    defineStatement(`test.set-erase-${id}`, `select set_config('app.erase', '${id}', true)`);

  test('lets the role of the service delete nothing, whatever it sets', async () => {
    const acme = await createWithEverything('Acme');
    await acme.manage.settings.update({ lockClosed: false });
    await closeCompany(acme, 'Acme');
    await begin(acme, 'Acme');
    const session = { company: acme.id, user: acme.apiKey.user.uniqueId };
    for (const table of ['audit_event', 'audit_seal', 'company_user', 'framework', 'api_key', 'member']) {
      const attempt = database.transaction(async (runner) => {
        await runner.run(setErase(acme.id), {}, session);
        await runner.run(
          defineStatement(`test.delete-${table}-${acme.id}`, `delete from ${table} where company_id = ${acme.id}`),
          {},
          session,
        );
      });
      await expect(attempt).rejects.toThrow(/permission denied|is forbidden/);
    }
    const comments = await rowsOf(acme);
    await database.transaction(async (runner) => {
      await runner.run(setErase(acme.id), {}, session);
      await runner.run(
        defineStatement(`test.delete-task-${acme.id}`, `delete from task where company_id = ${acme.id}`),
        {},
        session,
      );
    });
    const after = await rowsOf(acme);
    const deleted = ['task', 'comment', 'evidence', 'watch'].map(
      (table) => (comments[table] ?? 0) - (after[table] ?? 0),
    );
    expect(deleted[0]).toBeGreaterThan(0);
    const events = await sql<{ events: number }>(
      `select count(*)::int as events from audit_event where company_id = $1 and action in ('task.delete', 'comment.delete', 'evidence.delete')
        and xmin = (select xmin from audit_event where company_id = $1 order by id desc limit 1)`,
      acme.id,
    );
    expect(events[0]?.events).toBe((deleted[0] ?? 0) + (deleted[1] ?? 0) + (deleted[2] ?? 0));
  });

  test('lets the owner delete nothing of a company that is open, or closed without an erase', async () => {
    const acme = await createWithEverything('Acme');
    const plan = await erasePlan();
    const before = await rowsOf(acme);
    const [table] = plan.tables;
    if (table === undefined) throw new Error('expected a table');
    const attempt = () => deleteBatch(owner, plan, { company: acme.id, table, limit: 10 });
    await expect(attempt()).rejects.toThrow('is not being erased');
    await closeCompany(acme, 'Acme');
    await expect(attempt()).rejects.toThrow('is not being erased');
    const directly = owner.transaction(async (query) => {
      await query(`select set_config('app.company', $1, true), set_config('app.erase', $1, true)`, [String(acme.id)]);
      await query('delete from audit_event where company_id = $1', [acme.id]);
    });
    await expect(directly).rejects.toThrow('is forbidden');
    const { audit_event: events = 0, ...others } = await rowsOf(acme);
    expect({ ...others, audit_event: events - 1 }).toEqual({ ...before });
  });
});

test('a company that is being erased cannot be opened again, and its key stays rejected', async () => {
  const acme = await createCompany('Acme');
  await closeCompany(acme, 'Acme');
  await begin(acme, 'Acme');
  await expect(acme.manage.company.reopen({})).rejects.toThrow('is being erased');
  await expect(callerForKey(acme.key)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(new Session(database, null, 'x').run(defineStatement('test.noop', 'select 1'), {})).resolves.toEqual([
    { '?column?': 1 },
  ]);
});
