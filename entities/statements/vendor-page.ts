import { readStatement } from './define-statement.ts';
import type { VendorStatus } from '../vendor.ts';
import type { VendorListItem } from './vendor.ts';

/** Which vendors are asked for; null does not matter. Contract, section 4. */
export interface VendorFilters {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
}

const filterCondition = `v.company_id = :company and (:status::text is null or v.status = :status)
  and (:q::text is null or strpos(fold_case(v.name), fold_case(:q)) > 0)`;

export const countVendors = readStatement<VendorFilters, { total: number }>(
  'vendor.count',
  `select count(*)::int as total from vendor v where ${filterCondition}`,
);

/** The last vendor of the page before. */
export interface VendorCursor {
  name: string;
  uniqueId: string;
}

/** The place before every vendor: no name is empty. */
export const FIRST_VENDOR_PAGE: VendorCursor = { name: '', uniqueId: '00000000-0000-0000-0000-000000000000' };

/** Vendors after a place, by name and then by id; without a limit, all of them. */
export const pageVendors = readStatement<VendorFilters & VendorCursor & { limit: number | null }, VendorListItem>(
  'vendor.page',
  `select v.unique_id as "uniqueId", v.name, v.status from vendor v
  where ${filterCondition} and (v.name, v.unique_id) > (:name::varchar, :uniqueId::uuid)
  order by v.name, v.unique_id limit :limit`,
);
