import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { listVendorsAsJson, vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorListItem } from '../../entities/vendor/statements.ts';
import { FIRST_VENDOR_PAGE, vendorListStatements } from '../../entities/vendor/list.ts';
import type { VendorCursor, VendorFilters } from '../../entities/vendor/list.ts';
import { integerOutput, listOutput } from '../schemas/output.ts';
import { readPage } from '../schemas/cursor.ts';
import {
  LIST_BATCH_SIZE,
  PAGE_SIZE,
  pageOutput,
  paginationInput,
  requireLimitWithCursor,
} from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { evidenceFilterInput, toEvidenceFilter } from '../parent/expiring.ts';
import { expected, searchText, timestampInput } from '../schemas/fields.ts';
import { ListedVendor, VendorOutput, status } from './schemas.ts';

/** Maximum size of a page. Vendors in a list are small. */
const MAX_PAGE_SIZE = LIST_BATCH_SIZE;

/** Filters and position of a list of vendors. */
export const VendorQuery = z
  .strictObject({
    status: status.optional().meta({ description: 'Status of the vendor' }),
    q: searchText(MAX_NAME_LENGTH)
      .meta({ description: 'Part of the name, ignoring case', examples: ['cloud'] })
      .optional(),
    updatedSince: timestampInput.meta({ description: 'First updatedAt, included' }).optional(),
    ...evidenceFilterInput,
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

/** The vendors of a list, all in one view. */
export const VendorItems = z.union([listOutput(ListedVendor), listOutput(VendorOutput)]);

export const VendorPage = pageOutput(ListedVendor).extend({
  items: VendorItems,
  total: integerOutput(0, MAX_ID, 'Number of matching vendors, on all pages'),
});

/** The filters of a query. */
export const toVendorFilters = async (
  session: Session,
  { evidence, ...query }: Pick<z.infer<typeof VendorQuery>, 'status' | 'q' | 'updatedSince' | 'evidence'>,
): Promise<VendorFilters> => ({
  status: query.status ?? null,
  q: query.q ?? null,
  updatedSince: query.updatedSince ?? null,
  ...(await toEvidenceFilter(session, evidence)),
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
  const { view } = query;
  const filters = await toVendorFilters(session, query);
  const pageSize = limit ?? batchSize;
  if (pageSize === undefined) {
    const all = await allVendors(session, filters);
    return { items: all, nextCursor: null, total: all.length };
  }
  const { count, page } = vendorListStatements(filters);
  const request = { limit: pageSize, cursor };
  const { rows, nextCursor } = await (view === 'full'
    ? readFullPage(session, ['vendor.list', query], filters, request)
    : readVendors(session, ['vendor.list', query], request, (input) => session.run(page, { ...input, ...filters })));
  const isSinglePage = cursor === undefined && nextCursor === null;
  const isLaterBatch = batchSize !== undefined && cursor !== undefined;
  const total = isSinglePage || isLaterBatch ? rows.length : (await session.one(count, filters)).total;
  return { items: rows, nextCursor, total };
}

/** A page of whole vendors. */
export const readFullPage = (
  session: Session,
  list: readonly [string, object],
  filters: VendorFilters,
  request: PageRequest,
) =>
  readVendors(session, list, request, async (input) =>
    (await session.run(vendorListStatements(filters).fullPage, { ...input, ...filters })).map(
      vendorStatements.toRecord,
    ),
  );

/** A page of vendors, by name and then by id. */
const readVendors = <Vendor extends VendorCursor>(
  session: Session,
  list: readonly [string, object],
  request: PageRequest,
  fetch: (input: VendorCursor & { limit: number }) => Promise<Vendor[]>,
) =>
  readPage<Vendor>(session, {
    list,
    request,
    fetch: ([name = FIRST_VENDOR_PAGE.name, uniqueId = FIRST_VENDOR_PAGE.uniqueId], limit) =>
      fetch({ name, uniqueId, limit }),
    positionOf: ({ name, uniqueId }) => [name, uniqueId],
  });

/** All matching vendors. Without filters PostgreSQL writes them as JSON. */
async function allVendors(session: Session, filters: VendorFilters): Promise<VendorListItem[]> {
  const isUnfiltered = Object.values(filters).every((filter) => filter === null);
  const listJson = isUnfiltered ? await vendorListJson(session, LIST_BATCH_SIZE) : undefined;
  if (listJson !== undefined) return parseVendorList(listJson.json);
  return session.run(vendorListStatements(filters).page, { ...FIRST_VENDOR_PAGE, ...filters, limit: null });
}

/** Parses the list that PostgreSQL wrote. The output schema of the procedure validates it. */
const parseVendorList = (json: string): VendorListItem[] => JSON.parse(json);

/** All vendors as JSON that PostgreSQL writes; undefined if there are more than `maxItems`. */
export async function vendorListJson(session: Session, maxItems: number) {
  const list = await session.one(listVendorsAsJson, { limit: maxItems + 1 });
  return list.total > maxItems ? undefined : list;
}
