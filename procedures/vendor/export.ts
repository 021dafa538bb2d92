import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { vendorListStatements } from '../../entities/vendor/list.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { LIST_BATCH_SIZE, pageOutput } from '../schemas/pagination.ts';
import { VendorPage, VendorQuery, readFullPage } from './list.ts';
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
  const { status = null, q = null, updatedSince = null } = query;
  const filters = { status, q, updatedSince };
  const { rows, nextCursor } = await readFullPage(session, ['vendor.export', filters], filters, { limit, cursor });
  const { count } = vendorListStatements(filters);
  const total = cursor === undefined ? (await session.one(count, filters)).total : rows.length;
  return { items: withExternalId(rows, source), nextCursor, total };
}
