import { reading } from '../database/statement.ts';
import type { VendorStatus } from '../vendor.ts';
import type { VendorListed } from './vendor.ts';

/** Which vendors are asked for; null does not matter. Contract, section 4. */
export interface VendorFilters {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
}

const matches = `v.company_id = :company and (:status::text is null or v.status = :status)
  and (:q::text is null or strpos(fold_case(v.name), fold_case(:q)) > 0)`;

export const countVendors = reading<VendorFilters, { total: number }>(
  'vendor.count',
  `select count(*)::int as total from vendor v where ${matches}`,
);

/** Where a page begins: after which vendor, in which walk from page to page. */
export interface VendorPlace {
  /** The name by which the vendor before the page has its place. */
  place: string;
  uniqueId: string;
  /** Which transactions its first page saw, and when that was, as every row tells; null there. */
  walk: string | null;
}

/** Before every vendor: no name is empty. */
export const FIRST: VendorPlace = { place: '', uniqueId: '00000000-0000-0000-0000-000000000000', walk: null };

/** Characters that a cursor has room for; where more is under way than that, all that is not older counts as unseen. */
const SNAPSHOT_LENGTH = 500;
/** No change of a vendor takes longer. */
const LONGEST_CHANGE = '10 seconds';
/** A walk lasts so long at most; where it lasts longer, what was renamed before counts by the name that it has now. */
const LONGEST_WALK = '1 day';

/**
 * The vendors that come after a place; without a limit, all of them. Each has its place by the name that it had when the walk
 * began, so that one which is renamed between two pages is met once all the same: the trail knows that name. Renamings are of
 * the walk where its first page did not see their transaction (docs/decisions/0020-paging-lists.md). A row tells its place
 * where that is not its name.
 */
export const pageVendors = reading<
  VendorFilters & VendorPlace & { limit: number | null },
  VendorListed & { place: string | null; walk: string }
>(
  'vendor.page',
  `with walk as (
    select pg_snapshot_xmax(snap)::text::bigint as next,
      coalesce(split_part(:walk::text, ' ', 1), case
        when not pg_is_in_recovery() and length(snap::text) <= ${SNAPSHOT_LENGTH} then snap::text
        else pg_snapshot_xmin(snap) || ':' || pg_snapshot_xmin(snap) || ':' end)::pg_snapshot as seen,
      coalesce(split_part(:walk, ' ', 2)::bigint, (extract(epoch from now()) * 1000)::bigint) as began
    from pg_current_snapshot() snap),
  renamed as materialized (
    select distinct on (e.resource_id) e.resource_id::uuid as unique_id, e.changes->'name'->>'from' as place
    from audit_event e
    where :limit::int is not null and e.company_id = :company and e.action = 'vendor.update' and e.changes ? 'name'
      and e.occurred_at > greatest((select to_timestamp(began / 1000.0) from walk) - interval '${LONGEST_CHANGE}',
        now() - interval '${LONGEST_WALK}')
      and not pg_visible_in_snapshot(((select next from walk) - (((select next from walk) - e.xmin::text::bigint)
        & x'ffffffff'::bigint))::text::xid8, (select seen from walk))
    order by e.resource_id, e.id),
  found as (
    (select v.unique_id, v.name, v.status, v.name as place from vendor v
      where ${matches} and (v.name, v.unique_id) > (:place::varchar, :uniqueId::uuid)
        and v.unique_id not in (select unique_id from renamed)
      order by v.name, v.unique_id limit :limit)
    union all
    select v.unique_id, v.name, v.status, r.place from renamed r
      join vendor v on v.unique_id = r.unique_id
      where ${matches} and (r.place collate "C", v.unique_id) > (:place, :uniqueId))
  select f.unique_id as "uniqueId", f.name, f.status, nullif(f.place, f.name) as place,
    (select seen || ' ' || began from walk) as walk
  from found f order by f.place collate "C", f.unique_id limit :limit`,
);
