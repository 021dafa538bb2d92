import type { VendorStatus } from './vendor.ts';
import { readStatement } from '../statements/define-statement.ts';

/** Number of vendors of each status that occurs, from an index. */
export const vendorsByStatus = readStatement<object, { status: VendorStatus; count: number }>(
  'overview.vendors',
  ({ company }) =>
    `select v.status, count(*)::int as count from vendor v where v.company_id = ${company} group by v.status`,
);
