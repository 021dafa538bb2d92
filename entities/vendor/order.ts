import { positionAfter } from '../statements/order.ts';
import type { Order, Position } from '../statements/order.ts';

/** Orders of a list of vendors. `-` means descending. Contract, section 21. */
export const VENDOR_SORTS = ['name', '-createdAt', '-updatedAt', 'criticality', 'nextReview'] as const;
export type VendorSort = (typeof VENDOR_SORTS)[number];

/** No name is empty. Ids ascend in the order of creation. */
export const ORDERS: Record<VendorSort, Order> = {
  name: { direction: 'asc', by: { column: 'name', type: 'varchar', start: '' } },
  '-createdAt': { direction: 'desc' },
  '-updatedAt': { direction: 'desc', by: { column: 'updated_at', type: 'timestamptz', start: 'infinity' } },
  criticality: { direction: 'asc', by: { column: 'criticality', type: 'int', start: '0' }, end: '5' },
  nextReview: { direction: 'asc', by: { column: 'next_review', type: 'date', start: '-infinity' }, end: 'infinity' },
};

/**
 * Position after a vendor, or before the first vendor.
 * @param last `vendorPosition` of the vendor; empty for the first page
 */
export const positionAfterVendor = (sort: VendorSort, last: readonly string[]): Position =>
  positionAfter(ORDERS[sort], last.at(-1), last.length > 1 ? last[0] : undefined);

/** A vendor in a list, with its value in the first column of the order, as text; null in the order of creation. */
export interface SortedVendor {
  uniqueId: string;
  sortValue: string | null;
}

/** Position of a vendor in a list: its value in the first column of the order if it has one, and its id. */
export const vendorPosition = ({ uniqueId, sortValue }: SortedVendor): string[] =>
  sortValue === null ? [uniqueId] : [sortValue, uniqueId];
