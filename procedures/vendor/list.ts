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

/** How many vendors a page holds at most: they are small, and were always given all at once. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;

/** Which vendors are asked for, and where. */
export const VendorQuery = z.strictObject({
  status: status.optional().meta({ description: 'Where the vendor stands' }),
  q: searchText(MAX_NAME_LENGTH)
    .meta({ description: 'Text that the name contains, ignoring case', examples: ['cloud'] })
    .optional(),
  ...paginationInput(MAX_PAGE_SIZE, 'all of them without it; required with `cursor`'),
});

export const VendorPage = pageOutput(ListedVendor, MAX_PAGE_SIZE).extend({
  total: integerOutput(0, MAX_ID, 'Vendors that match, on all pages'),
});

/**
 * The vendors that match, by name and then by id; where a limit is given, a page of them.
 * @param batchSize the limit of who takes all of them page by page
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

/** What the statement has written itself; the procedure's output schema holds it to its shape. */
const parseVendorList = (json: string): VendorListItem[] => JSON.parse(json);

const toVendorCursor = ([
  name = FIRST_VENDOR_PAGE.name,
  uniqueId = FIRST_VENDOR_PAGE.uniqueId,
]: readonly string[]): VendorCursor => ({
  name,
  uniqueId,
});

/** All vendors as JSON that PostgreSQL wrote; undefined where there are more than `most`. */
export async function vendorListJson(session: Session, maxItems: number) {
  const list = await session.one(listVendorsAsJson, { limit: maxItems + 1 });
  return list.total > maxItems ? undefined : list;
}
