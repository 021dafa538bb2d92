import type { LeakedKeyPolicy } from '../company/company.ts';
import { readStatement, defineStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** State of a secret that was found in public. */
export interface LeakedSecret {
  /** State of its key. */
  enabled: boolean;
  /** True until a rotation ends the validity of the secret. */
  active: boolean;
  /** Policy of its company. */
  leakedKeyPolicy: LeakedKeyPolicy;
  /** Earlier reports: if there were any, their URLs, and if one of them disabled the key. */
  reported: boolean;
  knownUrls: readonly string[];
  disabledForLeak: boolean;
}

/**
 * Decides the new state of a key after a report of its secret. A known URL changes nothing: it does not disable a key
 * that an admin enabled again after a leak. An inactive secret is recorded and does not disable its successor. Contract, section 5.
 * @param url null if the report names no place
 * @returns null if there is nothing to change
 */
export function applyLeakReport(secret: LeakedSecret, url: string | null): { enabled: boolean } | null {
  const disables = secret.enabled && secret.active && secret.leakedKeyPolicy === 'disable';
  const isKnown = url === null ? secret.reported : secret.knownUrls.includes(url);
  if (isKnown && (!disables || secret.disabledForLeak)) return null;
  return { enabled: secret.enabled && !disables };
}

/** SHA-256 of a secret in hexadecimal, and its owner. */
interface KeyOwner {
  hash: string;
  companyId: number;
  /** uniqueId of the key. */
  uniqueId: string;
}

interface LeakedSecretRow extends LeakedSecret {
  hash: string;
  uniqueId: string;
  /** `xmin` of the key's row: changes with every update. */
  rowVersion: string;
}

const requestedHashes = ({ hashes }: Placeholders<{ hashes: readonly string[] }>) =>
  `requested as materialized (select hex, decode(hex, 'hex') as hash from unnest(${hashes}::text[]) as given (hex))`;

/** Owners of current and previous secrets with these hashes, in all companies but those that were moved away: another cell has their keys. */
export const findKeyOwners = readStatement<{ hashes: readonly string[] }, KeyOwner>(
  'leaked-key.owners',
  (placeholders) => `with ${requestedHashes(placeholders)}
  select o.* from (
    select requested.hex as hash, k.company_id as "companyId", k.unique_id as "uniqueId"
    from requested join api_key k on k.hash = requested.hash
    union all
    select requested.hex, k.company_id, k.unique_id from requested join api_key k on k.previous_hash = requested.hash) o
  join company c on c.id = o."companyId" and c.moved_to is null`,
  'all companies',
);

/**
 * The company's secrets with these hashes. Earlier reports come from the audit log: for a current secret, from the
 * events after the last rotation. Two reports within one tick of the clock have the same `leaked_at`.
 */
export const findSecrets = readStatement<{ hashes: readonly string[] }, LeakedSecretRow>(
  'leaked-key.secrets',
  (placeholders) => `with ${requestedHashes(placeholders)},
  found as (
    select requested.hex, k.unique_id, k.enabled, k.xmin::text as row_version, k.hash = requested.hash as is_current,
      k.hash = requested.hash or k.previous_hash_expires_at > now() as active
    from requested join api_key k on k.company_id = ${placeholders.company} and (k.hash = requested.hash or k.previous_hash = requested.hash))
  select f.hex as hash, f.unique_id as "uniqueId", f.row_version as "rowVersion", f.enabled, f.active,
    c.leaked_keys as "leakedKeyPolicy", reports.*
  from found f join company c on c.id = ${placeholders.company}
  cross join lateral (
    select count(*) > 0 as reported, coalesce(bool_or(e.changes ? 'enabled'), false) as "disabledForLeak",
      coalesce(array_agg(e.changes->'leaked_url'->>'to') filter (where e.changes ? 'leaked_url'), '{}') as "knownUrls"
    from (
      select e.id, e.action, e.changes, max(e.id) filter (where e.action = 'apiKey.rotate' and f.is_current) over () as since
      from audit_event e
      where e.company_id = ${placeholders.company} and e.resource_type = 'apiKey' and e.resource_id = f.unique_id::text) e
    where e.action = 'apiKey.update' and e.changes ?| array['leaked_at', 'leaked_url'] and e.id > coalesce(e.since, 0)) reports`,
);

/** New state of leaked keys. The nth entries of the lists belong to one key. */
interface LeakUpdates {
  uniqueIds: readonly string[];
  rowVersions: readonly string[];
  urls: readonly (string | null)[];
  enabled: readonly boolean[];
}

/**
 * Updates leaked keys, except rows that changed after the decision. Rows are locked in one order, which prevents
 * deadlocks between two reports of the same keys.
 */
export const recordLeaks = defineStatement<LeakUpdates, { unique_id: string }>(
  'leaked-key.record',
  ({ uniqueIds, rowVersions, urls, enabled, company }) => `with leak as materialized (
    select k.unique_id, given.url, given.enabled
    from unnest(${uniqueIds}::uuid[], ${rowVersions}::text[], ${urls}::text[], ${enabled}::boolean[])
      as given (unique_id, row_version, url, enabled)
    join api_key k on k.company_id = ${company} and k.unique_id = given.unique_id and k.xmin::text = given.row_version
    order by k.unique_id for update of k)
  update api_key set leaked_at = now(), leaked_url = coalesce(leak.url, api_key.leaked_url), enabled = leak.enabled
  from leak
  where api_key.company_id = ${company} and api_key.unique_id = leak.unique_id
  returning api_key.unique_id`,
);
