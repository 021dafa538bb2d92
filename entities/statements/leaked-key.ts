import { me, statement } from '../database/statement.ts';
import type { LeakedSecret } from '../leak.ts';

export interface SecretRow extends LeakedSecret {
  /** SHA-256 in hexadecimal. */
  hash: string;
  companyId: number;
  /** Of the key. */
  uniqueId: string;
  /** PostgreSQL's own version of the row. */
  rowVersion: string;
}

/**
 * The secrets that have these hashes, present ones and those before the last rotation, of whichever company: asked
 * before it is known. What was reported of them is in the trail; of a present secret, after the last rotation.
 */
export const secretsByHashes = statement<{ hashes: readonly string[] }, SecretRow>(
  'leaked-key.by-hashes',
  `with asked as materialized (select hex, decode(hex, 'hex') as hash from unnest(:hashes::text[]) as given (hex)),
  found as (
    select asked.hex, true as works, true as present, k.company_id, k.unique_id, k.enabled, k.xmin::text as row_version
    from asked join api_key k on k.hash = asked.hash
    union all
    select asked.hex, k.previous_until > now(), false, k.company_id, k.unique_id, k.enabled, k.xmin::text
    from asked join api_key k on k.previous_hash = asked.hash)
  select f.hex as hash, f.works, f.company_id as "companyId", f.unique_id as "uniqueId", f.enabled,
    f.row_version as "rowVersion", c.leaked_keys as "leakedKeys", trail.*
  from found f
  join company c on c.id = f.company_id
  cross join lateral (
    select coalesce(max(e.id) filter (where e.action = 'apiKey.rotate' and f.present), 0) as since from audit_event e
    where e.company_id = f.company_id and e.resource_type = 'apiKey' and e.resource_id = f.unique_id::text) rotated
  cross join lateral (
    select count(*) > 0 as reported, coalesce(bool_or(e.changes ? 'enabled'), false) as stopped,
      coalesce(array_agg(e.changes->'leaked_url'->>'to') filter (where e.changes ? 'leaked_url'), '{}') as places
    from audit_event e
    where e.company_id = f.company_id and e.resource_type = 'apiKey' and e.resource_id = f.unique_id::text
      and e.action = 'apiKey.update' and e.changes ? 'leaked_at' and e.id > rotated.since) trail`,
);

/** Writes what a leak makes of a key over the row it was decided on; no row when another change came first. */
export const recordLeak = statement<
  { uniqueId: string; rowVersion: string; url: string | null; enabled: boolean },
  { unique_id: string }
>(
  'leaked-key.record',
  `with ${me}
  update api_key set leaked_at = now(), leaked_url = coalesce(:url::text, api_key.leaked_url), enabled = :enabled
  from me
  where api_key.company_id = :company and api_key.unique_id = :uniqueId and api_key.xmin::text = :rowVersion::text
  returning api_key.unique_id`,
);
