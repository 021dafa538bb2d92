import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { generateRawKey } from '../entities/api-key/raw-key.ts';
import {
  FIRST_FRAMEWORK_ID,
  FIRST_SINK_FRAMEWORK_ID,
  insertCompanies,
  insertEvents,
  insertKeys,
  insertMembers,
  insertTasks,
  insertVendors,
  uniqueIdFor,
} from './seed-rows.ts';

// Seeds an empty database for a load test (README.md). BENCH_SPEC names a file with the numbers of rows. Writes the
// keys and ids to the file BENCH_MANIFEST. Connects to MIGRATION_DATABASE_URL if set, otherwise to DATABASE_URL.
// With --reset, deletes the rows that a load test has written.

const Spec = z.object({
  companies: z.array(z.object({ id: z.string(), vendors: z.number().default(0), tasks: z.number().default(0) })),
  fillers: z.object({ count: z.number(), vendors: z.number() }).optional(),
  auditRows: z.number().default(0),
});

/** Maximum number of ids of each kind and company in the manifest. */
const MAX_SAMPLE_IDS = 1000;
const sampleIds = (no: number, kind: string, count: number) =>
  Array.from({ length: Math.min(count, MAX_SAMPLE_IDS) }, (_, index) => uniqueIdFor(no, kind, index + 1));

/** Triggers that would write an audit event or check the principal for each seeded row. */
const DISABLED_TRIGGERS = [
  'company_audit',
  'company_user_require_principal',
  'framework_audit',
  'department_audit',
  'api_key_audit',
].concat(['vendor_audit', 'task_audit', 'member_audit']);
const triggerTable = (trigger: string) => trigger.replace(/_(audit|require_principal)$/, '');

const { reset } = parseArgs({ options: { reset: { type: 'boolean', default: false } } }).values;
const databaseUrl = requiredEnv('DATABASE_URL');
const ownerUrl = process.env['MIGRATION_DATABASE_URL'] ?? databaseUrl;
const client = new Client({ connectionString: ownerUrl });
await client.connect();
if (!reset) await migrate();
await (reset ? deleteLoadData() : seedDatabase());
await client.end();

/** Creates the tables, and the role of the service if it is not the owner of the tables. */
async function migrate(): Promise<void> {
  const { user } = new Client({ connectionString: databaseUrl });
  if (user !== client.user) {
    const role = client.escapeIdentifier(user ?? '');
    await client.query(
      `do $$ begin create role ${role} login; exception when duplicate_object or unique_violation then null; end $$`,
    );
  }
  const database = await openPostgreSql(databaseUrl, { ownerUrl });
  await database.migrate();
  await database.close();
}

/** Runs statements with these triggers disabled. */
async function withoutTriggers(statements: () => Promise<void>): Promise<void> {
  for (const trigger of DISABLED_TRIGGERS)
    await client.query(`alter table ${triggerTable(trigger)} disable trigger ${trigger}`);
  await statements();
  for (const trigger of DISABLED_TRIGGERS)
    await client.query(`alter table ${triggerTable(trigger)} enable trigger ${trigger}`);
}

async function seedDatabase(): Promise<void> {
  const spec = Spec.parse(JSON.parse(readFileSync(requiredEnv('BENCH_SPEC'), 'utf8')));
  const fillers = Array.from({ length: spec.fillers?.count ?? 0 }, (_, index) => ({
    id: `f${index + 1}`,
    vendors: spec.fillers?.vendors ?? 0,
    tasks: 0,
  }));
  const companies = [...spec.companies, ...fillers].map(({ id, vendors, tasks }, index) => ({
    id,
    vendors,
    tasks,
    no: index + 1,
    key: generateRawKey(),
  }));
  const extra = { disabledKey: generateRawKey(), expiredKey: generateRawKey() };
  await withoutTriggers(async () => {
    await insertCompanies(
      client,
      companies.map(({ id }) => id),
    );
    await insertKeys(
      client,
      companies.map(({ no, key }) => ({ no, name: 'key', key, enabled: true, expiresAt: null })),
    );
    await insertKeys(client, [
      { no: 1, name: 'disabled', key: extra.disabledKey, enabled: false, expiresAt: null },
      { no: 1, name: 'expired', key: extra.expiredKey, enabled: true, expiresAt: '2020-01-01' },
    ]);
    await insertMembers(client, companies.length);
    await insertVendors(client, companies);
    await insertTasks(client, companies);
    await insertEvents(client, companies.length, spec.auditRows);
  });
  await client.query(
    `select setval(s, 1000000) from unnest(array['company_id_seq', 'framework_id_seq', 'department_id_seq']) s`,
  );
  await client.query('vacuum (analyze, freeze)');
  const manifestEntries = companies.slice(0, spec.companies.length).map(({ id, no, key, vendors, tasks }) => [
    id,
    {
      key,
      framework: FIRST_FRAMEWORK_ID + no,
      sinkFramework: FIRST_SINK_FRAMEWORK_ID + no,
      vendors: sampleIds(no, 'vendor', vendors),
      tasks: sampleIds(no, 'task', tasks),
    },
  ]);
  writeFileSync(requiredEnv('BENCH_MANIFEST'), JSON.stringify({ ...Object.fromEntries(manifestEntries), ...extra }));
}

/** Deletes the rows of a load test and the audit log, while the service continues to run. */
async function deleteLoadData(): Promise<void> {
  await withoutTriggers(async () => {
    await client.query(`delete from vendor where company_id in (select id from company where name = 'sink')`);
    await client.query(`delete from task where framework_id >= ${FIRST_SINK_FRAMEWORK_ID}`);
  });
  for (const table of ['audit_event', 'audit_seal'])
    await client.query(`alter table ${table} disable trigger ${table}_forbid`);
  await client.query('truncate audit_event, audit_seal');
  for (const table of ['audit_event', 'audit_seal'])
    await client.query(`alter table ${table} enable trigger ${table}_forbid`);
  await client.query('vacuum (analyze)');
}

function requiredEnv(name: 'DATABASE_URL' | 'BENCH_SPEC' | 'BENCH_MANIFEST'): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name}: required`);
  return value;
}
