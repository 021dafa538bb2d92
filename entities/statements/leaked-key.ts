import { reading, statement } from '../database/statement.ts';
import type { LeakedSecret } from '../leak.ts';

/** A secret by its SHA-256 in hexadecimal, and whose it is. */
interface OwnedHash {
  hash: string;
  companyId: number;
  /** Of the key. */
  uniqueId: string;
}

export interface SecretRow extends LeakedSecret {
  hash: string;
  uniqueId: string;
  /** PostgreSQL's own version of the key's row. */
  rowVersion: string;
}

const asked = `asked as materialized (select hex, decode(hex, 'hex') as hash from unnest(:hashes::text[]) as given (hex))`;

/** Which of these hashes are of a key's secret, the present one or the one before, and whose: asked before it is known. */
export const ownersOfHashes = reading<{ hashes: readonly string[] }, OwnedHash>(
  'leaked-key.owners',
  `with ${asked}
  select asked.hex as hash, k.company_id as "companyId", k.unique_id as "uniqueId"
  from asked join api_key k on k.hash = asked.hash
  union all
  select asked.hex, k.company_id, k.unique_id from asked join api_key k on k.previous_hash = asked.hash`,
  'every company',
);

/**
 * The company's secrets with these hashes. What was reported of them before is in the trail: of a present secret, in
 * what came after the last rotation.
 */
export const secretsByHashes = reading<{ hashes: readonly string[] }, SecretRow>(
  'leaked-key.secrets',
  `with ${asked},
  found as (
    select asked.hex, k.unique_id, k.enabled, k.xmin::text as row_version, k.hash = asked.hash as present,
      k.hash = asked.hash or k.previous_until > now() as works
    from asked join api_key k on k.company_id = :company and (k.hash = asked.hash or k.previous_hash = asked.hash))
  select f.hex as hash, f.unique_id as "uniqueId", f.row_version as "rowVersion", f.enabled, f.works,
    c.leaked_keys as "leakedKeys", trail.*
  from found f join company c on c.id = :company
  cross join lateral (
    select count(*) > 0 as reported, coalesce(bool_or(e.changes ? 'enabled'), false) as stopped,
      coalesce(array_agg(e.changes->'leaked_url'->>'to') filter (where e.changes ? 'leaked_url'), '{}') as places
    from (
      select e.id, e.action, e.changes, max(e.id) filter (where e.action = 'apiKey.rotate' and f.present) over () as since
      from audit_event e
      where e.company_id = :company and e.resource_type = 'apiKey' and e.resource_id = f.unique_id::text) e
    where e.action = 'apiKey.update' and e.changes ? 'leaked_at' and e.id > coalesce(e.since, 0)) trail`,
);

/** What leaks make of keys: the nth of each list is of one key. */
interface Leaks {
  uniqueIds: readonly string[];
  rowVersions: readonly string[];
  urls: readonly (string | null)[];
  enabled: readonly boolean[];
}

/**
 * Writes what leaks make of keys over the rows it was decided on; those that another change came before are left out.
 * Rows are locked in one order, so that two reports of the same keys cannot wait for each other.
 */
export const recordLeaks = statement<Leaks, { unique_id: string }>(
  'leaked-key.record',
  `with leak as materialized (
    select k.unique_id, given.url, given.enabled
    from unnest(:uniqueIds::uuid[], :rowVersions::text[], :urls::text[], :enabled::boolean[])
      as given (unique_id, row_version, url, enabled)
    join api_key k on k.company_id = :company and k.unique_id = given.unique_id and k.xmin::text = given.row_version
    order by k.unique_id for update of k)
  update api_key set leaked_at = now(), leaked_url = coalesce(leak.url, api_key.leaked_url), enabled = leak.enabled
  from leak
  where api_key.company_id = :company and api_key.unique_id = leak.unique_id
  returning api_key.unique_id`,
);
