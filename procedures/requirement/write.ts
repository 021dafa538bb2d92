import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { isId, isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { MAX_LEVELS, MAX_REQUIREMENTS, requirementResource } from '../../entities/requirement/requirement.ts';
import type { RequirementChanges as Changes, RequirementFields } from '../../entities/requirement/requirement.ts';
import {
  assessRequirement,
  countLinkedTasks,
  countTasksOfRequirement,
  explainRequirement,
  lockFramework,
  lockFrameworkOf,
  requirementStatements,
} from '../../entities/requirement/statements.ts';
import type { RequirementRecord, TaskCounts } from '../../entities/requirement/statements.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { MAX_TASKS_OF_DELETED } from '../../entities/vendor/statements.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { todayOf } from '../task/due.ts';
import { requireNoLockedTasks } from '../task/locking.ts';
import type { AssessmentInput, NewRequirement } from './schemas.ts';

export const BASE_PATH = '/external/requirement';
export const FRAMEWORK_PATH = '/external/framework/{framework}/requirement';

export const actions = resourceActions(requirementStatements);

/** The requirement object of the API. Contract, section 27. */
export type Requirement = RequirementRecord & { tasks: TaskCounts | null };

const NO_TASKS: TaskCounts = { open: 0, overdue: 0, closed: 0 };

/** Adds the numbers of linked tasks that the principal may see. @param today in the time zone of the company */
export async function withTasks(
  session: Session,
  requirements: readonly RequirementRecord[],
  today: string,
): Promise<Requirement[]> {
  const uniqueIds = requirements.filter(({ assessable }) => assessable).map(({ uniqueId }) => uniqueId);
  const rows = uniqueIds.length === 0 ? [] : await session.run(countLinkedTasks, { uniqueIds, today });
  const counts = new Map(rows.map(({ requirement, ...numbers }) => [requirement, numbers]));
  return requirements.map((item) => ({ ...item, tasks: counts.get(item.uniqueId) ?? NO_TASKS }));
}

const withTasksOf = async (session: Session, requirement: RequirementRecord): Promise<Requirement> => ({
  ...requirement,
  tasks: (await withTasks(session, [requirement], await todayOf(session)))[0]?.tasks ?? NO_TASKS,
});

/** A requirement as it is, or as it was at a time. @throws ApiError 404, 403 */
export async function readRequirement(session: Session, uniqueId: string, asOf?: string): Promise<Requirement> {
  const requirement = await actions.read(session, uniqueId, asOf);
  return asOf === undefined ? withTasksOf(session, requirement) : { ...requirement, tasks: null };
}

/** @throws ApiError 409 for a ref that another requirement has, 422 for a place that an outline or a framework cannot have */
async function requireRoom(
  session: Session,
  { framework, uniqueId, ref, parent }: { framework: number; uniqueId: string; ref: string; parent: string | null },
  isNew: boolean,
): Promise<void> {
  const problems = await session.one(explainRequirement, { framework, uniqueId, ref, parent });
  if (problems.refTaken)
    throw new ApiError('conflict', `ref: ${ref} is already used by another requirement of the framework`);
  if (isNew && problems.tooMany)
    throw new ApiError(
      'unprocessable',
      `requirement: a framework has at most ${MAX_REQUIREMENTS.toLocaleString('en')} requirements`,
    );
  if (problems.tooDeep)
    throw new ApiError(
      'unprocessable',
      `parent: expected an outline of at most ${MAX_LEVELS} levels, without a circle`,
    );
}

/** Creates a requirement of a framework. @throws ApiError 404 for an unknown framework, 409 for its ref, 422 */
export function createRequirement(
  session: Session,
  { framework, ...fields }: z.infer<typeof NewRequirement>,
): Promise<Requirement> {
  return session.transaction(async (inside) => {
    // The lock keeps other changes of the outline away, which the statement after it would not see.
    const locked = isId(framework) ? await inside.first(lockFramework, { framework }) : undefined;
    const { archived } = found(locked, 'framework');
    const invalid = requirementResource.validate(fields);
    if (invalid !== undefined) throw invalid;
    if (archived) throw new ApiError('unprocessable', 'framework: is archived');
    const given = { ...fields, framework, uniqueId: newUniqueId() };
    const created = await createResource(inside, requirementStatements, given, () => requireRoom(inside, given, true));
    return { ...created, tasks: NO_TASKS };
  });
}

/** Fields of a requirement after changes. @throws ApiError 422 for fields that contradict each other */
const applyChanges = (before: RequirementFields, changes: Changes): RequirementFields =>
  requirementResource.applyChanges(before, changes);

/** Changes a requirement. @throws ApiError 404, 403, 409, 412, 422 */
export async function changeRequirement(
  session: Session,
  uniqueId: string,
  changes: Changes,
  ifMatch: IfMatch = null,
): Promise<{ item: Requirement; isChanged: boolean }> {
  if (!isUniqueId(uniqueId)) throw notFound('requirement');
  const { item, isChanged } = await session.transaction(async (inside) => {
    await inside.first(lockFrameworkOf, { uniqueId });
    const parameters = { ...requirementResource.changeParameters(changes), uniqueId, ifMatch };
    return actions.change(inside, parameters, changes, applyChanges, {
      changeOtherwise: async (before) => {
        const after = applyChanges(before, changes);
        await requireRoom(inside, { ...after, framework: before.framework, uniqueId }, false);
        if (!after.assessable && before.assessment !== null)
          throw new ApiError('conflict', 'assessable: the requirement is assessed; withdraw the assessment first');
        if (!after.assessable && (await inside.one(countTasksOfRequirement, { requirement: uniqueId })).total > 0)
          throw new ApiError('conflict', 'assessable: tasks are linked to the requirement; remove it from them first');
        return undefined;
      },
    });
  });
  return { item: await withTasksOf(session, item), isChanged };
}

const assess = resourceActions({ ...requirementStatements, update: assessRequirement });

/** Assesses a requirement, or withdraws its assessment. @throws ApiError 409 for a heading and for one that does not apply */
export async function recordAssessment(
  session: Session,
  { requirement: uniqueId, result, note }: z.infer<typeof AssessmentInput>,
  ifMatch: IfMatch,
): Promise<Requirement> {
  const assessed = await assess.update(
    session,
    { uniqueId, ifMatch, result, note },
    { assessed: true },
    ({ assessable, applicable, assessment }, changes) => {
      if (!assessable) throw new ApiError('conflict', 'requirement: is a heading, which cannot be assessed');
      if (!applicable)
        throw new ApiError('conflict', 'requirement: does not apply; only a requirement that applies can be assessed');
      // Withdrawing an assessment that is not there changes nothing. Each assessment is a change, so it never equals the previous one.
      return result === null && assessment === null ? {} : changes;
    },
  );
  return withTasksOf(session, assessed);
}

/** Deletes a requirement, which leaves its tasks. @throws ApiError 409 for one with others below it, with too many tasks, or with a locked one */
export const removeRequirement = (session: Session, uniqueId: string, ifMatch: IfMatch): Promise<void> =>
  session.transaction(async (inside) => {
    if (isUniqueId(uniqueId)) await inside.first(lockFrameworkOf, { uniqueId });
    await actions.remove(inside, uniqueId, ifMatch, async () => {
      await requireNoLockedTasks(inside, 'requirement', uniqueId);
      const { total, children } = await inside.one(countTasksOfRequirement, { requirement: uniqueId });
      if (children > 0)
        throw new ApiError(
          'conflict',
          `requirement: has ${children} ${children === 1 ? 'requirement' : 'requirements'} below it; move or delete them first`,
        );
      if (total > MAX_TASKS_OF_DELETED)
        throw new ApiError(
          'conflict',
          `requirement: is linked to ${total} tasks, more than the ${MAX_TASKS_OF_DELETED} that a deletion can change; remove it from tasks first`,
        );
    });
  });
