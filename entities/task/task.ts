import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Department } from '../reference-data/department.ts';
import { Framework } from '../reference-data/framework.ts';
import { ApiError } from '../api-error.ts';
import { resourceTriggers } from '../schema/access.ts';
import { dateRangeCheck } from '../fields/dates.ts';
import { MAX_DESCRIPTION_LENGTH } from '../fields/html/input.ts';
import { labelsCheck, labelsProperty } from '../fields/labels.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { MAX_RECURRENCE_LENGTH, validateRecurrence } from './recurrence/recurrence.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { countTriggers, defineTrigger } from '../schema/triggers.ts';
import { externalIdsCheck, externalIdsProperty, externalIdsTriggers } from '../external-id/external-id.ts';
import { Member } from '../member/member.ts';

/** 1 is urgent, 4 is low. */
export const PRIORITY = { min: 1, max: 4, default: 3 } as const;
export const MAX_GAPS = 100;
export const MAX_TASK_VENDORS = 20;

export const OPEN_STATUSES = ['todo', 'in_progress', 'in_review'] as const;
export const TASK_STATUSES = [...OPEN_STATUSES, 'done', 'not_applicable', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

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

/** For the series of a task. Tasks that do not recur cost nothing. */
const SERIES_INDEX = `create index task_by_series on task (company_id, series_id, unique_id) where series_id is not null`;

/** SQL of the uniqueId of another task, if it exists. A subquery only where there is one. */
const existing = (alias: string, column: string) => `case when ${alias}.${column} is not null then (
    select other.unique_id from task other where other.company_id = ${alias}.company_id and other.unique_id = ${alias}.${column}) end`;

/** SQL of the date that the rule of a recurring task gave. Before version 0.11.0 it was the due date, and no column had it. */
const shownSeriesDate = (alias: string) =>
  `case when ${alias}.recurrence is not null then coalesce(${alias}.series_date, ${alias}.due_date) end`;

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
    labels: labelsProperty(),
    startDate: p.date().nullable(),
    dueDate: p.date().nullable(),
    department: () => companyReference(Department, 'department_id').nullable().deleteRule('no action'),
    gaps: p.integer().array().columnType('int[]').default([]),
    status: p.enum(TASK_STATUSES).default('todo'),
    assignee: () => companyReference(Member, 'assignee_id').nullable().deleteRule('no action'),
    vendors: p.uuid().array().columnType('uuid[]').default([]),
    recurrence: p.string().length(MAX_RECURRENCE_LENGTH).nullable(),
    /** The date that the rule of a recurring task gave, from which the rule counts. Derived from the other fields. */
    seriesDate: p.date().nullable(),
  },
  readOnly: {
    ...externalIdsProperty,
    /** The task whose closing made this one. It may be deleted. */
    previous: p.uuid().nullable(),
  },
  hidden: {
    /** The task that the closing of this one made, so that it makes one only once. It may be deleted. */
    nextId: p.uuid().nullable(),
    /** The first task of the series; null for that one. */
    seriesId: p.uuid().nullable(),
  },
  lookups: {
    seriesDate: { now: shownSeriesDate, creation: shownSeriesDate, past: shownSeriesDate },
    previous: {
      now: (alias: string) => existing(alias, 'previous'),
      creation: (alias: string) => `${alias}.previous`,
      past: (alias: string) => `${alias}.previous`,
    },
    next: {
      now: (alias: string) => existing(alias, 'next_id'),
      creation: () => 'null::uuid',
      past: () => 'null::uuid',
    },
  },
  names: { department: 'departmentId' },
  people: { assignee: 'assigneeId' },
  references: { department: 'department', gaps: 'gap', vendors: 'vendor' },
  children: { evidenceCount: 'evidence' },
});

