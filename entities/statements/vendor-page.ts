import { reading } from '../database/statement.ts';
import type { VendorStatus } from '../vendor.ts';
import type { VendorListed } from './vendor.ts';

/** Which vendors are asked for; null does not matter. Contract, section 4. */
export interface VendorFilters {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
}

/** Names are ordered by code point, and in that collation `lower` knows no letters but those of ASCII. */
const matches = `v.company_id = :company and (:status::text is null or v.status = :status)
  and (:q::text is null or strpos(lower(v.name collate "default"), lower(:q)) > 0)`;

export const countVendors = reading<VendorFilters, { total: number }>(
  'vendor.count',
  `select count(*)::int as total from vendor v where ${matches}`,
);

/** Where a page begins: after which vendor, in a walk that began when. */
export interface VendorPlace {
  /** The name by which the vendor before the page has its place. */
  place: string;
  uniqueId: string;
  /** Milliseconds since 1970; null on the first page. */
  began: string | null;
}

/** Before every vendor: no name is empty. */
export const FIRST: VendorPlace = { place: '', uniqueId: '00000000-0000-0000-0000-000000000000', began: null };

/** No change of a vendor takes longer: whatever began before a walk by so much is seen by all of it, or by none. */
const LONGEST_CHANGE = '10 seconds';
/** A walk lasts so long at most; where it lasts longer, what was renamed before counts by the name that it has now. */
const LONGEST_WALK = '1 day';

/**
 * The vendors that come after a place; without a limit, all of them. Each has its place by the name that it had when the walk
 * from page to page began, so that one which is renamed meanwhile is met once all the same: the trail knows that name.
 */
export const pageVendors = reading<
  VendorFilters & VendorPlace & { limit: number | null },
  VendorListed & { place: string; began: string }
>(
  'vendor.page',
  `with walk as (
    select coalesce(:began::bigint, (extract(epoch from now() - interval '${LONGEST_CHANGE}') * 1000)::bigint) as began),
  renamed as materialized (
    select distinct on (e.resource_id) e.resource_id::uuid as unique_id, e.changes->'name'->>'from' as place
    from audit_event e
    where e.company_id = :company and e.action = 'vendor.update' and e.changes ? 'name'
      and e.occurred_at > greatest(to_timestamp((select began from walk) / 1000.0), now() - interval '${LONGEST_WALK}')
    order by e.resource_id, e.id),
  found as (
    (select v.unique_id, v.name, v.status, v.name as place from vendor v
      where ${matches} and (v.name, v.unique_id) > (:place::varchar, :uniqueId::uuid)
        and v.unique_id not in (select unique_id from renamed)
      order by v.name, v.unique_id limit :limit::int)
    union all
    select v.unique_id, v.name, v.status, r.place from renamed r
      join vendor v on v.unique_id = r.unique_id
      where ${matches} and (r.place collate "C", v.unique_id) > (:place, :uniqueId))
  select f.unique_id as "uniqueId", f.name, f.status, f.place, (select began from walk)::text as began
  from found f order by f.place collate "C", f.unique_id limit :limit`,
);
