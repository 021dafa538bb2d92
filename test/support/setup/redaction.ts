import { afterAll, expect } from 'vitest';
import { sql } from '../database/database.ts';

/** Matches a raw key in any text. */
export const RAW_KEY_PATTERN = /svc_sk_live_[0-9A-Za-z]{46}/;

// Checks after each test file that no table contains a raw key, and that the audit log contains no hash.
afterAll(async () => {
  const tables = await sql<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const searches = tables.map(
    ({ name }) =>
      `select '${name}' as place, t::text as row from ${name} t where t::text ~ '${RAW_KEY_PATTERN.source}'`,
  );
  const hashes = `select 'audit_event', changes::text from audit_event where changes ?| array['hash', 'previous_hash']`;
  expect(tables.length).toBeGreaterThan(9);
  expect(await sql([...searches, hashes].join(' union all '))).toEqual([]);
});
