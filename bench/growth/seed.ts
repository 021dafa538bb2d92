import { Client } from 'pg';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { FIRST_FRAMEWORK_ID, insertCompanies, insertKeys, insertMembers, uniqueIdFor } from '../seed-rows.ts';
import { insertEvents, insertTasksAndVendors, passesOf, sharesOf } from './rows.ts';
import type { Size } from './rows.ts';

/** A company of the installation, as a client knows it. */
export interface SeededCompany {
  id: number;
  key: string;
  framework: number;
  task: string;
  vendor: string;
  tasks: number;
  events: number;
}

/** An installation that was seeded. */
export interface Seeded {
  largest: SeededCompany;
  /** One of the others. */
  other: SeededCompany;
  /** Keys of further companies. */
  keys: string[];
}

/** Keys of further companies that are returned. */
const KEYS = 50;
const CONNECTIONS = 2;
const SEAL_BATCH = 5000;
const TABLES = ['task', 'vendor', 'audit_event', 'audit_seal'];

/**
 * Fills an empty database. Secondary indexes are built afterwards, and no trigger runs, which requires a superuser.
 */
export async function seed(url: string, size: Size, print: (line: string) => void): Promise<Seeded> {
  const database = await openPostgreSql(url);
  await database.migrate();
  await database.close();
  const clients = Array.from(
    { length: CONNECTIONS },
    () => new Client({ connectionString: url, options: '-c session_replication_role=replica' }),
  );
  for (const client of clients) await client.connect();
  const [owner] = clients;
  if (owner === undefined) throw new Error('expected a connection');
  const startedAt = performance.now();
  const done = (what: string) => print(`  ${what}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const indexes = await dropIndexes(owner);
  const keys = Array.from({ length: size.companies }, () => generateRawKey());
  await insertCompanies(
    owner,
    keys.map((_, index) => `Company ${index + 1}`),
  );
  await insertKeys(
    owner,
    keys.map((key, index) => ({ no: index + 1, name: 'key', key, enabled: true, expiresAt: null })),
  );
  await owner.query('update api_key set scopes = $1', [SCOPES]);
  await insertMembers(owner, size.companies);
  await inParallel(clients, passesOf(size, size.tasks), (client, pass) => insertTasksAndVendors(client, pass));
  await owner.query(
    `insert into task_count (company_id, framework_id, slot, tasks, todo)
     select company_id, framework_id, 0, count(*), count(*) from task group by 1, 2`,
  );
  done('tasks and vendors');
  await inParallel(clients, passesOf(size, size.events), (client, pass) => insertEvents(client, pass));
  done('events');
  await inParallel(clients, indexes, (client, definition) => client.query(definition));
  done('indexes');
  await owner.query('vacuum (analyze, freeze) audit_event');
  const companies = Array.from({ length: size.companies }, (_, index) => index + 1);
  await inParallel(clients, companies, sealCompany);
  await owner.query(
    `update audit_watermark w set watermark = e.newest, candidate = e.newest
     from (select company_id, max(id) as newest from audit_event group by company_id) e where e.company_id = w.company_id`,
  );
  // As if the inboxes had read the events when they came.
  await owner.query(
    'insert into inbox_reader (company_id, position) select company_id, max(seq) from audit_seal group by 1',
  );
  done('seals');
  await owner.query(
    `select setval(s, 1000000) from unnest(array['company_id_seq', 'framework_id_seq', 'department_id_seq']) s`,
  );
  await owner.query('vacuum (analyze, freeze)');
  await owner.query('checkpoint');
  done('vacuum');
  for (const client of clients) await client.end();
  const companyOf = (id: number): SeededCompany => ({
    id,
    key: keys[id - 1] ?? '',
    framework: FIRST_FRAMEWORK_ID + id,
    task: uniqueIdFor(id, 'task', 1),
    vendor: uniqueIdFor(id, 'vendor', 1),
    tasks: sharesOf(size, size.tasks)[id === 1 ? 0 : 1],
    events: sharesOf(size, size.events)[id === 1 ? 0 : 1],
  });
  const middle = Math.ceil(size.companies / 2);
  return { largest: companyOf(1), other: companyOf(middle), keys: keys.slice(middle, middle + KEYS) };
}

async function sealCompany(client: Client, company: number): Promise<void> {
  for (let sealed = SEAL_BATCH; sealed === SEAL_BATCH;) {
    const { rows } = await client.query<{ sealed: number }>('select seal_audit_log($1, $2)::int as sealed', [
      company,
      SEAL_BATCH,
    ]);
    sealed = rows[0]?.sealed ?? 0;
  }
}

/** Drops indexes that are not those of keys. @returns the statements that create them */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = any($1::regclass[]) and not i.indisunique`,
    [TABLES],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function inParallel<T>(
  clients: readonly Client[],
  items: readonly T[],
  work: (client: Client, item: T) => Promise<unknown>,
): Promise<void> {
  const remaining = items.values();
  await Promise.all(
    clients.map(async (client) => {
      for (const item of remaining) await work(client, item);
    }),
  );
}
