import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { openPostgreSql } from '../entities/database/postgresql.ts';
import { generateRawKey } from '../entities/raw-key.ts';
import {
  FRAMEWORK,
  SINK,
  idOf,
  insertCompanies,
  insertEvents,
  insertKeys,
  insertTasks,
  insertVendors,
} from './seed-rows.ts';

// Fills the empty database of MIGRATION_DATABASE_URL, or else DATABASE_URL, for a load test as BENCH_SPEC (a file) says, and writes to BENCH_MANIFEST which
// keys and ids exist; with --reset it takes out what a load has written. docs/performance.md.

const Spec = z.object({
  companies: z.array(z.object({ id: z.string(), vendors: z.number().default(0), tasks: z.number().default(0) })),
  fillers: z.object({ count: z.number(), vendors: z.number() }).optional(),
  auditRows: z.number().default(0),
});

/** Ids of a company that the manifest names, at most so many of each kind. */
const SAMPLE = 1000;
const sampleOf = (no: number, kind: string, count: number) =>
  Array.from({ length: Math.min(count, SAMPLE) }, (_, index) => idOf(no, kind, index + 1));

/** What each row of these would write beside itself, and what is written here for all of them at once. */
const SILENT = ['company_audit', 'company_user_told', 'framework_audit', 'department_audit', 'api_key_audit'].concat([
  'vendor_audit',
  'task_audit',
]);
const tableOf = (trigger: string) => trigger.replace(/_(audit|told)$/, '');

const { reset } = parseArgs({ options: { reset: { type: 'boolean', default: false } } }).values;
const databaseUrl = variable('DATABASE_URL');
const ownerUrl = process.env['MIGRATION_DATABASE_URL'] ?? databaseUrl;
const client = new Client({ connectionString: ownerUrl });
await client.connect();
if (!reset) await migrate();
await (reset ? removeWritten() : fill());
await client.end();

/** Makes the tables, and the role of the service where it is another than their owner's. */
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

/** Runs statements without an audit event for each row that they write. */
async function silently(statements: () => Promise<void>): Promise<void> {
  for (const trigger of SILENT) await client.query(`alter table ${tableOf(trigger)} disable trigger ${trigger}`);
  await statements();
  for (const trigger of SILENT) await client.query(`alter table ${tableOf(trigger)} enable trigger ${trigger}`);
}

async function fill(): Promise<void> {
  const spec = Spec.parse(JSON.parse(readFileSync(variable('BENCH_SPEC'), 'utf8')));
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
  await silently(async () => {
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
    await insertVendors(client, companies);
    await insertTasks(client, companies);
    await insertEvents(client, companies.length, spec.auditRows);
  });
  await client.query(
    `select setval(s, 1000000) from unnest(array['company_id_seq', 'framework_id_seq', 'department_id_seq']) s`,
  );
  await client.query('vacuum (analyze, freeze)');
  const named = companies.slice(0, spec.companies.length).map(({ id, no, key, vendors, tasks }) => [
    id,
    {
      key,
      framework: FRAMEWORK + no,
      sinkFramework: SINK + no,
      vendors: sampleOf(no, 'vendor', vendors),
      tasks: sampleOf(no, 'task', tasks),
    },
  ]);
  writeFileSync(variable('BENCH_MANIFEST'), JSON.stringify({ ...Object.fromEntries(named), ...extra }));
}

/** Takes out what a load has created, and the trail, while the service runs on. */
async function removeWritten(): Promise<void> {
  await silently(async () => {
    await client.query(`delete from vendor where company_id in (select id from company where name = 'sink')`);
    await client.query(`delete from task where framework_id >= ${SINK}`);
  });
  for (const table of ['audit_event', 'audit_seal'])
    await client.query(`alter table ${table} disable trigger ${table}_refuse`);
  await client.query('truncate audit_event, audit_seal');
  for (const table of ['audit_event', 'audit_seal'])
    await client.query(`alter table ${table} enable trigger ${table}_refuse`);
  await client.query('vacuum (analyze)');
}

function variable(name: 'DATABASE_URL' | 'BENCH_SPEC' | 'BENCH_MANIFEST'): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name}: required`);
  return value;
}
