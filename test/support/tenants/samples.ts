import { sql } from '../database/database.ts';
import type { TestCompany } from './company.ts';

/**
 * Reads the rows of a company in all tables, except what jobs write at any time: requests and usage of keys, the search for unsealed events, and
 * the history of tasks.
 */
export async function storedRows({ id }: Pick<TestCompany, 'id'>): Promise<unknown[]> {
  const tables = await sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       and c.relname not in ('api_key_request', 'api_key_usage', 'audit_watermark', 'task_status_day')`,
  );
  // One statement: the embedded database takes most of the time of a small read for its call.
  const reads = tables.map(
    ({ name }) => `select '${name}', to_jsonb(t) - 'last_used_at' from ${name} t where company_id = $1`,
  );
  return sql(`${reads.join(' union all ')} order by 1, 2`, id);
}

/** A task or a vendor as lists and REST show it: without the entity tag that tRPC adds. */
export const untagged = <Item extends { etag: string }>({ etag: _etag, ...item }: Item): Omit<Item, 'etag'> => item;

/** A task or a vendor as events have it: without the entity tag, and without what a read looks up. */
export function recorded<Item extends object>(item: Item) {
  const lookedUp = { etag: '', evidenceCount: 0, next: null, closedAt: null, closedBy: null };
  const {
    etag: _etag,
    evidenceCount: _count,
    next: _next,
    closedAt: _closedAt,
    closedBy: _closedBy,
    ...fields
  } = {
    ...lookedUp,
    ...item,
  };
  return fields;
}
