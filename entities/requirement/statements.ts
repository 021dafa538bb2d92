import type { Actor } from '../company/user.ts';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import { frameworkCondition } from '../schema/access.ts';
import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { CHANGED_AT } from '../statements/change-metadata.ts';
import { updateReturningCurrent } from '../statements/columns.ts';
import type { UpdateResult } from '../statements/columns.ts';
import { batchedWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { matchesEntityTag } from '../statements/entity-tag.ts';
import type { IfMatch } from '../statements/entity-tag.ts';
import { resourceStatements } from '../statements/resource.ts';
import { unlockedTasksCondition } from '../task/locking.ts';
import { OPEN_STATUSES } from '../task/task.ts';
import { MAX_TASKS_OF_DELETED } from '../vendor/statements.ts';
import { MAX_LEVELS, MAX_REQUIREMENTS, requirementResource, requirementStatus } from './requirement.ts';
import type { RequirementFields, Result } from './requirement.ts';

/** Fields of a requirement that no statement for its fields writes. */
interface ReadOnlyFields {
  owner: Actor | null;
  assessment: { result: Result; note: string; at: string; by: Actor } | null;
  evidenceCount: number | null;
}

/** SQL of the requirements of a framework with a ref, ignoring case. */
const withRef = (company: string, framework: string, ref: string) =>
  `from requirement named where named.company_id = ${company} and named.framework_id = ${framework}
    and ${foldedSql('named.ref')} = ${foldedParameter(`(${ref})::varchar`)}`;

type NewRequirement = RequirementFields & { uniqueId: string; framework: number };

/** Conditions of a new requirement beside its references, by what they exclude. Its framework is locked. */
const conditionsOfNew = ({
  company,
  framework,
  ref,
  parent,
  uniqueId,
}: Placeholders<Pick<NewRequirement, 'uniqueId' | 'framework' | 'ref' | 'parent'>>) => ({
  tooMany: `(select count(*) from requirement counted where counted.company_id = ${company} and counted.framework_id = ${framework}) < ${MAX_REQUIREMENTS}`,
  refTaken: `not exists (select ${withRef(company, framework, ref)})`,
  tooDeep: `(${parent}::uuid is null or requirement_levels(${company}, ${uniqueId}, ${parent}) <= ${MAX_LEVELS})`,
});

interface NewFields {
  ref: string;
  parent: string | null;
}

/** The same for the new values of a requirement that exists. */
const conditionsOfChange = ({ company }: Placeholders<object>, { ref, parent }: Record<keyof NewFields, string>) => ({
  refTaken: `not exists (select ${withRef(company, 'requirement.framework_id', ref)} and named.unique_id <> requirement.unique_id)`,
  tooDeep: `(${parent}::uuid is null or requirement_levels(${company}, requirement.unique_id, ${parent}) <= ${MAX_LEVELS})`,
});

const tasksOf = (alias: string) =>
  `from task_requirement linked where linked.company_id = ${alias}.company_id and linked.requirement_id = ${alias}.unique_id`;

/** A new row needs a locked framework, and so does each change of a ref or of the outline. */
const statements = resourceStatements<{ framework: number }, RequirementFields, object, object, ReadOnlyFields>(
  requirementResource,
  {
    insertConditions: (placeholders) => Object.values(conditionsOfNew(placeholders)),
    updateConditions: (placeholders, newValues) => [
      ...Object.values(conditionsOfChange(placeholders, newValues)),
      `(${newValues.assessable} or requirement.assessment is null and not exists (select ${tasksOf('requirement')}))`,
    ],
    deleteConditions: () => [
      unlockedTasksCondition('task_requirement', 'requirement_id', 'requirement'),
      'not exists (select from requirement child where child.company_id = requirement.company_id and child.parent = requirement.unique_id)',
      `(select count(*) from (select ${tasksOf('requirement')} limit ${MAX_TASKS_OF_DELETED + 1}) counted) <= ${MAX_TASKS_OF_DELETED}`,
    ],
  },
);

/** A requirement as a statement selects it. */
export type RequirementRow = Parameters<typeof statements.toRecord>[0];
type Written = Parameters<typeof statements.toWritten>;

/** Adds the fields that follow from the others. */
const withStatus = <Item extends Parameters<typeof requirementStatus>[0]>(item: Item) => ({
  ...item,
  status: requirementStatus(item),
});

export const requirementStatements = {
  ...statements,
  toRecord: (row: RequirementRow) => withStatus(statements.toRecord(row)),
  toWritten: (...given: Written) => withStatus(statements.toWritten(...given)),
};

/** A requirement of the API without the numbers of its tasks. */
export type RequirementRecord = ReturnType<typeof requirementStatements.toRecord>;

/** Locks a framework for changes of its requirements until the end of the transaction. No row without it. */
export const lockFramework = defineStatement<{ framework: number }, { archived: boolean }>(
  'requirement.lock-framework',
  ({ company, framework }) => `select f.archived_at is not null as archived from framework f
  where f.company_id = ${company} and f.id = ${framework}::int for no key update`,
);

/** The same for the framework of a requirement. */
export const lockFrameworkOf = defineStatement<{ uniqueId: string }, { framework: number }>(
  'requirement.lock-framework-of',
  ({ company, uniqueId }) => `select f.id as framework from framework f
  where f.company_id = ${company} and f.id = (
    select r.framework_id from requirement r where r.company_id = ${company} and r.unique_id = ${uniqueId}::uuid)
  for no key update`,
);

/** Conditions that a new requirement, or changes of one, do not meet. The framework is locked. */
export const explainRequirement = defineStatement<
  NewFields & { uniqueId: string; framework: number },
  Record<'tooMany' | 'refTaken' | 'tooDeep', boolean>
>('requirement.explain', (placeholders) => {
  const { company, framework, ref, uniqueId } = placeholders;
  const { tooMany, tooDeep } = conditionsOfNew(placeholders);
  return `select not ${tooMany} as "tooMany",
    exists (select ${withRef(company, framework, ref)} and named.unique_id <> ${uniqueId}::uuid) as "refTaken",
    not coalesce(${tooDeep}, false) as "tooDeep"`;
});

/** Locks the requirements of a batch in the order of their ids. */
export const lockRequirements = defineStatement<
  { uniqueIds: readonly string[] },
  { uniqueId: string; framework: number; externalIds: never[] }
>(
  'requirement.lock-targets',
  ({
    company,
    uniqueIds,
  }) => `select r.unique_id as "uniqueId", r.framework_id as framework, array[]::text[] as "externalIds"
  from requirement r where r.company_id = ${company} and r.unique_id = any(${uniqueIds}::uuid[]) order by r.unique_id for update`,
);

interface Assessment {
  uniqueId: string;
  ifMatch: IfMatch;
  /** Null withdraws the assessment. */
  result: Result | null;
  note: string;
}

/** Assesses a requirement that applies and is no heading. Returns the requirement in any case. */
export const assessRequirement = batchedWrite<Assessment, UpdateResult<RequirementRow>>(
  'requirement.assess',
  (placeholders) => {
    const { user, result, note } = placeholders;
    return updateReturningCurrent(
      requirementResource,
      placeholders,
      `assessment = case when ${result}::text is not null then
      jsonb_build_object('result', ${result}::text, 'note', ${note}::text, 'at', ${CHANGED_AT}, 'by', ${user}::uuid) end,
    version = requirement.version + 1, updated_at = now(), updated_by_id = ${user}::uuid`,
      [
        'requirement.assessable and requirement.applicable',
        `(${result}::text is not null or requirement.assessment is not null)`,
        frameworkCondition('requirement.framework_id', placeholders.keyFrameworks),
        matchesEntityTag(requirementResource, placeholders),
      ],
    );
  },
  ({ uniqueId }) => uniqueId,
);

/** Numbers of the tasks that are linked to a requirement and that the principal may see. */
export interface TaskCounts {
  open: number;
  overdue: number;
  closed: number;
}

const isOpen = `t.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Numbers of the tasks of requirements. Those without tasks have no row. @param today in the time zone of the company */
export const countLinkedTasks = readStatement<
  { uniqueIds: readonly string[]; today: string },
  TaskCounts & { requirement: string }
>(
  'requirement.count-tasks',
  ({ company, keyFrameworks, uniqueIds, today }) => `select linked.requirement_id as requirement,
    count(*) filter (where ${isOpen})::int as open,
    count(*) filter (where ${isOpen} and t.due_date < ${today}::date)::int as overdue,
    count(*) filter (where not ${isOpen})::int as closed
  from task_requirement linked join task t on t.company_id = linked.company_id and t.unique_id = linked.task_id
  where linked.company_id = ${company} and linked.requirement_id = any(${uniqueIds}::uuid[])
    and ${frameworkCondition('t.framework_id', keyFrameworks)}
  group by linked.requirement_id`,
);

/** Numbers of the tasks that are linked to a requirement, and of the requirements below it. */
export const countTasksOfRequirement = readStatement<{ requirement: string }, { total: number; children: number }>(
  'requirement.count-links',
  ({ company, requirement }) => `select
    (select count(*)::int from task_requirement linked
      where linked.company_id = ${company} and linked.requirement_id = ${requirement}::uuid) as total,
    (select count(*)::int from requirement child
      where child.company_id = ${company} and child.parent = ${requirement}::uuid) as children`,
);

/** The refs of requirements. */
export const findRefs = readStatement<{ uniqueIds: readonly string[] }, { uniqueId: string; ref: string }>(
  'requirement.refs',
  ({ company, uniqueIds }) => `select r.unique_id as "uniqueId", r.ref from requirement r
  where r.company_id = ${company} and r.unique_id = any(${uniqueIds}::uuid[])`,
);

/** Requirements of a framework with these refs. */
export const findRequirementsByRef = readStatement<Names & { framework: number }, NamedId>(
  'requirement.by-ref',
  ({ company, framework, names }) =>
    byName(
      names,
      'r.unique_id',
      'r.ref',
      `requirement r where r.company_id = ${company} and r.framework_id = ${framework}`,
    ),
);
