import { ApiError } from '../api-error.ts';
import { OPEN_STATUSES, taskResource } from './task.ts';
import type { TaskFields } from './task.ts';
import { memberUsable } from '../schema/people.ts';
import type { Actor } from '../company/user.ts';
import { ownMetadata } from '../statements/change-metadata.ts';
import type { OwnMetadata } from '../statements/change-metadata.ts';
import { batchedWrite, defineStatement, pipelinedRead } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { insertColumns, ownColumns, resourceStatements } from '../statements/resource.ts';

/** New references of a task: those that a change adds. */
interface References {
  framework: number;
  departmentId: number | null;
  gaps: readonly number[];
  assigneeId: string | null;
}

/**
 * Result of the check: new references must be of the company and the framework, and not archived. A new assignee must be an active
 * member who may see the framework.
 */
interface ReferenceChecks {
  department_usable: boolean;
  unusable_gaps: number[];
  assignee_usable: boolean;
}

const departmentUsable = (company: string, id: string) => `exists (select from department d
  where d.company_id = ${company} and d.id = ${id} and d.archived_at is null)`;
const gapUsable = (company: string, framework: string, id: string) => `exists (select from gap g
  where g.company_id = ${company} and g.framework_id = ${framework} and g.id = ${id} and g.archived_at is null)`;

const referenceCheckColumns = ({ company, framework, departmentId, gaps, assigneeId }: Placeholders<References>) =>
  `(${assigneeId}::uuid is null or ${memberUsable(company, assigneeId, framework)}) as assignee_usable,
  (${departmentId}::int is null or ${departmentUsable(company, departmentId)}) as department_usable,
  array(select given.id from unnest(${gaps}::int[]) given (id)
    where not ${gapUsable(company, framework, 'given.id')}) as unusable_gaps`;

/** Fields of a task that no statement for its fields writes. */
type ReadOnlyFields = ExternalIds & { assignee: Actor | null; evidenceCount: number | null };

/** The update has the rules of `applyTaskChanges` in `entities/task/task.ts`, and those for references, as conditions. */
const statements = resourceStatements<
  { framework: number },
  TaskFields,
  object,
  { gapsValid: boolean },
  ReadOnlyFields
>(taskResource, {
  updateConditions: ({ company, departmentId, gaps, gapsValid, status, assigneeId }, newValues) => [
    `${gapsValid}::boolean`,
    `(${status}::text is null or ${status} in ('todo', task.status) or task.status in (${OPEN_STATUSES.map((open) => `'${open}'`).join(', ')}))`,
    `(${newValues.dueDate} >= ${newValues.startDate}) is not false`,
    `(${departmentId}::int is null or ${departmentId} = task.department_id or ${departmentUsable(company, departmentId)})`,
    `not exists (select from unnest(${gaps}::int[]) given (id)
    where given.id <> all(task.gaps) and not ${gapUsable(company, 'task.framework_id', 'given.id')})`,
    `(${assigneeId}::uuid is null or ${assigneeId} = task.assignee_id or ${memberUsable(company, assigneeId, 'task.framework_id')})`,
  ],
});

/** The task object of the API. Contract, section 3. */
export type TaskRecord = ReturnType<typeof statements.toRecord>;

/** A task as a statement selects it. */
export type TaskRow = Parameters<typeof statements.toRecord>[0];

/** Condition: the company has all these distinct frameworks, or there are none. */
export const hasFrameworks = (company: string, frameworks: string) =>
  `(${frameworks}::int[] is null or (select count(*) from framework f
    where f.company_id = ${company} and f.id = any(${frameworks})) = cardinality(${frameworks}::int[]))`;

interface InsertChecks extends ReferenceChecks {
  framework_exists: boolean;
  framework_usable: boolean;
}

type InsertedTask = TaskFields & ReadOnlyFields & OwnMetadata & { uniqueId: string; framework: number };

