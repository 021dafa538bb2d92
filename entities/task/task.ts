import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Department } from '../reference-data/department.ts';
import { DATE_YEARS } from '../date-years.ts';
import { foldCase } from '../fold-case.ts';
import { Framework } from '../reference-data/framework.ts';
import { ApiError } from '../api-error.ts';
import { resourceTriggers } from '../schema/access.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { countTriggers, defineTrigger } from '../schema/triggers.ts';
import { externalIdsCheck, externalIdsProperty, externalIdsTriggers } from '../external-id/external-id.ts';
import { Member } from '../member/member.ts';
import { MAX_DESCRIPTION_LENGTH } from '../vendor/vendor.ts';

/** 1 is urgent, 4 is low. */
export const PRIORITY = { min: 1, max: 4, default: 3 } as const;
export const LABEL_LIMITS = { max: 20, maxLength: 50 } as const;
export const MAX_GAPS = 100;

export { DATE_YEARS };

export const OPEN_STATUSES = ['todo', 'in_progress', 'in_review'] as const;
export const TASK_STATUSES = [...OPEN_STATUSES, 'done', 'not_applicable', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

const dateRangeCheck = (column: string) =>
  `${column} >= '${DATE_YEARS.min}-01-01'::date AND ${column} <= '${DATE_YEARS.max}-12-31'::date`;

const LABELS_CHECK = `cardinality(labels) <= ${LABEL_LIMITS.max} AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[])`;

/**
 * Order of lists, with the columns of their filters. Indexes are SQL because the ORM would include `company_id` a second
 * time for `department` (docs/decisions, 0020).
 */
const LIST_INDEX = `create index task_by_framework on task (company_id, framework_id, unique_id)
  include (status, priority, department_id, due_date, updated_at)`;
const UPDATE_INDEX = `create index task_by_update on task (company_id, framework_id, updated_at, unique_id)
  include (status, priority, department_id, due_date)`;
const DUE_INDEX = `create index task_by_due_date on task (company_id, framework_id, due_date, unique_id)
  include (status, priority, department_id)`;
/** For the numbers of tasks that are overdue or due soon. Without closed tasks, whose dates are mostly in the past. */
const OPEN_DUE_INDEX = `create index task_open_by_due_date on task (company_id, framework_id, due_date)
  where status in (${OPEN_STATUSES.map((open) => `'${open}'`).join(', ')}) and due_date is not null`;
const PRIORITY_INDEX = `create index task_by_priority on task (company_id, framework_id, priority, unique_id)
  include (status, department_id, due_date)`;
/** For the filter by assignee in any frameworks. Tasks of nobody cost nothing. */
const ASSIGNEE_INDEX = `create index task_by_assignee on task (company_id, assignee_id) where assignee_id is not null`;

export const taskResource = defineResource({
  type: 'task',
  name: 'title',
  access: { of: 'framework' },
  created: {
    framework: () => companyReference(Framework, 'framework_id'),
  },
  fields: {
    title: p.string().length(MAX_NAME_LENGTH),
    description: p.string().length(MAX_DESCRIPTION_LENGTH).default(''),
    priority: p.smallint().default(PRIORITY.default),
    labels: p.string().array().columnType(`varchar(${LABEL_LIMITS.maxLength})[]`).default([]),
    startDate: p.date().nullable(),
    dueDate: p.date().nullable(),
    department: () => companyReference(Department, 'department_id').nullable().deleteRule('no action'),
    gaps: p.integer().array().columnType('int[]').default([]),
    status: p.enum(TASK_STATUSES).default('todo'),
    assignee: () => companyReference(Member, 'assignee_id').nullable().deleteRule('no action'),
  },
  readOnly: externalIdsProperty,
  names: { department: 'departmentId' },
  people: { assignee: 'assigneeId' },
  children: { evidenceCount: 'evidence' },
});

/** Fields of a task that a client may change. */
export type TaskFields = ReturnType<typeof taskResource.applyChanges>;
export type TaskChanges = ChangesOf<TaskFields>;

const taskSchema = defineEntity({
  name: 'Task',
  properties: { ...companyKeyWithoutForeignKey, ...taskResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'task_by_framework', expression: LIST_INDEX },
    { name: 'task_by_update', expression: UPDATE_INDEX },
    { name: 'task_by_due_date', expression: DUE_INDEX },
    { name: 'task_by_priority', expression: PRIORITY_INDEX },
    { name: 'task_open_by_due_date', expression: OPEN_DUE_INDEX },
    { name: 'task_by_assignee', expression: ASSIGNEE_INDEX },
  ],
  checks: [
    { name: 'task_title_not_empty', expression: `title::text <> ''::text` },
    { name: 'task_priority', expression: `priority >= ${PRIORITY.min} AND priority <= ${PRIORITY.max}` },
    { name: 'task_labels', expression: LABELS_CHECK },
    { name: 'task_gaps_max', expression: `cardinality(gaps) <= ${MAX_GAPS}` },
    { name: 'task_start_date', expression: dateRangeCheck('start_date') },
    { name: 'task_due_date', expression: dateRangeCheck('due_date') },
    { name: 'task_due_date_not_before_start_date', expression: 'due_date >= start_date' },
    externalIdsCheck('task'),
  ],
  triggers: [
    // They forbid what would bypass the triggers that count tasks by framework.
    ...resourceTriggers(taskResource, { comment: 'task_id', evidence: 'task_id' }),
    ...countTriggers('task'),
    defineTrigger('task_count_status', 'after', ['update'], 'task', 'row', 'update_task_status_count()', {
      when: 'new.status <> old.status',
    }),
    defineTrigger('task_gaps_insert', 'after', ['insert'], 'task', 'row', 'check_task_gaps()', {
      when: `new.gaps <> '{}'`,
    }),
    defineTrigger('task_gaps_update', 'after', ['update'], 'task', 'row', 'check_task_gaps()', {
      when: 'new.gaps <> old.gaps',
    }),
    ...externalIdsTriggers('task'),
  ],
});

