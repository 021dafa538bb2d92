import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { reviewVendor, vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorRecord } from '../../entities/vendor/statements.ts';
import { resourceActions } from '../core/resource.ts';
import { todayOf } from '../task/due.ts';
import type { ReviewInput } from './schemas.ts';

const { update } = resourceActions({ ...vendorStatements, update: reviewVendor });

/** Records a review of a vendor. @throws ApiError 409 for an archived vendor */
export const recordReview = async (
  session: Session,
  { vendor: uniqueId, note, nextReview }: z.infer<typeof ReviewInput>,
  ifMatch: IfMatch,
): Promise<VendorRecord> => {
  const review = {
    uniqueId,
    ifMatch,
    note,
    nextReview: nextReview ?? null,
    nextReviewGiven: nextReview !== undefined,
    today: await todayOf(session),
  };
  // Each review is a change, so it is never equal to the vendor before.
  return update(session, review, { reviewed: true }, ({ status }, changes) => {
    if (status === 'archived') throw new ApiError('conflict', 'vendor: is archived; an active one can be reviewed');
    return changes;
  });
};
