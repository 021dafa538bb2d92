import type { Actor } from '../company/user.ts';
import { anyCompany, readStatement } from '../statements/define-statement.ts';
import { OPEN_STATUSES } from '../task/task.ts';
import type { TaskStatus } from '../task/task.ts';
import type { RequirementStatus, Result } from './requirement.ts';

// Reads of a report. Each takes a page, so that the embedded database keeps no other request waiting for long.

/** Maximum number of requirements that got better, or worse, which a report lists. */
export const MAX_LISTED_CHANGES = 100;

/** Statuses of a requirement that applies, from the worst to the best. */
export const RANKED_STATUSES = [
  'not_met',
  'not_assessed',
  'partly_met',
  'met',
] as const satisfies readonly RequirementStatus[];

/** The time zone of the session's company, and when it was created. */
export const companyOfReport = readStatement<object, { timeZone: string; createdAt: string }>(
  'report.company',
  ({ company }) => `select time_zone as "timeZone", created_at as "createdAt" from company where id = ${company}`,
);

/** SQL of the framework, which statistics may not know either. */
const anyFramework = (framework: string) => `(select ${framework}::int)`;

interface Page {
  afterId: string;
  limit: number;
}

export interface ReportedTask {
  uniqueId: string;
  status: TaskStatus;
  dueDate: string | null;
}

/** Tasks of a framework after an id. */
export const pageTasks = readStatement<Page & { framework: number }, ReportedTask>(
  'report.tasks',
  ({ company, framework, afterId, limit }) => `select t.unique_id as "uniqueId", t.status, t.due_date as "dueDate"
  from task t where t.company_id = ${anyCompany(company)} and t.framework_id = ${anyFramework(framework)} and t.unique_id > ${afterId}::uuid
  order by t.unique_id limit ${limit}::int`,
);

export interface ReportedEvidence {
  uniqueId: string;
  /** The task or the requirement. */
  parent: string;
  validUntil: string | null;
}

/** Evidence of the company after an id, with its framework, because no index has the evidence of a framework. */
export const pageEvidence = readStatement<Page, ReportedEvidence & { framework: number }>(
  'report.evidence',
  ({ company, afterId, limit }) => `select e.unique_id as "uniqueId", e.framework_id as framework,
    coalesce(e.task_id, e.requirement_id, e.vendor_id) as parent, e.valid_until as "validUntil"
  from evidence e where e.company_id = ${anyCompany(company)} and e.unique_id > ${afterId}::uuid
  order by e.unique_id limit ${limit}::int`,
);

export interface ReportedRequirement {
  uniqueId: string;
  assessable: boolean;
  applicable: boolean;
  assessment: { result: Result } | null;
}

/** A requirement as a report names it. */
export interface ListedRequirement extends ReportedRequirement {
  ref: string;
  title: string;
}

/** The requirements of a framework in the order of lists. There are at most `MAX_REQUIREMENTS`. */
export const listReportedRequirements = readStatement<{ framework: number }, ListedRequirement>(
  'report.requirements',
  ({ company, framework }) => `select r.unique_id as "uniqueId", r.ref, r.title, r.assessable, r.applicable,
    case when r.assessment is not null then jsonb_build_object('result', r.assessment->'result') end as assessment
  from requirement r where r.company_id = ${anyCompany(company)} and r.framework_id = ${framework}::int
  order by r.position, r.ref_order, r.unique_id`,
);

/** Columns whose values a report counts, by type. */
const COUNTED_COLUMNS = {
  task: ['status', 'due_date'],
  requirement: ['assessable', 'applicable', 'assessment'],
  evidence: ['valid_until'],
} as const;

/** An event of an object that a report counts. */
export type CountedEvent = {
  id: number;
  type: keyof typeof COUNTED_COLUMNS;
  uniqueId: string;
  /** What evidence belongs to. */
  parent: string | null;
} & (
  | { verb: 'create'; changes: null }
  /** What the event has of the counted columns; null for one that it lacks. */
  | { verb: 'update' | 'delete'; changes: Readonly<Record<string, unknown>> }
);

const countedChanges = Object.entries(COUNTED_COLUMNS)
  .map(([type, columns]) => {
    const picked = columns.map((column) => `'${column}', e.changes->'${column}'`).join(', ');
    return `when '${type}' then jsonb_build_object(${picked})`;
  })
  .join(' ');

const listed = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/**
 * Events of a framework after a position, in the order of their times, as far as a report needs them: those before the time tell the order
 * of changes, and later ones matter if they have a counted column. The last event is always there, with the number of those that were
 * read.
 * @param time `isAfter` is true for events at this time and later
 */
export const pageFrameworkEvents = readStatement<
  { framework: number; time: string; afterTime: string; afterId: number; limit: number },
  { occurredAt: string; isAfter: boolean; scanned: number } & (CountedEvent | { id: number; type: null })
>(
  'report.events',
  ({
    company,
    framework,
    time,
    afterTime,
    afterId,
    limit,
  }) => `select e.id::float8 as id, e.occurred_at as "occurredAt", e."isAfter", e.scanned,
    case when e.resource_type in (${listed(Object.keys(COUNTED_COLUMNS))}) then e.resource_type end as type,
    e.resource_id as "uniqueId", e.parent_id as parent, e.verb,
    case when e.verb <> 'create' then case e.resource_type ${countedChanges} end end as changes
  from (
    select e.*, e.occurred_at >= ${time}::timestamptz as "isAfter",
      case split_part(e.action, '.', 2) when 'create' then 'create' when 'delete' then 'delete' else 'update' end as verb,
      row_number() over page as number, count(*) over ()::int as scanned
    from (
      select * from audit_event e
      where e.company_id = ${anyCompany(company)} and e.framework_id = ${anyFramework(framework)}
        and (e.occurred_at, e.id) > (${afterTime}::timestamptz, ${afterId}::bigint)
      order by e.occurred_at, e.id limit ${limit}::int) e
    window page as (order by e.occurred_at, e.id)) e
  where e.number = e.scanned or e.resource_type in (${listed(Object.keys(COUNTED_COLUMNS))})
    and (not e."isAfter" or e.verb <> 'update' or e.changes ?| array[${listed(Object.values(COUNTED_COLUMNS).flat())}])
  order by e.number`,
);

/** The last changes of the status of tasks, each before an event. */
export const findClosings = readStatement<
  { tasks: readonly string[]; beforeEvents: readonly number[] },
  { uniqueId: string; closedAt: string }
>(
  'report.closings',
  ({ company, tasks, beforeEvents }) => `select c.id as "uniqueId", e.occurred_at as "closedAt"
  from unnest(${tasks}::text[], ${beforeEvents}::bigint[]) c (id, before_event)
  cross join lateral (
    select e.occurred_at from audit_event e
    where e.company_id = ${anyCompany(company)} and e.resource_type = 'task' and e.resource_id = c.id and e.id < c.before_event
      and (e.action = 'task.create' or e.changes ? 'status')
    order by e.id desc limit 1) e`,
);

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

const overdueTasks = (company: string, framework: string, today: string) => `from task t
    where t.company_id = ${anyCompany(company)} and t.framework_id = ${framework}::int and t.status in (${OPEN}) and t.due_date < ${today}::date`;

/** Numbers of overdue tasks by assignee, the highest first. @param today in the time zone of the company */
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

/** Numbers of overdue tasks by department, the highest first. @param today in the time zone of the company */
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
