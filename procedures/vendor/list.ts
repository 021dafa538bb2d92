import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { listVendorsAsJson } from '../../entities/statements/vendor/vendor.ts';
import type { VendorListItem } from '../../entities/statements/vendor/vendor.ts';
import { FIRST_VENDOR_PAGE, countVendors, pageVendors } from '../../entities/statements/vendor/list.ts';
import type { VendorCursor } from '../../entities/statements/vendor/list.ts';
import { integerOutput } from '../schemas/output.ts';
import { cursorCodec } from '../schemas/cursor.ts';
import {
  LIST_BATCH_SIZE,
  splitPage,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import { searchText } from '../schemas/fields.ts';
import { ListedVendor, status } from './schemas.ts';

/** Maximum size of a page. Vendors in a list are small. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;

/** Filters and position of a list of vendors. */
export const VendorQuery = z.strictObject({
  status: status.optional().meta({ description: 'Status of the vendor' }),
  q: searchText(MAX_NAME_LENGTH)
    .meta({ description: 'Part of the name, ignoring case', examples: ['cloud'] })
    .optional(),
  ...paginationInput(MAX_PAGE_SIZE, 'all of them without it; required with `cursor`'),
});

export const VendorPage = pageOutput(ListedVendor, MAX_PAGE_SIZE).extend({
  total: integerOutput(0, MAX_ID, 'Number of matching vendors, on all pages'),
});

/**
 * Lists matching vendors, by name and then by id; with a limit, one page.
 * @param batchSize page size of a caller that reads all pages
 */
export async function listVendors(
  session: Session,
  { limit, cursor, ...query }: z.infer<typeof VendorQuery>,
  batchSize?: number,
) {
  requireLimitWithCursor({ limit, cursor });
  const filters = { status: query.status ?? null, q: query.q ?? null };
  const pageSize = limit ?? batchSize;
  if (pageSize === undefined) {
    const isUnfiltered = filters.status === null && filters.q === null;
    const listJson = isUnfiltered ? await vendorListJson(session, LIST_BATCH_SIZE) : undefined;
    const items =
      listJson === undefined
        ? await session.run(pageVendors, { ...FIRST_VENDOR_PAGE, ...filters, limit: null })
        : parseVendorList(listJson.json);
    return { items, nextCursor: null, total: items.length };
  }
  const codec = await cursorCodec(session, 'vendor.list', query);
  const position = cursor === undefined ? FIRST_VENDOR_PAGE : toVendorCursor(codec.decode(cursor));
  const fetched = await session.run(pageVendors, { ...position, ...filters, limit: pageSize + 1 });
  const { rows: items, last } = splitPage(fetched, pageSize);
  const isSinglePage = cursor === undefined && last === undefined;
  const isLaterBatch = batchSize !== undefined && cursor !== undefined;
  const total = isSinglePage || isLaterBatch ? items.length : (await session.one(countVendors, filters)).total;
  const nextCursor = last === undefined ? null : codec.encode([last.name, last.uniqueId]);
  return { items, nextCursor, total };
}

/** Parses the list that PostgreSQL wrote. The output schema of the procedure validates it. */
const parseVendorList = (json: string): VendorListItem[] => JSON.parse(json);

const toVendorCursor = ([
  name = FIRST_VENDOR_PAGE.name,
  uniqueId = FIRST_VENDOR_PAGE.uniqueId,
]: readonly string[]): VendorCursor => ({
  name,
  uniqueId,
});

/** All vendors as JSON that PostgreSQL writes; undefined if there are more than `maxItems`. */
export async function vendorListJson(session: Session, maxItems: number) {
  const list = await session.one(listVendorsAsJson, { limit: maxItems + 1 });
  return list.total > maxItems ? undefined : list;
}
