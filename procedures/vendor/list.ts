import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import {
  enumInput,
  expected,
  forModels,
  integerOutput,
  listOutput,
  searchText,
  timestampInput,
} from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorListItem } from '../../entities/vendor/statements.ts';
import {
  VENDOR_SORTS,
  listVendorsAsJson,
  positionAfterVendor,
  vendorListStatements,
  vendorPosition,
} from '../../entities/vendor/list.ts';
import type { SortedVendor, VendorFilters, VendorSort } from '../../entities/vendor/list.ts';
import type { Position } from '../../entities/statements/order.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { labelFilterInput } from '../../entities/fields/labels.ts';
import { CRITICALITY, vendorResource } from '../../entities/vendor/vendor.ts';
import { readPage } from '../schemas/cursor.ts';
import {
  LIST_BATCH_SIZE,
  PAGE_SIZE,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { addDays, todayOf } from '../task/due.ts';
import { evidenceFilterInput, toEvidenceFilter } from '../parent/expiring.ts';
import { integerListInput, memberListInput, toIntegers, toMembers } from '../schemas/lists.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { ListedVendor, VendorOutput, exportedFields } from './schemas.ts';

/** Last day of the filter `month`, in days after today. Contract, section 21. */
const MONTH_DAYS = 30;

/** Last day of the vendors whose review or contract is due this month, included. */
export const lastDayOfMonth = (today: string) => addDays(today, MONTH_DAYS);

/** Maximum size of a page. Vendors in a list are small. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;
const DEFAULT_SORT: VendorSort = 'name';

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
async function toVendorFilters(
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

/** The vendors of a list, all in one view. */
export const VendorItems = z.union([listOutput(ListedVendor), listOutput(VendorOutput)]);

export const VendorPage = pageOutput(ListedVendor).extend({
  items: VendorItems,
  total: integerOutput(0, MAX_ID, 'Number of matching vendors, on all pages'),
});

/**
 * Lists matching vendors, in the order of `sort`; with a limit, one page.
 * @param batchSize page size of a caller that reads all pages
 */
export async function listVendors(
  session: Session,
  { limit, cursor, ...query }: z.infer<typeof VendorQuery>,
  batchSize?: number,
) {
  requireLimitWithCursor({ limit, cursor });
  const { view, sort = DEFAULT_SORT } = query;
  const filters = await toVendorFilters(session, query);
  const pageSize = limit ?? batchSize;
  if (pageSize === undefined) {
    const all = await allVendors(session, filters, sort);
    return { items: all, nextCursor: null, total: all.length };
  }
  const { count, page } = vendorListStatements(filters, sort);
  const request = { limit: pageSize, cursor };
  const list = ['vendor.list', query] as const;
  const { rows, nextCursor } = await (view === 'full'
    ? readFullPage(session, list, filters, sort, request)
    : readVendors(session, list, sort, request, async (input) =>
        (await session.run(page, { ...input, ...filters })).map((row) => ({ row, item: toListItem(row) })),
      ));
  const isSinglePage = cursor === undefined && nextCursor === null;
  const isLaterBatch = batchSize !== undefined && cursor !== undefined;
  const total = isSinglePage || isLaterBatch ? rows.length : (await session.one(count, filters)).total;
  return { items: rows, nextCursor, total };
}

const toListItem = ({ uniqueId, name, status }: VendorListItem): VendorListItem => ({ uniqueId, name, status });

/** A page of whole vendors. */
const readFullPage = (
  session: Session,
  list: readonly [string, object],
  filters: VendorFilters,
  sort: VendorSort,
  request: PageRequest,
) =>
  readVendors(session, list, sort, request, async (input) =>
    (await session.run(vendorListStatements(filters, sort).fullPage, { ...input, ...filters })).map(
      ({ sortValue, ...row }) => ({ row: { uniqueId: row.uniqueId, sortValue }, item: vendorStatements.toRecord(row) }),
    ),
  );

/** A page of vendors, with their positions. */
async function readVendors<Vendor>(
  session: Session,
  list: readonly [string, object],
  sort: VendorSort,
  request: PageRequest,
  fetch: (input: Position & { limit: number }) => Promise<{ row: SortedVendor; item: Vendor }[]>,
): Promise<{ rows: Vendor[]; nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(session, {
    list,
    request,
    fetch: (last, limit) => fetch({ ...positionAfterVendor(sort, last), limit }),
    positionOf: ({ row }) => vendorPosition(row),
  });
  return { rows: rows.map(({ item }) => item), nextCursor };
}

/** All matching vendors. Without filters PostgreSQL writes them as JSON. */
async function allVendors(session: Session, filters: VendorFilters, sort: VendorSort): Promise<VendorListItem[]> {
  const isUnfiltered = sort === DEFAULT_SORT && Object.values(filters).every((filter) => filter === null);
  const listJson = isUnfiltered ? await vendorListJson(session, LIST_BATCH_SIZE) : undefined;
  if (listJson !== undefined) return parseVendorList(listJson.json);
  const { page } = vendorListStatements(filters, sort);
  const rows = await session.run(page, { ...positionAfterVendor(sort, []), ...filters, limit: null });
  return rows.map(toListItem);
}

/** Parses the list that PostgreSQL wrote. The output schema of the procedure validates it. */
const parseVendorList = (json: string): VendorListItem[] => JSON.parse(json);

/** All vendors as JSON that PostgreSQL writes; undefined if there are more than `maxItems`. */
export async function vendorListJson(session: Session, maxItems: number) {
  const list = await session.one(listVendorsAsJson, { limit: maxItems + 1 });
  return list.total > maxItems ? undefined : list;
}

/** Filters of the list, and position. */
export const VendorExportQuery = z.strictObject({ ...VendorQuery.shape, ...exportInput }).omit({ view: true });

/** A vendor in an export. */
export const ExportedVendor = z.object({ ...exportedFields, ...exportOutput });

export const VendorExportPage = pageOutput(ExportedVendor, LIST_BATCH_SIZE).extend({ total: VendorPage.shape.total });

/**
 * A page of whole vendors, in the order of `sort`. Only the first page counts all matching vendors; the total of another
 * page is its size.
 */
export async function exportVendors(
  session: Session,
  { source, limit = LIST_BATCH_SIZE, cursor, ...query }: z.infer<typeof VendorExportQuery>,
) {
  const filters = await toVendorFilters(session, query);
  const { sort = DEFAULT_SORT } = query;
  const { status, q, updatedSince } = filters;
  const { status: _status, q: _q, updatedSince: _updatedSince, evidence, ...later } = query;
  // Filters that came later are left out if they are not set, so that earlier cursors still work.
  const list = ['vendor.export', { status, q, updatedSince, evidence, ...later }] as const;
  const { rows, nextCursor } = await readFullPage(session, list, filters, sort, { limit, cursor });
  const { count } = vendorListStatements(filters, sort);
  const total = cursor === undefined ? (await session.one(count, filters)).total : rows.length;
  return { items: withExternalId(rows, source), nextCursor, total };
}
