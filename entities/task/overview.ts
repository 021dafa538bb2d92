import { OPEN_STATUSES } from './task.ts';
import { frameworkCondition } from '../schema/access.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** Largest number of overdue tasks, or of tasks that are due soon, that is counted for a framework. */
export const MAX_DUE_COUNT = 1000;

interface DueDates {
  today: string;
  /** Last day of the tasks that are due soon, included. */
  lastDay: string;
}

interface FrameworkTasks {
  id: number;
  name: string;
  archived: boolean;
  open: number;
  done: number;
  notApplicable: number;
  canceled: number;
  /** At most one more than `MAX_DUE_COUNT`. */
  overdue: number;
  due_soon: number;
  /** Requirements that can be assessed and apply, and those of them that are met. */
  applicable: number;
  met: number;
}

const OPEN_TASKS = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/** Number of open tasks with a condition on their date, from an index. Stops after the maximum. */
const countDue = ({ company }: Placeholders<DueDates>, condition: string) => `(select count(*)::int from (
    select from task t where t.company_id = ${company} and t.framework_id = f.id and t.status in (${OPEN_TASKS})
      and ${condition} limit ${MAX_DUE_COUNT + 1}) counted)`;

/** Open, closed, overdue and due tasks, and requirements, of each framework that the principal may access, by id. */
export const tasksByFramework = readStatement<DueDates, FrameworkTasks>('overview.tasks', (placeholders) => {
  const { company, keyFrameworks, today, lastDay } = placeholders;
  return `select f.id, f.name, f.archived_at is not null as archived,
    counts.open, counts.done, counts.not_applicable as "notApplicable", counts.canceled,
    ${countDue(placeholders, `t.due_date < ${today}::date`)} as overdue,
    ${countDue(placeholders, `t.due_date >= ${today}::date and t.due_date <= ${lastDay}::date`)} as due_soon,
    coalesce(assessed.applicable, 0) as applicable, coalesce(assessed.met, 0) as met
  from framework f cross join lateral (
    select coalesce(sum(${OPEN_STATUSES.map((status) => `c.${status}`).join(' + ')}), 0)::int as open,
      ${['done', 'not_applicable', 'canceled'].map((status) => `coalesce(sum(c.${status}), 0)::int as ${status}`).join(', ')}
    from task_count c where c.company_id = ${company} and c.framework_id = f.id) counts
  left join (select r.framework_id, count(*)::int as applicable, (count(*) filter (where r.assessment->>'result' = 'met'))::int as met
    from requirement r where r.company_id = ${company} and r.assessable and r.applicable
      and ${frameworkCondition('r.framework_id', keyFrameworks)} group by r.framework_id) assessed on assessed.framework_id = f.id
  where f.company_id = ${company} and (${keyFrameworks}::int[] is null or f.id = any(${keyFrameworks})) order by f.id`;
});

/** Overdue tasks of a person, or of a department. */
export interface OverdueShare {
  by: 'person' | 'department';
  /** Null for the tasks of nobody, or of no department. */
  id: string | null;
  name: string | null;
  count: number;
  /** Due date of the oldest one. */
  oldest: string;
}

/** Overdue tasks that the principal may see, by person and by department, those with the most tasks first. */
export const overdueShares = readStatement<{ today: string }, OverdueShare>(
  'overview.overdue',
  ({ company, keyFrameworks, today }) => `with share as (
    select case grouping(t.assignee_id) when 0 then 'person' else 'department' end as by, t.assignee_id, t.department_id,
      count(*)::int as count, min(t.due_date) as oldest
    from task t where t.company_id = ${company} and t.status in (${OPEN_TASKS}) and t.due_date < ${today}::date
      and ${frameworkCondition('t.framework_id', keyFrameworks)}
    group by grouping sets ((t.assignee_id), (t.department_id)))
  select s.by, coalesce(s.assignee_id::text, s.department_id::text) as id, coalesce(u.name, d.name) as name,
    s.count, s.oldest::text as oldest
  from share s
    left join company_user u on u.company_id = ${company} and u.unique_id = s.assignee_id
    left join department d on d.company_id = ${company} and d.id = s.department_id
  order by s.count desc, s.oldest, name, id`,
);
