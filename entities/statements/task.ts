import { pipelinedRead, batchedWrite, readStatement, defineStatement } from './define-statement.ts';
import { ApiError } from '../api-error.ts';
import type { TaskFields } from '../task.ts';
import type { Actor } from '../user.ts';
import { stateAsOf } from './as-of.ts';
import {
  toCreator,
  ownMetadata,
  metadataColumns,
  metadataJoins,
  toChangeMetadata,
  toUpdater,
} from './change-metadata.ts';
import type { OwnMetadata, MetadataRow, ChangeMetadata } from './change-metadata.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { IfMatch } from './entity-tag.ts';

/** The task object of the contract. Contract, section 3. */
export interface TaskRecord extends TaskFields, ChangeMetadata {
  uniqueId: string;
  framework: number;
  labels: string[];
  gaps: number[];
}

/** A task as it is stored, without its users. */
export interface TaskRow extends OwnMetadata {
  unique_id: string;
  framework_id: number;
  title: string;
  description: string;
  priority: number;
  labels: string[];
  start_date: string | null;
  due_date: string | null;
  department_id: number | null;
  gaps: number[];
  status: TaskFields['status'];
}

/** A task with its users. */
export type TaskRowWithMetadata = TaskRow & MetadataRow;

/** Whether what is newly given to a task exists in the company, belongs to the framework, and is not archived. */
interface ReferenceChecks {
  department_usable: boolean;
  unusable_gaps: number[];
}

/** Columns of a task under this alias, without its stamps. */
export const taskColumns = (
  alias: string,
) => `${alias}.unique_id, ${alias}.framework_id, ${alias}.title, ${alias}.description,
  ${alias}.priority, ${alias}.labels, ${alias}.start_date, ${alias}.due_date, ${alias}.department_id, ${alias}.gaps, ${alias}.status`;

/** Columns of a task `t` joined by `stampJoins('t')`, as `toTask` takes them. */
export const taskWithMetadataColumns = `${taskColumns('t')}, ${metadataColumns('t')}`;

/** Whether a department may be given to a task. */
export const departmentUsableSql = (id: string) => `exists (select from department d
  where d.company_id = :company and d.id = ${id} and d.archived_at is null)`;
/** Whether a gap may be given to a task of that framework. */
export const gapUsableSql = (framework: string, id: string) => `exists (select from gap g
  where g.company_id = :company and g.framework_id = ${framework} and g.id = ${id} and g.archived_at is null)`;

const referenceCheckColumns = `(:departmentId::int is null or ${departmentUsableSql(':departmentId')}) as department_usable,
  array(select given.id from unnest(:gaps::int[]) given (id) where not ${gapUsableSql(':framework', 'given.id')}) as unusable_gaps`;

export const checkReferences = pipelinedRead<
  { framework: number; departmentId: number | null; gaps: readonly number[] },
  ReferenceChecks
>('task.references', `select ${referenceCheckColumns}`);

/** Null when the framework is not the company's. */
export const countTasks = pipelinedRead<{ framework: number }, { total: number | null }>(
  'task.count',
  `select case when exists (select from framework f where f.company_id = :company and f.id = :framework)
    then (select coalesce(sum(c.tasks), 0)::int from task_count c where c.company_id = :company and c.framework_id = :framework) end as total`,
);

/** Selects one task with its stamps, with more columns and on further conditions where they are given. */
export const selectTask = (andColumns = '', andWhere = '') =>
  `select ${taskWithMetadataColumns}${andColumns} from task t ${metadataJoins('t')} where t.company_id = :company and t.unique_id = :uniqueId${andWhere}`;

export const getTask = pipelinedRead<{ uniqueId: string }, TaskRowWithMetadata>('task.get', selectTask());

/** The task as it was at a moment; no row before it was there or after it went. */
export const getTaskAsOf = readStatement<{ uniqueId: string; asOf: string }, TaskRowWithMetadata>(
  'task.as-of',
  `with ${stateAsOf('task')} select ${taskWithMetadataColumns} from state t ${metadataJoins('t')}`,
);

interface InsertChecks extends ReferenceChecks {
  framework_exists: boolean;
  framework_usable: boolean;
}

/** After all ids: the count of the framework is written last, and who has it waits for no row. */
const countLockKey = (framework: number) => `~${String(framework).padStart(10, '0')}`;

export const insertTask = batchedWrite<
  TaskFields & { uniqueId: string; framework: number },
  InsertChecks & (TaskRow | { unique_id: null })
>(
  'task.insert',
  `with given as materialized (select ${referenceCheckColumns}, f.id is not null as framework_exists, f.id is not null and f.archived_at is null as framework_usable
    from (values (1)) one left join framework f on f.company_id = :company and f.id = :framework),
  t as (
    insert into task (company_id, unique_id, framework_id, title, description, priority, labels, start_date, due_date,
      department_id, gaps, status, created_by_id, updated_by_id)
    select :company, :uniqueId, :framework, :title, :description, :priority, :labels, :startDate::date, :dueDate::date,
      :departmentId::int, :gaps, :status, :user, :user
    from given
    where framework_usable and department_usable and unusable_gaps = '{}'
    returning *)
  select given.*, ${taskColumns('t')}, ${ownMetadata('t')} from given left join t on true`,
  ({ framework }) => countLockKey(framework),
);

/** Whether the key may touch the task's framework. */
export const frameworkAllowed = '(:keyFrameworks::int[] is null or task.framework_id = any(:keyFrameworks))';

/** No row where there is none in a framework that the key may touch, or its tag does not match. */
export const deleteTask = defineStatement<{ uniqueId: string; ifMatch: IfMatch }, { uniqueId: string }>(
  'task.delete',
  `delete from task where task.company_id = :company and task.unique_id = :uniqueId
    and ${frameworkAllowed} and ${matchesEntityTag('task')}
  returning task.unique_id as "uniqueId"`,
);

/** @throws Refusal 422 where the department or a gap may not be given. */
export function requireUsableReferences({ department_usable, unusable_gaps: gaps }: ReferenceChecks): void {
  if (!department_usable) throw new ApiError('unprocessable', 'departmentId: no such department, or it is archived');
  if (gaps.length > 0) {
    const message = `gaps: expected gaps of this framework that are not archived; cannot be used: ${gaps.join(', ')}`;
    throw new ApiError('unprocessable', message);
  }
}

/** A task with its users, as it is read. */
export const toTask = (row: TaskRowWithMetadata): TaskRecord => taskFromWrite(row, toCreator(row), toUpdater(row));

/** A task that `updatedBy` has just written. */
export const taskFromWrite = (row: TaskRow, createdBy: Actor, updatedBy: Actor): TaskRecord => ({
  uniqueId: row.unique_id,
  framework: row.framework_id,
  title: row.title,
  description: row.description,
  priority: row.priority,
  labels: row.labels,
  startDate: row.start_date,
  dueDate: row.due_date,
  departmentId: row.department_id,
  gaps: row.gaps,
  status: row.status,
  ...toChangeMetadata(row, createdBy, updatedBy),
});
