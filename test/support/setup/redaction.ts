import { afterAll, expect } from 'vitest';
import { sql } from '../database/database.ts';

/** A raw key, wherever it may be. */
export const RAW_KEY_PATTERN = /svc_sk_live_[0-9A-Za-z]{46}/;

// After every file: whatever its tests did, nothing in the database is a raw key, and the trail holds no hash.
afterAll(async () => {
  const tables = await sql<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const greps = tables.map(
    ({ name }) =>
      `select '${name}' as place, t::text as row from ${name} t where t::text ~ '${RAW_KEY_PATTERN.source}'`,
  );
  const hashes = `select 'audit_event', changes::text from audit_event where changes ?| array['hash', 'previous_hash']`;
  expect(tables.length).toBeGreaterThan(9);
  expect(await sql([...greps, hashes].join(' union all '))).toEqual([]);
});
