import { vendorResource } from './vendor.ts';
import type { VendorFields, VendorStatus } from './vendor.ts';
import { pipelinedRead } from '../statements/define-statement.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { resourceStatements } from '../statements/resource.ts';

/** In an update `active: false` leaves an archived vendor archived. */
export const vendorStatements = resourceStatements<
  object,
  VendorFields,
  { active: boolean },
  { active?: boolean | undefined },
  ExternalIds & { evidenceCount: number | null }
>(vendorResource, {
  newValues: ({ status, active }) => ({
    status: `case
  when ${status}::text is not null then ${status}
  when ${active}::boolean then 'active'
  when not ${active} and vendor.status = 'active' then 'inactive'
  else vendor.status end`,
  }),
});

/** The vendor object of the API. Contract, section 4. */
export type VendorRecord = ReturnType<typeof vendorStatements.toRecord>;

/** A vendor as a statement selects it. */
export type VendorRow = Parameters<typeof vendorStatements.toRecord>[0];

export interface VendorListItem {
  uniqueId: string;
  name: string;
  status: VendorStatus;
}

/** Vendors by name as one JSON text, with their number. PostgreSQL writes the text, which takes a fifth of the time of rows. */
export const listVendorsAsJson = pipelinedRead<{ limit: number }, { json: string; total: number }>(
  'vendor.list-as-json',
  ({ company, limit }) =>
    `select '[' || coalesce(string_agg('{"uniqueId":"' || unique_id || '","name":' || to_json(name) || ',"status":"' || status || '"}', ','), '')
    || ']' as json, count(*)::int as total
  from (select unique_id, name, status from vendor where company_id = ${company} order by name, unique_id limit ${limit}::int) v`,
);
