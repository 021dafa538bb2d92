import { ApiError } from '../api-error.ts';
import { isAdmin } from '../principal.ts';
import type { Principal } from '../principal.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { readStatement } from '../statements/define-statement.ts';
import { FINISHED_STATUSES } from './task.ts';
import type { TaskFields } from './task.ts';

// The rules for finishing a task: who may do it, and which evidence it needs. Contract, section 28.

const FINISHED_LIST = FINISHED_STATUSES.map((status) => `'${status}'`).join(', ');

/** Fields that the rules read. */
type Reviewed = Pick<TaskFields, 'status' | 'reviewerId' | 'needsEvidence'>;

/** The evidence of a task, without what was rejected. */
const evidenceOf = (company: string, task: string) =>
  `select from evidence e where e.company_id = ${company} and e.task_id = ${task} and coalesce(e.checked->>'result', '') <> 'rejected'`;

/** Conditions of an update of a task, in SQL, for these new values. The reviewer is the one before the change. */
export const fourEyesConditions = (
  { company, user, isAdmin: byAdmin }: Placeholders<object>,
  { status, reviewerId, needsEvidence }: Readonly<Record<keyof Reviewed, string>>,
): string[] => [
  `(task.reviewer_id is null or task.reviewer_id = ${user}::uuid
      or (${status} = task.status or ${status} not in (${FINISHED_LIST}))
        and (${byAdmin}::boolean or ${reviewerId} is not distinct from task.reviewer_id))`,
  // The evidence stays as it is until the transaction ends.
  `case when ${needsEvidence} and ${status} = 'done' and task.status <> 'done'
      then exists (${evidenceOf(company, 'task.unique_id')} for share) else true end`,
];

/** True if a task has evidence that counts. */
export const hasAcceptableEvidence = readStatement<{ task: string }, { hasEvidence: boolean }>(
  'task.has-evidence',
  ({ company, task }) => `select exists (${evidenceOf(company, `${task}::uuid`)}) as "hasEvidence"`,
);

/** True if a change finishes a task. */
const finishes = (before: Pick<Reviewed, 'status'>, { status }: Pick<Reviewed, 'status'>) =>
  status !== before.status && FINISHED_STATUSES.some((finished) => finished === status);

/** Error 409 for a change of a task that has another reviewer. */
export function reviewerViolation(
  before: Pick<Reviewed, 'status' | 'reviewerId'>,
  after: Pick<Reviewed, 'status' | 'reviewerId'>,
  principal: Principal,
): ApiError | undefined {
  const { reviewerId } = before;
  if (reviewerId === null || reviewerId === principal.user.uniqueId) return undefined;
  if (finishes(before, after))
    return new ApiError(
      'conflict',
      `status: only the reviewer may set it to ${after.status}; an admin can change or clear the reviewer`,
    );
  return after.reviewerId === reviewerId || isAdmin(principal)
    ? undefined
    : new ApiError('conflict', 'reviewerId: only the reviewer or an admin may change or clear it');
}

/** True for a change that the task needs evidence for. */
export const needsEvidenceNow = (before: Pick<Reviewed, 'status'>, after: Reviewed) =>
  after.needsEvidence && after.status === 'done' && before.status !== 'done';

export const lacksEvidence = () =>
  new ApiError('conflict', 'status: done needs evidence that is not rejected; attach evidence, or clear needsEvidence');