/** Fields of a task that changes set. */
export type TaskFields = ReturnType<typeof taskResource.applyChanges>;
export interface TaskChanges extends Omit<ChangesOf<TaskFields>, 'seriesDate'> {
  /** True: a new due date moves the following ones of the series too. */
  moveSeries?: boolean | undefined;
}

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
    { name: 'task_by_series', expression: SERIES_INDEX },
  ],
  checks: [
    { name: 'task_title_not_empty', expression: `title::text <> ''::text` },
    { name: 'task_priority', expression: `priority >= ${PRIORITY.min} AND priority <= ${PRIORITY.max}` },
    { name: 'task_labels', expression: labelsCheck('labels') },
    { name: 'task_gaps_max', expression: `cardinality(gaps) <= ${MAX_GAPS}` },
    { name: 'task_start_date', expression: dateRangeCheck('start_date') },
    { name: 'task_due_date', expression: dateRangeCheck('due_date') },
    { name: 'task_due_date_not_before_start_date', expression: 'due_date >= start_date' },
    { name: 'task_series_date', expression: dateRangeCheck('series_date') },
    { name: 'task_vendors_max', expression: `cardinality(vendors) <= ${MAX_TASK_VENDORS}` },
    { name: 'task_recurrence_has_due_date', expression: 'recurrence IS NULL OR due_date IS NOT NULL' },
    externalIdsCheck('task'),
  ],
  triggers: [
    // They forbid what would bypass the triggers that count tasks by framework.
    ...resourceTriggers(taskResource),
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
    defineTrigger('task_vendors_insert', 'after', ['insert'], 'task', 'row', 'keep_task_vendors()', {
      when: `new.vendors <> '{}'`,
    }),
    defineTrigger('task_vendors_update', 'after', ['update'], 'task', 'row', 'keep_task_vendors()', {
      when: 'new.vendors <> old.vendors',
    }),
    ...externalIdsTriggers('task'),
  ],
});

/** A piece of work that belongs to one framework. */
export class Task extends taskSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = taskResource;
}
taskSchema.setClass(Task);

/** True for a status that is not closed. */
export const isOpen = (status: TaskStatus) => OPEN_STATUSES.some((open) => open === status);

/** An open task may take any status, a closed task only an open one. The same status is not a change. Contract, section 3. */
function canTransition(from: TaskStatus, to: TaskStatus): boolean {
  return from === to || isOpen(from) || isOpen(to);
}

/** Fields of a new task, whose series begins with it. */
export const startSeries = (fields: Omit<TaskFields, 'seriesDate'>): TaskFields => ({
  ...fields,
  seriesDate: fields.recurrence === null ? null : fields.dueDate,
});

/** The date of the series after changes: a due date that changes alone moves this task, not the series. */
function seriesDateAfter(before: TaskFields, after: TaskFields, moveSeries = false): string | null {
  const isNew = after.recurrence !== before.recurrence || (moveSeries && after.dueDate !== before.dueDate);
  return isNew ? startSeries(after).seriesDate : before.seriesDate;
}

/**
 * Fields of a task after changes.
 * @throws ApiError 409 for a forbidden status transition, 422 for fields that contradict each other
 */
export function applyTaskChanges(before: TaskFields, changes: TaskChanges): TaskFields {
  const changed = taskResource.applyChanges(before, changes);
  const after = { ...changed, seriesDate: seriesDateAfter(before, changed, changes.moveSeries) };
  const { recurrence, seriesDate } = before;
  const isDated = after.recurrence !== recurrence || after.seriesDate !== seriesDate || after.dueDate === null;
  const error = validateTask(after) ?? (isDated ? validateRecurrence(after) : undefined);
  if (error !== undefined) throw error;
  if (!canTransition(before.status, after.status)) {
    const change = `${before.status} cannot become ${after.status}`;
    throw new ApiError('conflict', `status: ${change}; reopen it with todo, in_progress or in_review first`);
  }
  return after;
}

/** Error 422 if fields that are each valid contradict each other. */
export function validateTask(fields: TaskFields): ApiError | undefined {
  const { startDate, dueDate } = fields;
  if (startDate !== null && dueDate !== null && dueDate < startDate) {
    return new ApiError('unprocessable', `dueDate: ${dueDate} is before startDate ${startDate}`);
  }
  return validateLists(fields);
}

/** Error 422 for a list of ids that is too long, or has an id twice. */
export function validateLists({ gaps = [], vendors = [] }: TaskChanges): ApiError | undefined {
  if (gaps.length > MAX_GAPS) return new ApiError('unprocessable', `gaps: expected at most ${MAX_GAPS}`);
  if (new Set(gaps).size < gaps.length) return new ApiError('unprocessable', 'gaps: expected each id once');
  if (new Set(vendors).size < vendors.length) return new ApiError('unprocessable', 'vendors: expected each id once');
  return undefined;
}
