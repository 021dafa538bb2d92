import { callManagement } from '../../support/http/client.ts';
import type { RunSql } from '../../support/database/client.ts';

/** A fact that an upgrade must keep, and the result of its check. */
export interface Check {
  name: string;
  result: string;
  isMet: boolean;
}

/** Events of the seeded data have this request id. Seeded rows have version 1 and no event of their creation. */
const EVENTS = `
  select company_id, resource_type, resource_id, count(*) filter (where action like '%.update') as updates,
    count(*) filter (where action like '%.create') as creations
  from audit_event where request_id <> 'seed' group by 1, 2, 3`;

const rowsWithoutEvent = (table: string, loadedAt: string) => `
  select count(*)::int as rows from ${table} r left join event e
    on e.company_id = r.company_id and e.resource_type = '${table}' and e.resource_id = r.unique_id::text
  where r.version <> 1 + coalesce(updates, 0) or (r.created_at >= '${loadedAt}' and coalesce(creations, 0) <> 1)`;

/** Compares the versions of all tasks and vendors with their events, and the acknowledged writes with the audit log. */
export async function checkEvents(run: RunSql, loadedAt: string, acknowledged: readonly string[]): Promise<Check[]> {
  const tables = ['task', 'vendor'].map((table) => rowsWithoutEvent(table, loadedAt)).join(' union all ');
  const [missing] = await run<{ rows: number }>(
    `with event as materialized (${EVENTS}) select sum(rows)::int as rows from (${tables}) counted`,
  );
  const events = await run<{ request_id: string; events: number }>(
    `select request_id, count(*)::int as events from audit_event where request_id like 'upgrade-%' group by 1`,
  );
  const counts = new Map(events.map(({ request_id, events: count }) => [request_id, count]));
  const wrong = acknowledged.filter((id) => counts.get(id) !== 1);
  return [
    { name: 'rows whose version differs from their events', result: String(missing?.rows), isMet: missing?.rows === 0 },
    {
      name: 'acknowledged writes without exactly one event',
      result: `${wrong.length} of ${acknowledged.length}`,
      isMet: wrong.length === 0 && acknowledged.length > 0,
    },
  ];
}

/** State of the audit log of a company. */
export interface Chain {
  intact: boolean;
  sealed: number;
  head: { seq: number; hash: string } | null;
}

/** Verifies the audit log of each company, as `npx --no compliance audit verify` does. Seals the remaining events. */
export function verifyChains(url: string, companies: readonly number[]): Promise<Chain[]> {
  return Promise.all(companies.map((id) => callManagement<Chain>(url, 'audit.verify', {}, id)));
}

export function checkChains(name: string, chains: readonly Chain[]): Check {
  const intact = chains.filter((chain) => chain.intact).length;
  const sealed = chains.reduce((sum, chain) => sum + chain.sealed, 0);
  return {
    name: `audit logs that ${name} verifies as intact`,
    result: `${intact} of ${chains.length}, ${sealed} events`,
    isMet: intact === chains.length && sealed > 0,
  };
}
