import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { labelFilterInput } from '../../entities/fields/labels.ts';
import { enumInput, expected, forModels, searchText, timestampInput } from '../../entities/fields/schemas.ts';
import { VENDOR_SORTS } from '../../entities/vendor/list.ts';
import type { VendorFilters, VendorSort } from '../../entities/vendor/list.ts';
import { CRITICALITY, vendorResource } from '../../entities/vendor/vendor.ts';
import { evidenceFilterInput, toEvidenceFilter } from '../parent/expiring.ts';
import { LIST_BATCH_SIZE, PAGE_SIZE, paginationInput } from '../schemas/pagination.ts';
import { integerListInput, memberListInput, toIntegers, toMembers } from '../schemas/lists.ts';
import { addDays, todayOf } from '../task/due.ts';
import { MONTH_DAYS, lastDayOfMonth } from './due.ts';

/** Maximum size of a page. Vendors in a list are small. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;
export const DEFAULT_SORT: VendorSort = 'name';

const REVIEWS = ['overdue', 'month', 'none'] as const;
const CONTRACTS = ['ended', 'month'] as const;
const TODAY = 'Today is that of the time zone of the company. Archived vendors are left out.';

/** Filters, order and position of a list of vendors. */
export const VendorQuery = z
  .strictObject({
    status: vendorResource.schemas.status.input.optional().meta({ description: 'Status of the vendor' }),
    q: searchText(MAX_NAME_LENGTH)
      .meta({ description: 'Part of the name, ignoring case', examples: ['cloud'] })
      .optional(),
    criticality: integerListInput(CRITICALITY)
      .meta({
        description: `Criticalities of the vendors, separated by commas: ${CRITICALITY.description}`,
        examples: [[1, 2]],
      })
      .register(forModels, { description: CRITICALITY.description })
      .optional(),
    owner: memberListInput('Owners of the vendors').optional(),
    label: labelFilterInput.optional(),
    review: enumInput(REVIEWS)
      .meta({
        description: `\`overdue\`: nextReview before today; \`month\`: from today to ${MONTH_DAYS} days later; \`none\`: no nextReview. ${TODAY}`,
        examples: ['month'],
      })
      .register(forModels, { description: `\`month\`: from today to ${MONTH_DAYS} days later` })
      .optional(),
    contract: enumInput(CONTRACTS)
      .meta({
        description: `\`ended\`: contractEnd before today; \`month\`: from today to ${MONTH_DAYS} days later. ${TODAY}`,
        examples: ['month'],
      })
      .register(forModels, { description: `\`month\`: from today to ${MONTH_DAYS} days later` })
      .optional(),
    updatedSince: timestampInput.meta({ description: 'First updatedAt, included' }).optional(),
    ...evidenceFilterInput,
    sort: enumInput(VENDOR_SORTS)
      .meta({
        description:
          'Order of the vendors, descending with `-`, then by uniqueId in the same direction; by default `name`. Vendors without the value come last.',
      })
      .register(forModels, { description: 'Descending with `-`; by default `name`' })
      .optional(),
    view: z
      .enum(['full'], expected('full'))
      .meta({ description: `\`full\` returns whole vendors; requires \`limit\`, at most ${PAGE_SIZE.max}` })
      .optional(),
    ...paginationInput(MAX_PAGE_SIZE, 'all of them without it; required with `cursor`'),
  })
  .superRefine(({ view, limit }, issues) => {
    if (view === undefined || (limit !== undefined && limit <= PAGE_SIZE.max)) return;
    const message =
      limit === undefined ? 'required with view=full' : `expected an integer from 1 to ${PAGE_SIZE.max} with view=full`;
    issues.addIssue({ code: 'custom', path: ['limit'], message });
  });

/** The first and the last day of a filter by date, both included. @param past word for dates before today */
const daysOf = (filter: string | undefined, past: string, today: string) => {
  if (filter === past) return { after: null, before: addDays(today, -1) };
  return filter === 'month' ? { after: today, before: lastDayOfMonth(today) } : { after: null, before: null };
};

/** The filters of a query. */
export async function toVendorFilters(
  session: Session,
  { evidence, review, contract, ...query }: Omit<z.infer<typeof VendorQuery>, 'view' | 'limit' | 'cursor'>,
): Promise<VendorFilters> {
  const isDated = review !== undefined || contract !== undefined;
  const today = isDated ? await todayOf(session) : '';
  const reviews = daysOf(review, 'overdue', today);
  const contracts = daysOf(contract, 'ended', today);
  const { members, nobody } = toMembers(query.owner);
  return {
    status: query.status ?? null,
    q: query.q ?? null,
    updatedSince: query.updatedSince ?? null,
    criticality: toIntegers(CRITICALITY, query.criticality),
    owner: members,
    unowned: nobody,
    label: query.label ?? null,
    reviewAfter: reviews.after,
    reviewBefore: reviews.before,
    noReview: review === 'none' || null,
    contractAfter: contracts.after,
    contractBefore: contracts.before,
    notArchived: isDated || null,
    ...(await toEvidenceFilter(session, evidence)),
  };
}
