import { vendorResource } from './vendor.ts';
import type { VendorRow } from './statements.ts';
import {
  creatorColumns,
  joinsCreator,
  metadataJoins,
  ownMetadata,
  updateReturningCurrent,
} from '../statements/change-metadata.ts';
import type { UpdateResult } from '../statements/change-metadata.ts';
import { batchedWrite } from '../statements/define-statement.ts';
import { matchesEntityTag } from '../statements/entity-tag.ts';
import type { IfMatch } from '../statements/entity-tag.ts';
import { columnsWithMetadata, ownColumns } from '../statements/columns.ts';

interface Review {
  uniqueId: string;
  ifMatch: IfMatch;
  note: string;
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
    const { company, user, uniqueId, note, nextReview, nextReviewGiven, today } = placeholders;
    // PostgreSQL takes the last day of a month that lacks the day.
    const later = `(${today}::date + make_interval(months => vendor.review_every_months))::date`;
    // The column updated_at rounds to milliseconds, and to_char cuts them: both then have the same time.
    const at = `to_char(now()::timestamptz(3) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return updateReturningCurrent(
      `update vendor set last_review = jsonb_build_object(
      'at', ${at}, 'by', ${user}::uuid, 'note', ${note}::text),
    next_review = case when ${nextReviewGiven}::boolean then ${nextReview}::date else ${later} end,
    version = vendor.version + 1, updated_at = now(), updated_by_id = ${user}::uuid
  from company_user creator
  where vendor.company_id = ${company} and vendor.unique_id = ${uniqueId} and ${joinsCreator('vendor')}
    and vendor.status <> 'archived' and ${matchesEntityTag(vendorResource, placeholders)}
  returning ${ownColumns(vendorResource, 'vendor')}, ${ownMetadata('vendor')}, ${creatorColumns}`,
      (andColumns, andWhere) => `select ${columnsWithMetadata(vendorResource, 'vendor')}${andColumns}
  from vendor ${metadataJoins('vendor')} where vendor.company_id = ${company} and vendor.unique_id = ${uniqueId}${andWhere}`,
    );
  },
  ({ uniqueId }) => uniqueId,
);
