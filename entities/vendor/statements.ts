import type { Actor } from '../company/user.ts';
import { batchedWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { externalIdStatements } from '../external-id/statements.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { resourceStatements } from '../statements/resource.ts';
import { CHANGED_AT, ownMetadata } from '../statements/change-metadata.ts';
import type { OwnMetadata } from '../statements/change-metadata.ts';
import { insertColumns, ownColumns, updateReturningCurrent } from '../statements/columns.ts';
import type { UpdateResult } from '../statements/columns.ts';
import { frameworkOfNew, referenceConditions } from '../statements/references.ts';
import { insertedReservation, listedEntry, lockedExternalId, movedReservation } from '../external-id/reservation.ts';
import type { ExternalIdKey } from '../external-id/reservation.ts';
import { unlockedTasksCondition } from '../task/locking.ts';
import { matchesEntityTag } from '../statements/entity-tag.ts';
import type { IfMatch } from '../statements/entity-tag.ts';
import { vendorResource } from './vendor.ts';
import type { ReviewOutcome, VendorFields, VendorReview, VendorStatus } from './vendor.ts';

/** Fields of a vendor that no statement for its fields writes. */
export type ReadOnlyFields = ExternalIds & {
  evidenceCount: number | null;
  owner: Actor | null;
  lastReview: (Omit<VendorReview, 'by'> & { by: Actor }) | null;
};

/** Maximum number of tasks that may reference a vendor that is deleted. */
export const MAX_TASKS_OF_DELETED = 1000;

/** SQL of the tasks that reference a vendor. */
const tasksOf = (company: string, vendor: string) =>
  `from task_vendor named where named.company_id = ${company} and named.vendor_id = ${vendor}`;

/** Number of tasks that reference a vendor. */
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
    unlockedTasksCondition('task_vendor', 'vendor_id', 'vendor'),
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

type NewVendor = ExternalIdKey & VendorFields & { uniqueId: string };
type InsertedVendor = VendorFields & ReadOnlyFields & OwnMetadata & { uniqueId: string };

const lockedIfUsable = (placeholders: Placeholders<NewVendor>) => {
  const given = { placeholders, framework: frameworkOfNew(vendorResource, placeholders) };
  return `locked where ${referenceConditions(vendorResource, given).join(' and ')}`;
};

/** Inserts a vendor if the CTE `reserved` has a row. */
function insertReserved(placeholders: Placeholders<NewVendor>, reserved: string): string {
  const { columns, values } = insertColumns(vendorResource, placeholders);
  return `with ${lockedExternalId('vendor', placeholders)}, ${reserved}
  insert into vendor (${columns}, external_ids) select ${values}, ${listedEntry(placeholders)} from reserved
  returning ${ownColumns(vendorResource, 'vendor', 'creation')}, ${ownMetadata('vendor')}`;
}

export const vendorExternalIds = {
  ...externalIdStatements('vendor', vendorResource, '0'),
  /** Reserves the external id and inserts the vendor. No row if the id is reserved already, or the owner is not usable. */
  insert: defineStatement<NewVendor, InsertedVendor>('vendor.insert-with-external-id', (placeholders) =>
    insertReserved(
      placeholders,
      insertedReservation('vendor', placeholders, `${placeholders.uniqueId}::uuid`, lockedIfUsable(placeholders)),
    ),
  ),
  /** Moves the reservation of a deleted vendor to a new one. No row if another request was first, or the owner is not usable. */
  recreate: defineStatement<NewVendor & { reservedId: string }, InsertedVendor>('vendor.recreate', (placeholders) =>
    insertReserved(placeholders, movedReservation('vendor', placeholders, lockedIfUsable(placeholders))),
  ),
};

interface Review {
  uniqueId: string;
  ifMatch: IfMatch;
  note: string;
  outcome: ReviewOutcome | null;
  risk: number | null;
  nextReview: string | null;
  /** False: the next review follows from `reviewEveryMonths`. */
  nextReviewGiven: boolean;
  /** Today in the time zone of the company. */
  today: string;
}

/** Records a review of a vendor that is not archived. Returns the vendor in any case. */
export const reviewVendor = batchedWrite<Review, UpdateResult<VendorRow>>(
  'vendor.review',
  (placeholders) => {
    const { user, note, outcome, risk, nextReview, nextReviewGiven, today } = placeholders;
    // PostgreSQL takes the last day of a month that lacks the day.
    const later = `(${today}::date + make_interval(months => vendor.review_every_months))::date`;
    return updateReturningCurrent(
      vendorResource,
      placeholders,
      `last_review = jsonb_build_object('at', ${CHANGED_AT}, 'by', ${user}::uuid, 'note', ${note}::text,
      'outcome', ${outcome}::text, 'risk', ${risk}::int),
    next_review = case when ${nextReviewGiven}::boolean then ${nextReview}::date else ${later} end,
    version = vendor.version + 1, updated_at = now(), updated_by_id = ${user}::uuid`,
      [`vendor.status <> 'archived'`, matchesEntityTag(vendorResource, placeholders)],
    );
  },
  ({ uniqueId }) => uniqueId,
);
