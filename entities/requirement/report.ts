import type { Actor } from '../company/user.ts';
import { isExpiring } from '../evidence/expiring.ts';
import { readStatement } from '../statements/define-statement.ts';
import { OPEN_STATUSES, TASK_STATUSES } from '../task/task.ts';
import type { TaskStatus } from '../task/task.ts';
import { requirementStatusSql } from './requirement.ts';
import type { RequirementStatus } from './requirement.ts';

/** Maximum number of requirements that got better, or worse, which a report lists. */
export const MAX_LISTED_CHANGES = 100;

/** Statuses of a requirement that applies, from the worst to the best. */
export const RANKED_STATUSES = [
  'not_met',
  'not_assessed',
  'partly_met',
  'met',
] as const satisfies readonly RequirementStatus[];

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

export interface RequirementNumbers {
  met: number;
  partlyMet: number;
  notMet: number;
  notAssessed: number;
  notApplicable: number;
}

const requirementsOf = (status: RequirementStatus) =>
  `count(*) filter (where ${requirementStatusSql('r')} = '${status}')::int`;

/** Requirements of a framework by status. */
export const countRequirements = readStatement<{ framework: number }, RequirementNumbers>(
  'report.requirements',
  ({ company, framework }) => `select ${requirementsOf('met')} as met, ${requirementsOf('partly_met')} as "partlyMet",
    ${requirementsOf('not_met')} as "notMet", ${requirementsOf('not_assessed')} as "notAssessed",
    ${requirementsOf('not_applicable')} as "notApplicable"
  from requirement r where r.company_id = ${company} and r.framework_id = ${framework}::int`,
);

export type TaskNumbers = Record<TaskStatus | 'overdue' | 'closedOnTime' | 'closedLate', number>;

/** Tasks of a framework by status, and by their due date. @param today in the time zone of the company */
export const countTasks = readStatement<
  { framework: number; today: string; timeZone: string },
  TaskNumbers & { closedWithoutEvidence: number }
>(
  'report.tasks',
  ({ company, framework, today, timeZone }) => `select
    ${TASK_STATUSES.map((status) => `count(*) filter (where t.status = '${status}')::int as ${status}`).join(', ')},
    count(*) filter (where t.status in (${OPEN}) and t.due_date < ${today}::date)::int as overdue,
    count(*) filter (where t.closed_on <= t.due_date)::int as "closedOnTime",
    count(*) filter (where t.closed_on > t.due_date)::int as "closedLate",
    count(*) filter (where t.status not in (${OPEN}) and not exists (select from evidence e
      where e.company_id = t.company_id and e.task_id = t.unique_id))::int as "closedWithoutEvidence"
  from (select t.*, case when t.status not in (${OPEN}) and t.due_date is not null then (
      select (e.occurred_at at time zone ${timeZone})::date from audit_event e
      where e.company_id = t.company_id and e.resource_type = 'task' and e.resource_id = t.unique_id::text
        and (e.action = 'task.create' or e.changes ? 'status') order by e.id desc limit 1) end as closed_on
    from task t where t.company_id = ${company} and t.framework_id = ${framework}::int) t`,
);

export interface EvidenceNumbers {
  total: number;
  expiring: number;
  expired: number;
}

/** Evidence of the tasks and requirements of a framework. @param expiresBefore date before which expiring evidence ends */
export const countEvidence = readStatement<
  { framework: number; today: string; expiresBefore: string },
  EvidenceNumbers
>(
  'report.evidence',
  ({ company, framework, today, expiresBefore }) => `select count(*)::int as total,
    count(*) filter (where ${isExpiring('e', `${expiresBefore}::date`)})::int as expiring,
    count(*) filter (where e.valid_until < ${today}::date)::int as expired
  from evidence e where e.company_id = ${company} and e.framework_id = ${framework}::int and e.vendor_id is null`,
);

const overdueTasks = (company: string, framework: string, today: string) => `from task t
    where t.company_id = ${company} and t.framework_id = ${framework}::int and t.status in (${OPEN}) and t.due_date < ${today}::date`;

/** Numbers of overdue tasks by assignee, the highest first. */
export const overdueByAssignee = readStatement<
  { framework: number; today: string },
  { assignee: Actor | null; count: number }
>(
  'report.overdue-assignees',
  ({ company, framework, today }) => `select case when u.unique_id is not null
    then json_build_object('uniqueId', u.unique_id, 'name', u.name, 'kind', u.kind) end as assignee, counted.count
  from (select t.assignee_id, count(*)::int as count ${overdueTasks(company, framework, today)} group by t.assignee_id) counted
  left join company_user u on u.company_id = ${company} and u.unique_id = counted.assignee_id
  order by counted.count desc, u.name, u.unique_id`,
);

/** Numbers of overdue tasks by department, the highest first. */
export const overdueByDepartment = readStatement<
  { framework: number; today: string },
  { department: { id: number; name: string; archived: boolean } | null; count: number }
>(
  'report.overdue-departments',
  ({ company, framework, today }) => `select case when d.id is not null
    then json_build_object('id', d.id, 'name', d.name, 'archived', d.archived_at is not null) end as department, counted.count
  from (select t.department_id, count(*)::int as count ${overdueTasks(company, framework, today)} group by t.department_id) counted
  left join department d on d.company_id = ${company} and d.id = counted.department_id
  order by counted.count desc, d.name, d.id`,
);
