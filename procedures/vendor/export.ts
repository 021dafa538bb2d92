import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { vendorListStatements } from '../../entities/vendor/list.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { LIST_BATCH_SIZE, pageOutput } from '../schemas/pagination.ts';
import { VendorPage, readFullPage } from './list.ts';
import { DEFAULT_SORT, VendorQuery, toVendorFilters } from './query.ts';
import { exportedFields } from './schemas.ts';

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
