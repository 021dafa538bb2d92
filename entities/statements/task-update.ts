import { changing } from '../database/statement.ts';
import { OPEN_STATUSES } from '../task.ts';
import type { TaskChanges } from '../task.ts';
import { creator, isCreatorOf, ownStamps, updateOrFind } from './stamps.ts';
import type { Updated } from './stamps.ts';
import { tagMatches } from './tag.ts';
import type { IfMatch } from './tag.ts';
import { departmentUsable, findTask, gapUsable, mayTouch, ownColumns } from './task.ts';
import type { TaskRow } from './task.ts';

const given = (flag: string, value: string, column: string) =>
  `case when :${flag}::boolean then ${value} else task.${column} end`;

/** What the fields become, by column. */
const AFTER = {
  title: 'coalesce(:title, task.title)',
  description: 'coalesce(:description, task.description)',
  priority: 'coalesce(:priority, task.priority)',
  labels: 'coalesce(:labels, task.labels)',
  start_date: given('startDateGiven', ':startDate::date', 'start_date'),
  due_date: given('dueDateGiven', ':dueDate::date', 'due_date'),
  department_id: given('departmentGiven', ':departmentId::int', 'department_id'),
  gaps: 'coalesce(:gaps, task.gaps)',
  status: 'coalesce(:status, task.status)',
};
const columns = Object.keys(AFTER);
const after = Object.values(AFTER).join(', ');

/** The rules that `changedTask` of `entities/task.ts` tells of, and those for what a task refers to. */
const PERMITTED = [
  ':gapsAgree::boolean',
  mayTouch,
  `(:status::text is null or :status in ('todo', task.status) or task.status in (${OPEN_STATUSES.map((open) => `'${open}'`).join(', ')}))`,
  `(${AFTER.due_date} >= ${AFTER.start_date}) is not false`,
  `(:departmentId::int is null or :departmentId = task.department_id or ${departmentUsable(':departmentId')})`,
  `not exists (select from unnest(:gaps::int[]) given (id)
    where given.id <> all(task.gaps) and not ${gapUsable('task.framework_id', 'given.id')})`,
].join(' and ');

type GivenChanges = TaskChanges & {
  uniqueId: string;
  ifMatch: IfMatch;
  startDateGiven: boolean;
  dueDateGiven: boolean;
  departmentGiven: boolean;
  gapsAgree: boolean;
};

/** Changes what is given, where the rules permit it, the tag matches and it changes anything. */
export const updateTask = changing<GivenChanges, Updated<TaskRow>>(
  'task.update',
  updateOrFind(
    `update task
  set (${columns.join(', ')}, version, updated_at, updated_by_id) = row(${after}, task.version + 1, now(), :user::uuid)
  from company_user creator
  where task.company_id = :company and task.unique_id = :uniqueId and ${isCreatorOf('task')}
    and (${columns.map((column) => `task.${column}`).join(', ')}) is distinct from (${after})
    and ${PERMITTED} and ${tagMatches('task')}
  returning ${ownColumns('task')}, ${ownStamps('task')}, ${creator}`,
    findTask,
  ),
  ({ uniqueId }) => uniqueId,
);