/** Sorts after all ids. The count of the framework is written last, and its transaction then waits for no row. */
const countLockKey = (framework: number) => `~${String(framework).padStart(10, '0')}`;

export type NewTask = TaskFields & { uniqueId: string; framework: number };
/** The checks of the references, and the task if all are usable. */
export type InsertResult = InsertChecks & (InsertedTask | { uniqueId: null });

/** Columns of `given`, which has one row. */
const IS_USABLE = `framework_usable and department_usable and assignee_usable and unusable_gaps = '{}'`;

interface ExternalIdInsert {
  /** Further CTEs, in SQL, for the condition that the references are usable. */
  ctes: (isUsable: string) => string[];
  /** CTE with a row if the task is to be inserted. */
  from: string;
  /** Value of the column `external_ids`, in SQL. */
  externalIds: string;
}

/** Inserts a task if all its references are usable. */
export function insertIfUsable(
  placeholders: Placeholders<NewTask>,
  { ctes, from, externalIds }: ExternalIdInsert = {
    ctes: () => [],
    from: `given where ${IS_USABLE}`,
    externalIds: `'[]'::jsonb`,
  },
): string {
  const { company, framework } = placeholders;
  const { columns, values } = insertColumns(taskResource, placeholders);
  return `with given as materialized (select ${referenceCheckColumns(placeholders)},
    f.id is not null as framework_exists, f.id is not null and f.archived_at is null as framework_usable
    from (values (1)) one left join framework f on f.company_id = ${company} and f.id = ${framework}),
  ${ctes(IS_USABLE)
    .map((cte) => `${cte},\n  `)
    .join('')}t as (
    insert into task (${columns}, external_ids) select ${values}, ${externalIds}
    from ${from}
    returning *)
  select given.*, ${ownColumns(taskResource, 't', 'creation')}, ${ownMetadata('t')} from given left join t on true`;
}

const insert = batchedWrite<NewTask, InsertResult>(
  'task.insert',
  (placeholders) => insertIfUsable(placeholders),
  ({ framework }) => countLockKey(framework),
);

export const taskStatements = { ...statements, insert };

/** Not a read: it locks the assignee. */
export const checkReferences = defineStatement<References, ReferenceChecks>(
  'task.references',
  (placeholders) => `select ${referenceCheckColumns(placeholders)}`,
);

type TaskCount = Statement<{ frameworks: readonly number[] | null }, { total: number | null }>;

/** Total of one framework. It is null if the company has no such framework. */
export const countTasksOfOne: TaskCount = pipelinedRead('task.count-one', ({ company, frameworks }) => {
  const framework = `(${frameworks}::int[])[1]`;
  return `select case when exists (select from framework f where f.company_id = ${company} and f.id = ${framework})
    then (select coalesce(sum(c.tasks), 0)::int from task_count c where c.company_id = ${company} and c.framework_id = ${framework}) end as total`;
});

/** Total of the frameworks, or of all without any. It is null if the company lacks one of them. */
export const countTasks: TaskCount = pipelinedRead(
  'task.count',
  ({ company, frameworks }) =>
    `select case when ${hasFrameworks(company, frameworks)} then (select coalesce(sum(c.tasks), 0)::int from task_count c
      where c.company_id = ${company} and (${frameworks}::int[] is null or c.framework_id = any(${frameworks}))) end as total`,
);

/** @throws ApiError 422 if the department, a gap or the assignee is not usable */
export function requireUsableReferences({
  department_usable,
  unusable_gaps: gaps,
  assignee_usable,
}: ReferenceChecks): void {
  if (!department_usable) throw new ApiError('unprocessable', 'departmentId: no such department, or it is archived');
  if (gaps.length > 0) {
    const message = `gaps: expected gaps of this framework that are not archived; cannot be used: ${gaps.join(', ')}`;
    throw new ApiError('unprocessable', message);
  }
  if (!assignee_usable)
    throw new ApiError('unprocessable', 'assigneeId: expected an active member who may see the framework');
}
