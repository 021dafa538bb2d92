import { batchedWrite } from './define-statement.ts';
import { OPEN_STATUSES } from '../task.ts';
import type { TaskChanges } from '../task.ts';
import { creatorColumns, joinsCreator, ownMetadata, updateReturningCurrent } from './change-metadata.ts';
import type { UpdateResult } from './change-metadata.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { IfMatch } from './entity-tag.ts';
import { departmentUsableSql, selectTask, gapUsableSql, frameworkAllowed, taskColumns } from './task.ts';
import type { TaskRow } from './task.ts';

const ifProvided = (providedFlag: string, value: string, column: string) =>
  `case when :${providedFlag}::boolean then ${value} else task.${column} end`;

/** What the fields become, by column. */
const NEW_VALUES = {
  title: 'coalesce(:title, task.title)',
  description: 'coalesce(:description, task.description)',
  priority: 'coalesce(:priority, task.priority)',
  labels: 'coalesce(:labels, task.labels)',
  start_date: ifProvided('hasStartDate', ':startDate::date', 'start_date'),
  due_date: ifProvided('hasDueDate', ':dueDate::date', 'due_date'),
  department_id: ifProvided('hasDepartment', ':departmentId::int', 'department_id'),
  gaps: 'coalesce(:gaps, task.gaps)',
  status: 'coalesce(:status, task.status)',
};
const updatedColumns = Object.keys(NEW_VALUES);
const newValueList = Object.values(NEW_VALUES).join(', ');

/** The rules that `changedTask` of `entities/task.ts` tells of, and those for what a task refers to. */
const UPDATE_CONDITIONS = [
  ':gapsValid::boolean',
  frameworkAllowed,
  `(:status::text is null or :status in ('todo', task.status) or task.status in (${OPEN_STATUSES.map((open) => `'${open}'`).join(', ')}))`,
  `(${NEW_VALUES.due_date} >= ${NEW_VALUES.start_date}) is not false`,
  `(:departmentId::int is null or :departmentId = task.department_id or ${departmentUsableSql(':departmentId')})`,
  `not exists (select from unnest(:gaps::int[]) given (id)
    where given.id <> all(task.gaps) and not ${gapUsableSql('task.framework_id', 'given.id')})`,
].join(' and ');

type TaskUpdateInput = TaskChanges & {
  uniqueId: string;
  ifMatch: IfMatch;
  hasStartDate: boolean;
  hasDueDate: boolean;
  hasDepartment: boolean;
  gapsValid: boolean;
};

/** Changes what is given, where the rules permit it, the tag matches and it changes anything. */
export const updateTask = batchedWrite<TaskUpdateInput, UpdateResult<TaskRow>>(
  'task.update',
  updateReturningCurrent(
    `update task
  set (${updatedColumns.join(', ')}, version, updated_at, updated_by_id) = row(${newValueList}, task.version + 1, now(), :user::uuid)
  from company_user creator
  where task.company_id = :company and task.unique_id = :uniqueId and ${joinsCreator('task')}
    and (${updatedColumns.map((column) => `task.${column}`).join(', ')}) is distinct from (${newValueList})
    and ${UPDATE_CONDITIONS} and ${matchesEntityTag('task')}
  returning ${taskColumns('task')}, ${ownMetadata('task')}, ${creatorColumns}`,
    selectTask,
  ),
  ({ uniqueId }) => uniqueId,
);
