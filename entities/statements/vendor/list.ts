import type { VendorStatus } from '../../vendor.ts';
import { readStatement } from '../define-statement.ts';
import type { Placeholders } from '../define-statement.ts';
import type { VendorListItem } from './vendor.ts';

/** Filters of a list of vendors; null for no filter. Contract, section 4. */
export interface VendorFilters {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
}

const filterCondition = ({ company, status, q }: Placeholders<VendorFilters>) =>
  `v.company_id = ${company} and (${status}::text is null or v.status = ${status})
  and (${q}::text is null or strpos(fold_case(v.name), fold_case(${q})) > 0)`;

export const countVendors = readStatement<VendorFilters, { total: number }>(
  'vendor.count',
  (placeholders) => `select count(*)::int as total from vendor v where ${filterCondition(placeholders)}`,
);

/** The last vendor of the previous page. */
export interface VendorCursor {
  name: string;
  uniqueId: string;
}

/** Position before the first vendor, as no name is empty. */
export const FIRST_VENDOR_PAGE: VendorCursor = { name: '', uniqueId: '00000000-0000-0000-0000-000000000000' };

/** Vendors after a position, by name and then by id; all of them if the limit is null. */
export const pageVendors = readStatement<VendorFilters & VendorCursor & { limit: number | null }, VendorListItem>(
  'vendor.page',
  (placeholders) => {
    const { name, uniqueId, limit } = placeholders;
    return `select v.unique_id as "uniqueId", v.name, v.status from vendor v
  where ${filterCondition(placeholders)} and (v.name, v.unique_id) > (${name}::varchar, ${uniqueId}::uuid)
  order by v.name, v.unique_id limit ${limit}`;
  },
);
