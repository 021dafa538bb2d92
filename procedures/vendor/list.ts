import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { enumInput, expected, forModels, integerOutput, listOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorListItem } from '../../entities/vendor/statements.ts';
import {
  MONTH_DAYS,
  VENDOR_SORTS,
  listVendorsAsJson,
  positionAfterVendor,
  vendorFilters,
  vendorListStatements,
  vendorPosition,
} from '../../entities/vendor/list.ts';
import type { VendorFilters, VendorPageInput, VendorSort } from '../../entities/vendor/list.ts';
import { filtersOfKey, readPage } from '../schemas/cursor.ts';
import { checkLimitedSample, checkSampleExport, onlyPageOfSample, seedInput } from '../schemas/sample.ts';
import {
  LIST_BATCH_SIZE,
  PAGE_SIZE,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { addDays, todayOf } from '../task/due.ts';
import { toEvidenceFilter } from '../parent/expiring.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { ListedVendor, VendorOutput, exportedFields } from './schemas.ts';

/** Last day of the vendors whose review or contract is due this month, included. */
export const lastDayOfMonth = (today: string) => addDays(today, MONTH_DAYS);

/** Maximum size of a page. Vendors in a list are small. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;
const DEFAULT_SORT: VendorSort = 'name';

/** Filters, order and position of a list of vendors. */
const vendorQuery = z.strictObject({
  ...vendorFilters.shape,
  sort: enumInput(VENDOR_SORTS)
    .meta({
      description:
        'Order of the vendors, descending with `-`, then by uniqueId in the same direction; by default `name`; `sample` follows from `seed`. Vendors without the value come last.',
    })
    .register(forModels, { description: 'Descending with `-`; by default `name`' })
    .optional(),
  ...seedInput,
  view: z
    .enum(['full'], expected('full'))
    .meta({ description: `\`full\` returns complete vendors; requires \`limit\`, at most ${PAGE_SIZE.max}` })
    .optional(),
  ...paginationInput(MAX_PAGE_SIZE, 'all of them without it; required with `cursor`', 'By default all'),
});
export const VendorQuery = vendorQuery.superRefine(checkLimitedSample).superRefine(({ view, limit }, issues) => {
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

// Dates in this format are in the order of their text. A vendor must match all filters.
const latest = (one: string | null, other: string | undefined) =>
  other !== undefined && (one === null || other > one) ? other : one;
const earliest = (one: string | null, other: string | undefined) =>
  other !== undefined && (one === null || other < one) ? other : one;

/** The filters of a query. */
async function toVendorFilters(
  session: Session,
  {
    evidence,
    review,
    contract,
    nextReviewAfter,
    nextReviewBefore,
    contractEndAfter,
    contractEndBefore,
    sort: _sort,
    seed: _seed,
    ...query
  }: Omit<z.infer<typeof VendorQuery>, 'view' | 'limit' | 'cursor'>,
): Promise<VendorFilters> {
  const isDated = review !== undefined || contract !== undefined;
  const today = isDated ? await todayOf(session) : '';
  const reviews = daysOf(review, 'overdue', today);
  const contracts = daysOf(contract, 'ended', today);
  return {
    ...vendorFilters.parameters(query),
    reviewAfter: latest(reviews.after, nextReviewAfter),
    reviewBefore: earliest(reviews.before, nextReviewBefore),
    noReview: review === 'none' || null,
    contractAfter: latest(contracts.after, contractEndAfter),
    contractBefore: earliest(contracts.before, contractEndBefore),
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
  const { view, sort = DEFAULT_SORT, seed } = query;
  const filters = await toVendorFilters(session, query);
  const pageSize = limit ?? batchSize;
  if (pageSize === undefined) {
    const all = await allVendors(session, filters, sort);
    return { items: all, nextCursor: null, total: all.length };
  }
  const { count, page, fullPage } = vendorListStatements(filters, sort);
  const list = { list: ['vendor.list', query] as const, request: { limit: pageSize, cursor }, filters, sort, seed };
  const { rows, nextCursor } = await (view === 'full'
    ? readVendors(session, list, fullPage, vendorStatements.toRecord)
    : readVendors(session, list, page, toListItem));
  const isSinglePage = cursor === undefined && nextCursor === null;
  const isLaterBatch = batchSize !== undefined && cursor !== undefined;
  const total = isSinglePage || isLaterBatch ? rows.length : (await session.one(count, filters)).total;
  return { items: rows, nextCursor, total };
}

const toListItem = ({ uniqueId, name, status }: VendorListItem): VendorListItem => ({ uniqueId, name, status });

interface VendorList {
  list: readonly [string, object];
  request: PageRequest;
  filters: VendorFilters;
  sort: VendorSort;
  seed: string | undefined;
}

/** A page of vendors. */
async function readVendors<Row extends { uniqueId: string }, Vendor>(
  session: Session,
  { list, request, filters, sort, seed }: VendorList,
  page: Statement<VendorPageInput, Row>,
  toVendor: (row: Row) => Vendor,
): Promise<{ rows: Vendor[]; nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(session, {
    list,
    request,
    fetch: (last, limit) => session.run(page, { ...filters, ...positionAfterVendor(sort, last, seed), limit }),
    positionOf: (row) => vendorPosition(sort, row),
  });
  return { rows: rows.map(toVendor), nextCursor };
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
export const VendorExportQuery = vendorQuery.extend(exportInput).omit({ view: true }).superRefine(checkSampleExport);

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
  const { sort = DEFAULT_SORT, seed } = query;
  const { count, fullPage } = vendorListStatements(filters, sort);
  const list = ['vendor.export', filtersOfKey(query, ['status', 'q', 'updatedSince'])] as const;
  const page = { list, request: { limit, cursor }, filters, sort, seed };
  const { rows, nextCursor } = await readVendors(session, page, fullPage, vendorStatements.toRecord);
  const total = cursor === undefined ? (await session.one(count, filters)).total : rows.length;
  return onlyPageOfSample(query, { items: withExternalId(rows, source), nextCursor, total });
}
