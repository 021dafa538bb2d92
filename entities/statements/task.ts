import { me, statement } from '../database/statement.ts';
import { Refusal } from '../refusal.ts';
import type { TaskFields } from '../task.ts';
import { stateAsOf } from './as-of.ts';
import { stampColumns, stampJoins, toStamps } from './stamps.ts';
import type { StampRow, Stamps } from './stamps.ts';

/** The task object of the contract. Contract, section 3. */
export interface TaskRecord extends TaskFields, Stamps {
  uniqueId: string;
  framework: number;
  labels: string[];
  gaps: number[];
}

interface TaskRow extends StampRow {
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

/** Whether what a task refers to may be given to it: it exists in the company, belongs to the framework, is not archived. */
interface References {
  framework_exists: boolean;
  framework_usable: boolean;
  department_usable: boolean;
  gaps_usable: boolean;
}

const taskObject = `t.unique_id, t.framework_id, t.title, t.description, t.priority, t.labels, t.start_date, t.due_date,
  t.department_id, t.gaps, t.status, ${stampColumns('t')}`;

/** Looks at what is newly given only: a task keeps what was archived later. */
const references = `given as materialized (select
  exists (select from department d where d.company_id = :company and d.id = :newDepartment::int and d.archived_at is null)
    or :newDepartment::int is null as department_usable,
  (select count(*) from gap g where g.company_id = :company and g.framework_id = :framework
    and g.id = any(:newGaps::int[]) and g.archived_at is null) = cardinality(:newGaps::int[]) as gaps_usable)`;

/** Null when the framework is not the company's. */
export const countTasks = statement<{ framework: number }, { total: number | null }>(
  'task.count',
  `select case when exists (select from framework f where f.company_id = :company and f.id = :framework)
    then (select count(*)::int from task t where t.company_id = :company and t.framework_id = :framework) end as total`,
);

export const getTask = statement<{ uniqueId: string }, TaskRow>(
  'task.get',
  `select ${taskObject} from task t ${stampJoins('t')} where t.company_id = :company and t.unique_id = :uniqueId`,
);

/** The task as it was at a moment; no row before it was there or after it went. */
export const getTaskAsOf = statement<{ uniqueId: string; asOf: string }, TaskRow>(
  'task.as-of',
  `with ${stateAsOf('task')} select ${taskObject} from state t ${stampJoins('t')}`,
);

type Given = TaskFields & {
  uniqueId: string;
  framework: number;
  newDepartment: number | null;
  newGaps: readonly number[];
};

export const insertTask = statement<Given, References & (TaskRow | { unique_id: null })>(
  'task.insert',
  `with ${me},
  ${references},
  owner as materialized (select count(*) > 0 as framework_exists, coalesce(bool_and(f.archived_at is null), false) as framework_usable
    from framework f where f.company_id = :company and f.id = :framework),
  t as (
    insert into task (company_id, unique_id, framework_id, title, description, priority, labels, start_date, due_date,
      department_id, gaps, status, created_by_id, updated_by_id)
    select :company, :uniqueId, :framework, :title, :description, :priority, :labels, :startDate::date, :dueDate::date,
      :departmentId::int, :gaps, :status, :user, :user
    from me, given, owner
    where owner.framework_usable and given.department_usable and given.gaps_usable
    returning *)
  select owner.*, given.*, ${taskObject} from given, owner left join t on true ${stampJoins('t', 'left join')}`,
);

/** Writes the whole state over the version it was made from; no `unique_id` when it could not. */
export const updateTask = statement<
  Given & { version: number },
  Omit<References, 'framework_exists' | 'framework_usable'> & (TaskRow | { unique_id: null })
>(
  'task.update',
  `with ${me},
  ${references},
  t as (
    update task
    set title = :title, description = :description, priority = :priority, labels = :labels, start_date = :startDate::date,
      due_date = :dueDate::date, department_id = :departmentId::int, gaps = :gaps, status = :status,
      version = task.version + 1, updated_at = now(), updated_by_id = :user
    from me, given
    where task.company_id = :company and task.unique_id = :uniqueId and task.version = :version
      and given.department_usable and given.gaps_usable
    returning task.*)
  select given.*, ${taskObject} from given left join t on true ${stampJoins('t', 'left join')}`,
);

export const deleteTask = statement<{ uniqueId: string }, { uniqueId: string }>(
  'task.delete',
  `with ${me}
  delete from task using me where task.company_id = :company and task.unique_id = :uniqueId
  returning task.unique_id as "uniqueId"`,
);

/** @throws Refusal 422 where the department or a gap may not be given. */
export function refuseUnusable({
  department_usable,
  gaps_usable,
}: Pick<References, 'department_usable' | 'gaps_usable'>): void {
  if (!department_usable) throw new Refusal('unprocessable', 'departmentId: no such department, or it is archived');
  if (!gaps_usable) throw new Refusal('unprocessable', 'gaps: not all are gaps of this framework, or one is archived');
}

export function toTask(row: TaskRow): TaskRecord {
  return {
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
    ...toStamps(row),
  };
}
