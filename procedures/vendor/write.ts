import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import {
  MAX_TASKS_OF_DELETED,
  countTasksOfVendor,
  reviewVendor,
  vendorStatements,
} from '../../entities/vendor/statements.ts';
import type { VendorRecord } from '../../entities/vendor/statements.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorChanges as Changes, VendorFields } from '../../entities/vendor/vendor.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { todayOf } from '../task/due.ts';
import { requireNoLockedTasks } from '../task/locking.ts';
import type { NewVendor, ReviewInput } from './schemas.ts';

export const BASE_PATH = '/external/smart-inventory/vendor';

export const actions = resourceActions(vendorStatements);

/** Creates a vendor. @throws ApiError 422 for an owner who is not usable, or a contract that ends before it starts */
export async function createVendor(session: Session, fields: VendorFields): Promise<VendorRecord> {
  const error = vendorResource.validate(fields);
  if (error !== undefined) throw error;
  return createResource(session, vendorStatements, { ...fields, uniqueId: newUniqueId() });
}

/** Fields of a new vendor. */
export const toNewVendor = ({ active, ...fields }: z.infer<typeof NewVendor>): VendorFields => ({
  ...fields,
  status: active ? 'active' : 'inactive',
});

/** Deletes a vendor. It is removed from the tasks that reference it. @throws ApiError 409 for a vendor that too many tasks, or a locked one, reference */
export const removeVendor = (session: Session, uniqueId: string, ifMatch: IfMatch) =>
  actions.remove(session, uniqueId, ifMatch, async () => {
    await requireNoLockedTasks(session, 'vendor', uniqueId);
    const { total } = await session.one(countTasksOfVendor, { vendor: uniqueId });
    if (total > MAX_TASKS_OF_DELETED)
      throw new ApiError(
        'conflict',
        `vendor: is linked to ${total} tasks, more than the ${MAX_TASKS_OF_DELETED} that a deletion can change; remove it from tasks first`,
      );
  });

/** Changes a vendor. @returns the vendor, and whether it was changed */
export const changeVendor = (session: Session, uniqueId: string, changes: Changes, ifMatch: IfMatch = null) =>
  actions.change(
    session,
    { ...vendorResource.changeParameters(changes), uniqueId, ifMatch },
    changes,
    applyVendorChanges,
  );

const { update } = resourceActions({ ...vendorStatements, update: reviewVendor });

/** Records a review of a vendor. @throws ApiError 409 for an archived vendor */
export const recordReview = async (
  session: Session,
  { vendor: uniqueId, note, outcome = null, risk = null, nextReview }: z.infer<typeof ReviewInput>,
  ifMatch: IfMatch,
): Promise<VendorRecord> => {
  const review = {
    uniqueId,
    ifMatch,
    note,
    outcome,
    risk,
    nextReview: nextReview ?? null,
    nextReviewGiven: nextReview !== undefined,
    today: await todayOf(session),
  };
  // Each review is a change, so the vendor never equals its previous state.
  return update(session, review, { reviewed: true }, ({ status }, changes) => {
    if (status === 'archived')
      throw new ApiError('conflict', 'vendor: is archived; make it active before you review it');
    return changes;
  });
};
