import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { vendorListStatements } from '../../entities/vendor/list.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { LIST_BATCH_SIZE, pageOutput } from '../schemas/pagination.ts';
import { VendorPage, VendorQuery, readFullPage, toVendorFilters } from './list.ts';
import { VendorOutput } from './schemas.ts';

/** Filters of the list, and position. */
export const VendorExportQuery = z.strictObject({ ...VendorQuery.shape, ...exportInput }).omit({ view: true });

/** A vendor in an export. */
export const ExportedVendor = z.object({ ...VendorOutput.omit({ evidenceCount: true }).shape, ...exportOutput });

export const VendorExportPage = pageOutput(ExportedVendor, LIST_BATCH_SIZE).extend({ total: VendorPage.shape.total });

/**
 * A page of whole vendors, by name and then by id. Only the first page counts all matching vendors; the total of another
 * page is its size.
 */
export async function exportVendors(
  session: Session,
  { source, limit = LIST_BATCH_SIZE, cursor, ...query }: z.infer<typeof VendorExportQuery>,
) {
  const filters = await toVendorFilters(session, query);
  const { status, q, updatedSince } = filters;
  // The filter by evidence came later: without it, earlier cursors still work.
  const list = ['vendor.export', { status, q, updatedSince, evidence: query.evidence }] as const;
  const { rows, nextCursor } = await readFullPage(session, list, filters, { limit, cursor });
  const { count } = vendorListStatements(filters);
  const total = cursor === undefined ? (await session.one(count, filters)).total : rows.length;
  return { items: withExternalId(rows, source), nextCursor, total };
}
