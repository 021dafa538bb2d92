import type { VendorStatus } from './vendor.ts';
import { MAX_DUE_COUNT } from '../task/overview.ts';
import { readStatement } from '../statements/define-statement.ts';

/** Number of vendors of each status that occurs, from an index. */
export const vendorsByStatus = readStatement<object, { status: VendorStatus; count: number }>(
  'overview.vendors',
  ({ company }) =>
    `select v.status, count(*)::int as count from vendor v where v.company_id = ${company} group by v.status`,
);

/** Numbers of vendors whose next review is before today, and from today to a day, up to one more than `MAX_DUE_COUNT`, from an index. */
export const vendorReviews = readStatement<{ today: string; lastDay: string }, { overdue: number; month: number }>(
  'overview.vendor-reviews',
  ({ company, today, lastDay }) => {
    const count = (condition: string) => `(select count(*)::int from (
    select from vendor v where v.company_id = ${company} and v.status <> 'archived' and ${condition}
    limit ${MAX_DUE_COUNT + 1}) counted)`;
    return `select ${count(`v.next_review < ${today}::date`)} as overdue,
  ${count(`v.next_review between ${today}::date and ${lastDay}::date`)} as month`;
  },
);
