import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { integerOutput, listOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorListItem } from '../../entities/vendor/statements.ts';
import {
  listVendorsAsJson,
  positionAfterVendor,
  vendorListStatements,
  vendorPosition,
} from '../../entities/vendor/list.ts';
import type { SortedVendor, VendorFilters, VendorSort } from '../../entities/vendor/list.ts';
import type { Position } from '../../entities/statements/order.ts';
import { readPage } from '../schemas/cursor.ts';
import { LIST_BATCH_SIZE, pageOutput, requireLimitWithCursor } from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { DEFAULT_SORT, toVendorFilters } from './query.ts';
import type { VendorQuery } from './query.ts';
import { ListedVendor, VendorOutput } from './schemas.ts';

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
export const readFullPage = (
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
