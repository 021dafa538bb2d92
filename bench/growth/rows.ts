import type { Client } from 'pg';
import { FIRST_FRAMEWORK_ID, uniqueIdSql } from '../seed-rows.ts';

/** Numbers of rows of an installation. */
export interface Size {
  companies: number;
  tasks: number;
  events: number;
  /** Share of the tasks and events that company 1 has. The others have as many each. */
  largest: number;
}

/** Passes in which rows are inserted: those of a company lie in as many places, because companies write at the same time. */
const PASSES = 10;

/** Rows of company 1, and of each other one. */
export function sharesOf({ companies, largest }: Size, rows: number): [number, number] {
  const first = Math.round(rows * largest);
  return [first, Math.round((rows - first) / Math.max(1, companies - 1))];
}

interface Pass {
  companies: number;
  /** Number of the first row of a company in this pass, and of the last one: of company 1, and of each other one. */
  from: [number, number];
  to: [number, number];
}

/** Divides rows into passes. */
export function passesOf(size: Size, rows: number): Pass[] {
  const [first, other] = sharesOf(size, rows);
  const upTo = (pass: number): [number, number] => [
    Math.round((first * pass) / PASSES),
    Math.round((other * pass) / PASSES),
  ];
  return Array.from({ length: PASSES }, (_, pass) => {
    const [firstRow, otherRow] = upTo(pass);
    return { companies: size.companies, from: [firstRow + 1, otherRow + 1], to: upTo(pass + 1) };
  });
}

/** Rows `i` of companies `no` in a pass. */
const ROWS = `generate_series(1, $1::int) no, generate_series(case no when 1 then $2::int else $3::int end, case no when 1 then $4::int else $5::int end) i`;
const valuesOf = ({ companies, from, to }: Pass) => [companies, ...from, ...to];
const USER = uniqueIdSql('user', `'key'`);

/** Inserts tasks, and a vendor for each ten. */
export async function insertTasksAndVendors(client: Client, pass: Pass): Promise<void> {
  await client.query(
    `insert into task (company_id, unique_id, framework_id, title, description, priority, labels, due_date, created_at, updated_at,
      created_by_id, updated_by_id, version)
    select no, ${uniqueIdSql('task', 'i')}, ${FIRST_FRAMEWORK_ID} + no, 'Review access rights ' || i,
      'Check who has access, and remove what is no longer needed.', i % 4 + 1, '{access,review}', date '2026-04-01' + i % 365,
      now() - i * interval '1 minute', now() - i * interval '1 minute', ${USER}, ${USER}, 2
    from ${ROWS}`,
    valuesOf(pass),
  );
  await client.query(
    `insert into vendor (company_id, unique_id, name, description, created_by_id, updated_by_id)
    select no, ${uniqueIdSql('vendor', 'i')}, 'Vendor ' || i, 'Hosts the customer portal and its backups.', ${USER}, ${USER}
    from ${ROWS} where i % 10 = 1`,
    valuesOf(pass),
  );
}

/** Inserts past events of the tasks and vendors. */
export async function insertEvents(client: Client, pass: Pass): Promise<void> {
  await client.query(
    `insert into audit_event (company_id, unique_id, occurred_at, user_id, api_key_id, action, resource_type, resource_id, framework_id,
      changes, request_id)
    select no, ${uniqueIdSql('event', 'i')}, now() - interval '400 days' + i * interval '10 seconds', ${USER},
      ${uniqueIdSql('key', `'key'`)}, kind || '.update', kind,
      case kind when 'task' then ${uniqueIdSql('task', '(i + 1) / 2')} else ${uniqueIdSql('vendor', '(i + 1) / 2')} end,
      case kind when 'task' then ${FIRST_FRAMEWORK_ID} + no else 0 end, '{"description": {"from": "", "to": "Check who has access."}}', 'seed'
    from ${ROWS}, lateral (select case i % 20 when 1 then 'vendor' else 'task' end as kind) resource`,
    valuesOf(pass),
  );
}
