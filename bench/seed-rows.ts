import { OPERATOR } from '../entities/company/user.ts';
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { hashRawKey, keyPreview } from '../entities/api-key/raw-key.ts';

// Inserts the rows of a load test, with one statement for each table.

/** Company n has framework `FIRST_FRAMEWORK_ID + n` with seeded tasks, and `FIRST_SINK_FRAMEWORK_ID + n` for new tasks. */
export const FIRST_FRAMEWORK_ID = 1000;
export const FIRST_SINK_FRAMEWORK_ID = 500_000;
const DEPARTMENT_COUNT = 7;

/** Derives a unique id from company number, kind and row number: as an SQL expression, and as a value for the manifest. */
export const uniqueIdSql = (kind: string, n: string) =>
  `overlay(overlay(md5(no || ':${kind}:' || ${n}) placing '7' from 13) placing '8' from 17)::uuid`;
export const uniqueIdFor = (no: number, kind: string, n: number) =>
  createHash('md5')
    .update(`${no}:${kind}:${n}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-7$3-8$4-$5');

export async function insertCompanies(client: Client, names: string[]): Promise<void> {
  const count = names.length;
  await client.query(
    'insert into company (id, name) select no, name from unnest($1::text[]) with ordinality c(name, no)',
    [names],
  );
  await client.query(
    `insert into framework (company_id, id, name)
    select no, first + no, 'Framework' from generate_series(1, $1::int) no, unnest($2::int[]) first`,
    [count, [FIRST_FRAMEWORK_ID, FIRST_SINK_FRAMEWORK_ID]],
  );
  await client.query(
    `insert into department (company_id, id, name)
    select no, id, 'Department ' || id from generate_series(1, $1::int) no, generate_series(1, $2::int) id`,
    [count, DEPARTMENT_COUNT],
  );
}

interface SeedKey {
  no: number;
  name: string;
  key: string;
  enabled: boolean;
  expiresAt: string | null;
}

export async function insertKeys(client: Client, keys: SeedKey[]): Promise<void> {
  const rows = keys.map(({ key, expiresAt, ...rest }) => {
    const hash = hashRawKey(key);
    return { ...rest, ...keyPreview(key), hash, expires_at: expiresAt };
  });
  await client.query(
    `with seed_key as materialized (
      select *, ${uniqueIdSql('user', 'name')} as user_id from jsonb_to_recordset($1::jsonb)
        as k(no int, name text, start text, last4 text, hash text, enabled boolean, expires_at timestamptz)),
    users as (
      insert into company_user (company_id, unique_id, kind, name) select no, user_id, 'integration', name from seed_key)
    insert into api_key (company_id, unique_id, user_id, name, hash, start, last4, enabled, expires_at)
    select no, ${uniqueIdSql('key', 'name')}, user_id, name, decode(hash, 'hex'), start, last4, enabled, expires_at from seed_key`,
    [JSON.stringify(rows)],
  );
}

/** Inserts the operator and one member of each company, to whom half of the tasks are given. */
export async function insertMembers(client: Client, companies: number): Promise<void> {
  await client.query(
    `with people as (
      insert into person (unique_id, email, name)
      select ${uniqueIdSql('member', "'m'")}, 'member-' || no || '@example.com', 'Member' from generate_series(1, $1::int) no),
    users as (
      insert into company_user (company_id, unique_id, kind, name)
      select no, ${uniqueIdSql('member', "'m'")}, 'human', 'Member' from generate_series(1, $1::int) no
      union all select no, '${OPERATOR.uniqueId}', 'human', '${OPERATOR.name}' from generate_series(1, $1::int) no)
    insert into member (company_id, unique_id, person_id, role)
    select no, ${uniqueIdSql('member', "'m'")}, ${uniqueIdSql('member', "'m'")}, 'admin' from generate_series(1, $1::int) no`,
    [companies],
  );
}

interface RowCounts {
  no: number;
  vendors: number;
  tasks: number;
}

function countColumns(companies: RowCounts[], kind: 'vendors' | 'tasks'): number[][] {
  return [companies.map(({ no }) => no), companies.map((company) => company[kind])];
}

export async function insertVendors(client: Client, companies: RowCounts[]): Promise<void> {
  await client.query(
    `insert into vendor (company_id, unique_id, name, description, created_by_id, updated_by_id)
    select no, ${uniqueIdSql('vendor', 'i')}, 'Vendor ' || lpad(i::text, 6, '0'), '<p>Hosting and <b>backups</b>, reviewed every year.</p>',
      ${uniqueIdSql('user', `'key'`)}, ${uniqueIdSql('user', `'key'`)}
    from unnest($1::int[], $2::int[]) company(no, count), generate_series(1, count) i`,
    countColumns(companies, 'vendors'),
  );
}

export async function insertTasks(client: Client, companies: RowCounts[]): Promise<void> {
  await client.query(
    `insert into task (company_id, unique_id, framework_id, title, description, priority, labels, start_date, due_date,
      department_id, assignee_id, created_by_id, updated_by_id)
    select no, ${uniqueIdSql('task', 'i')}, ${FIRST_FRAMEWORK_ID} + no, 'Task ' || i, 'Check who has access and remove what is no longer needed.',
      i % 4 + 1, '{access,review}', date '2026-01-01' + i % 90, date '2026-04-01' + i % 90, i % ${DEPARTMENT_COUNT} + 1,
      case when i % 2 = 0 then ${uniqueIdSql('member', "'m'")} end,
      ${uniqueIdSql('user', `'key'`)}, ${uniqueIdSql('user', `'key'`)}
    from unnest($1::int[], $2::int[]) company(no, count), generate_series(1, count) i`,
    countColumns(companies, 'tasks'),
  );
}

/** Inserts past events, distributed over the companies, and seals them. */
export async function insertEvents(client: Client, companies: number, count: number): Promise<void> {
  if (count === 0) return;
  await client.query(
    `insert into audit_event (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, changes, request_id)
    select no, ${uniqueIdSql('event', 'i')}, now() - i * interval '1 second', ${uniqueIdSql('user', `'key'`)}, ${uniqueIdSql('key', `'key'`)},
      'vendor.update', 'vendor', ${uniqueIdSql('vendor', 'i')}, '{"status": {"from": "active", "to": "inactive"}}', 'seed'
    from (select i, i % $1 + 1 as no from generate_series(1, $2::int) i) numbered`,
    [companies, count],
  );
  await client.query('analyze audit_event');
  for (let sealed = 1; sealed > 0;) {
    const { rows } = await client.query<{ sealed: number }>(
      'select coalesce(sum(seal_audit_log(id, 1000)), 0)::int as sealed from company',
    );
    sealed = rows[0]?.sealed ?? 0;
  }
  // No other session writes now, so the watermark can advance to the newest event. This saves the service that work.
  await client.query(
    `update audit_watermark w set watermark = e.newest, candidate = e.newest
     from (select company_id, max(id) as newest from audit_event group by company_id) e where e.company_id = w.company_id`,
  );
}
