import { vendorResource } from './vendor.ts';
import type { VendorFields, VendorStatus } from './vendor.ts';
import type { Actor } from '../company/user.ts';
import type { StoredReview } from '../schema/people.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { resourceStatements } from '../statements/resource.ts';

/** Fields of a vendor that no statement for its fields writes. */
export type ReadOnlyFields = ExternalIds & {
  evidenceCount: number | null;
  owner: Actor | null;
  lastReview: (Omit<StoredReview, 'by'> & { by: Actor }) | null;
};

/** Largest number of tasks that may name a vendor that is deleted. */
export const MAX_TASKS_OF_DELETED = 1000;

/** SQL of the tasks that name a vendor. */
const tasksOf = (company: string, vendor: string) =>
  `from task_vendor named where named.company_id = ${company} and named.vendor_id = ${vendor}`;

/** Number of tasks that name a vendor. */
export const countTasksOfVendor = readStatement<{ vendor: string }, { total: number }>(
  'vendor.count-tasks',
  ({ company, vendor }) => `select count(*)::int as total ${tasksOf(company, `${vendor}::uuid`)}`,
);

/** In an update `active: false` leaves an archived vendor archived. */
export const vendorStatements = resourceStatements<
  object,
  VendorFields,
  { active: boolean },
  { active?: boolean | undefined },
  ReadOnlyFields
>(vendorResource, {
  newValues: ({ status, active }) => ({
    status: `case
  when ${status}::text is not null then ${status}
  when ${active}::boolean then 'active'
  when not ${active} and vendor.status = 'active' then 'inactive'
  else vendor.status end`,
  }),
  deleteConditions: ({ company }) => [
    `(select count(*) from (select ${tasksOf(company, 'vendor.unique_id')} limit ${MAX_TASKS_OF_DELETED + 1}) counted) <= ${MAX_TASKS_OF_DELETED}`,
  ],
});

/** The vendor object of the API. Contract, sections 4 and 21. */
export type VendorRecord = ReturnType<typeof vendorStatements.toRecord>;

/** A vendor as a statement selects it. */
export type VendorRow = Parameters<typeof vendorStatements.toRecord>[0];

export interface VendorListItem {
  uniqueId: string;
  name: string;
  status: VendorStatus;
}