/** A piece of work that belongs to one framework. */
export class Task extends taskSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
taskSchema.setClass(Task);

/** True for a status that is not closed. */
export const isOpen = (status: TaskStatus) => OPEN_STATUSES.some((open) => open === status);

/** An open task may take any status, a closed task only `todo`. The same status is not a change. Contract, section 3. */
function canTransition(from: TaskStatus, to: TaskStatus): boolean {
  return from === to || isOpen(from) || to === 'todo';
}

/**
 * Fields of a task after changes.
 * @throws ApiError 409 for a forbidden status transition, 422 for fields that contradict each other
 */
export function applyTaskChanges(before: TaskFields, changes: TaskChanges): TaskFields {
  const after = taskResource.applyChanges(before, changes);
  const error = validateTask(after);
  if (error !== undefined) throw error;
  if (!canTransition(before.status, after.status)) {
    throw new ApiError('conflict', `status: ${before.status} cannot become ${after.status}; reopen it with todo first`);
  }
  return after;
}

/** Error 422 if fields that are each valid contradict each other. */
export function validateTask({ startDate, dueDate, gaps }: TaskFields): ApiError | undefined {
  if (startDate !== null && dueDate !== null && dueDate < startDate) {
    return new ApiError('unprocessable', `dueDate: ${dueDate} is before startDate ${startDate}`);
  }
  return validateGaps(gaps);
}

export function validateGaps(gaps: TaskFields['gaps']): ApiError | undefined {
  if (gaps.length > MAX_GAPS) return new ApiError('unprocessable', `gaps: expected at most ${MAX_GAPS}`);
  if (new Set(gaps).size < gaps.length) return new ApiError('unprocessable', 'gaps: expected each id once');
  return undefined;
}

/** Removes duplicate labels, ignoring case as the filter by label does. The first spelling stays. */
export function dedupeLabels(labels: readonly string[]): string[] {
  const keys = labels.map(foldCase);
  return labels.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}
