import type { RunSql } from './client.ts';

/** Matches a raw key in any text. */
export const RAW_KEY_PATTERN = /svc_sk_live_[0-9A-Za-z]{46}/;

/** Rows of transactions before this one were searched. All test files of a worker share this module. */
let searchedBefore = '0';

/**
 * Returns rows with a raw key, and audit events with a hash. Searches only rows that were written since the last call, because
 * the database grows with each test file: searching all of it took 10 seconds per file.
 */
export async function findStoredSecrets(run: RunSql): Promise<{ place: string; row: string }[]> {
  const [snapshot] = await run<{ xmin: string }>(`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`);
  const tables = await run<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  if (snapshot === undefined || tables.length < 10) throw new Error('the tables were not found');
  // A CASE, because the planner would match the text of all rows before it compares the cheaper transaction ids.
  const inNewRows = (condition: string) => `case when xmin::text::bigint >= ${searchedBefore} then ${condition} end`;
  const searches = tables.map(
    ({ name }) =>
      `select '${name}' as place, t::text as row from ${name} t where ${inNewRows(`t::text ~ '${RAW_KEY_PATTERN.source}'`)}`,
  );
  const hashes = `select 'audit_event', changes::text from audit_event where ${inNewRows(`changes ?| array['hash', 'previous_hash']`)}`;
  const found = await run<{ place: string; row: string }>([...searches, hashes].join(' union all '));
  searchedBefore = snapshot.xmin;
  return found;
}
