import { describe, expect, test } from 'vitest';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { createCompany } from '../support/tenants/company.ts';
import { asOwner, database, sql } from '../support/database/database.ts';

// PostgreSQL searches temporary tables before all others, unless a function sets its own search_path.
const acme = await createCompany();
const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
const { uniqueId: task } = await acme.newTask();

const SHADOWED_TABLES = [
  'audit_event',
  'audit_seal',
  'audit_watermark',
  'gap',
  'framework',
  'task_count',
  'company_user',
];
type RunSql = Parameters<Parameters<typeof asOwner>[0]>[0];

/** Runs `work` in a transaction with temporary tables of these names, and rolls it back. */
async function withShadowTables<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
  const rollback = new Error('rollback');
  let result: { value: T } | undefined;
  const settings = { company: acme.id, user: OPERATOR.uniqueId };
  const transaction = asOwner(async (run) => {
    for (const table of SHADOWED_TABLES) {
      await run(`create temp table ${table} (like public.${table} including all) on commit drop`);
    }
    result = { value: await work(run) };
    throw rollback;
  }, settings);
  await transaction.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return result?.value ?? expect.fail('no result');
}

/** Counts the rows of a table in the schema and of the temporary table with its name. */
const countsOf = async (run: RunSql, table: string) => {
  const [row] = await run<{ schema: number; temporary: number }>(
    `select (select count(*)::int from public.${table} where company_id = ${acme.id}) as schema,
       (select count(*)::int from pg_temp.${table}) as temporary`,
  );
  return row ?? expect.fail('no counts');
};

describe('a temporary table', () => {
  test('named audit_event receives no audit event', async () => {
    const [before, after] = await withShadowTables(async (run) => [
      await countsOf(run, 'audit_event'),
      await run(
        `update public.vendor set name = 'Changed', version = version + 1, updated_by_id = $1::uuid where unique_id = $2::uuid`,
        OPERATOR.uniqueId,
        vendor,
      ).then(async () => {
        await run('delete from public.vendor where unique_id = $1::uuid', vendor);
        return countsOf(run, 'audit_event');
      }),
    ]);
    expect(after).toEqual({ schema: before.schema + 2, temporary: 0 });
  });

  test('named task_count receives no count', async () => {
    const after = await withShadowTables(async (run) => {
      await run('delete from public.task where unique_id = $1::uuid', task);
      return countsOf(run, 'task_count');
    });
    expect(after.temporary).toBe(0);
  });

  test('named gap does not add a missing gap to a task', async () => {
    const gap = 2_147_483_647;
    const written = withShadowTables(async (run) => {
      await run(
        `insert into pg_temp.gap (company_id, id, framework_id, title) values (${acme.id}, ${gap}, ${acme.framework}, 'Forged')`,
      );
      await run(
        `update public.task set gaps = array[${gap}], version = version + 1, updated_by_id = $1::uuid where unique_id = $2::uuid`,
        OPERATOR.uniqueId,
        task,
      );
    });
    await expect(written).rejects.toThrow('gaps must be distinct gaps of its framework');
  });

  test('named framework does not add a missing framework to a key', async () => {
    const framework = 2_147_483_647;
    const written = withShadowTables(async (run) => {
      await run(`insert into pg_temp.framework (company_id, id, name) values (${acme.id}, ${framework}, 'Forged')`);
      await run(
        `update public.api_key set frameworks = array[${framework}] where company_id = ${acme.id} and unique_id = $1::uuid`,
        acme.apiKey.uniqueId,
      );
    });
    await expect(written).rejects.toThrow('frameworks must be distinct frameworks of its company');
  });

  test('named company_user changes no entity tag', async () => {
    const tagOf = (run: RunSql) =>
      run<{ tag: string }>(
        `select public.entity_tag(company_id, version, created_by_id, updated_by_id) as tag from public.task where unique_id = $1::uuid`,
        task,
      );
    expect(await withShadowTables(tagOf)).toEqual(
      await sql(
        `select entity_tag(company_id, version, created_by_id, updated_by_id) as tag
      from task where unique_id = $1::uuid`,
        task,
      ),
    );
  });

  test('named audit_seal or audit_watermark receives no seal', async () => {
    const sealed = await withShadowTables(async (run) => {
      await run(`select public.seal_audit_log(${acme.id}, 1000)`);
      return [await countsOf(run, 'audit_seal'), await countsOf(run, 'audit_watermark')];
    });
    expect(sealed).toEqual([
      { schema: await acme.events().then((events) => events.length), temporary: 0 },
      { schema: 1, temporary: 0 },
    ]);
  });
});

test('PostgreSQL inlines uuid_v7, which every audit event calls', async () => {
  const plan = await sql<Record<'QUERY PLAN', string>>('explain (verbose) select public.uuid_v7()');
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('clock_timestamp()');
});

test('the service role cannot create temporary tables or objects in the schema', async () => {
  for (const text of ['create temp table gap (id int)', 'create table gap_2 (id int)']) {
    const created = database.run(defineStatement(`test.${newUniqueId()}`, text), {}, {});
    await expect(created).rejects.toMatchObject({ code: '42501' });
  }
});

test('every function of the schema searches pg_catalog first and temporary tables last', async () => {
  const functions = await sql<{ name: string; settings: string[] | null }>(
    `select p.oid::regprocedure::text as name, proconfig as settings from pg_proc p
     where pronamespace = 'public'::regnamespace and prokind <> 'a'`,
  );
  expect(functions.length).toBeGreaterThanOrEqual(14);
  const others = functions.filter(({ settings }) => !settings?.includes('search_path=pg_catalog, public, pg_temp'));
  // PostgreSQL does not inline functions with settings. These functions must be inlined, so they qualify every name.
  const byName = others.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName).toEqual([
    { name: 'fold_case(text)', settings: null },
    { name: 'uuid_v7()', settings: null },
  ]);
});
