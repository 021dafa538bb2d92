import { defineEntity, p } from '@mikro-orm/core';
import { ApiError } from '../api-error.ts';
import type { Actor } from '../company/user.ts';
import { externalIds, externalIdsTriggers } from '../external-id/external-id.ts';
import { MAX_DESCRIPTION_LENGTH, html } from '../fields/html.ts';
import { plainColumn } from '../fields/kind.ts';
import { labels } from '../fields/labels.ts';
import { objects, person, reference, references } from '../fields/references.ts';
import { differs, notBefore, ruleCheck } from '../fields/rules.ts';
import { freeText, name } from '../fields/text.ts';
import { boolean, date, oneOf, smallint } from '../fields/values.ts';
import { Department, Framework } from '../reference-data/reference-data.ts';
import { Requirement } from '../requirement/requirement.ts';
import { resourceTriggers } from '../schema/access.ts';
import type { Lookup } from '../schema/children.ts';
import { actorOf } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { countTriggers, defineTrigger, lockTrigger, unlessReceiving } from '../schema/triggers.ts';
import { Vendor } from '../vendor/vendor.ts';
import { MAX_RECURRENCE_LENGTH, RECURRENCE_HAS_DUE_DATE, validateRecurrence } from './recurrence.ts';

/** 1 is urgent, 4 is low. */
export const PRIORITY = { min: 1, max: 4, default: 3, description: '1 urgent, 2 high, 3 medium, 4 low' } as const;
const PRIORITY_WORDS = ['Urgent', 'High', 'Medium', 'Low'];
const EXAMPLE_RECURRENCE = 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1';
export const MAX_GAPS = 100;
const MAX_TASK_VENDORS = 20;
const MAX_TASK_REQUIREMENTS = 50;

export const OPEN_STATUSES = ['todo', 'in_progress', 'in_review'] as const;
export const TASK_STATUSES = [...OPEN_STATUSES, 'done', 'not_applicable', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
/** Statuses that say that the work was done. They create the next task of a recurring one, and only the reviewer may set them. */
export const FINISHED_STATUSES = ['done', 'not_applicable'] as const satisfies readonly TaskStatus[];

const OPEN_LIST = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/** Condition: a status is open. @param status in SQL */
export const isOpenSql = (status: string) => `${status} in (${OPEN_LIST})`;

/**
 * Order of lists, with the columns of their filters. Indexes are SQL because the ORM would include `company_id` a second
 * time for `department` (decision 0020).
 */
const LIST_INDEX = `create index task_by_framework on task (company_id, framework_id, unique_id)
  include (status, priority, department_id, due_date, updated_at)`;
const UPDATE_INDEX = `create index task_by_update on task (company_id, framework_id, updated_at, unique_id)
  include (status, priority, department_id, due_date)`;
const DUE_INDEX = `create index task_by_due_date on task (company_id, framework_id, due_date, unique_id)
  include (status, priority, department_id)`;
/** For the numbers of tasks that are overdue or due soon. Without closed tasks, whose dates are mostly in the past. */
const OPEN_DUE_INDEX = `create index task_open_by_due_date on task (company_id, framework_id, due_date)
  where ${isOpenSql('status')} and due_date is not null`;
const PRIORITY_INDEX = `create index task_by_priority on task (company_id, framework_id, priority, unique_id)
  include (status, department_id, due_date)`;
const CLOSED_INDEX = `create index task_by_closing on task (company_id, framework_id, closed_at, unique_id)
  include (status, priority, department_id, due_date)`;
/** Condition: the time at which the task was closed is not known yet (`procedures/task/closing.ts`). */
export const LACKS_CLOSING = `closed_at is null and not (${isOpenSql('status')})`;
/** For the job that fills them in. It is empty afterwards. */
const LACKS_CLOSING_INDEX = `create index task_without_closing on task (company_id, unique_id) where ${LACKS_CLOSING}`;
/** For the filter by assignee in any frameworks. Tasks without an assignee cost nothing. */
const ASSIGNEE_INDEX = `create index task_by_assignee on task (company_id, assignee_id) where assignee_id is not null`;

/** For the series of a task. Tasks that do not recur cost nothing. */
const SERIES_INDEX = `create index task_by_series on task (company_id, series_id, unique_id) where series_id is not null`;

/** SQL of the uniqueId of another task, if it exists. A subquery only where there is one. */
const existing = (alias: string, column: string) => `case when ${alias}.${column} is not null then (
    select other.unique_id from task other where other.company_id = ${alias}.company_id and other.unique_id = ${alias}.${column}) end`;

/** SQL of the date that the rule of a recurring task gave. Before version 0.11.0 it was the due date, and no column had it. */
const shownSeriesDate = (alias: string) =>
  `case when ${alias}.recurrence is not null then coalesce(${alias}.series_date, ${alias}.due_date) end`;

/** SQL of the time at which a task was closed, in ISO 8601. */
const shownClosing = (alias: string) =>
  `to_char(${alias}.closed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const closedBy: Lookup<Actor | null> = {
  now: (alias) => `case when ${alias}.closed_by_id is not null then ${actorOf(alias, `${alias}.closed_by_id`)} end`,
  creation: (alias) => closedBy.now(alias),
  past: () => 'null::json',
};

export const taskResource = defineResource({
  type: 'task',
  name: 'title',
  access: { of: 'framework' },
  created: {
    framework: plainColumn(() => companyReference(Framework, 'framework_id'), 'none'),
  },
  fields: {
    title: name({
      description: 'Title; other tasks may have the same one',
      input: { description: 'Task title' },
      forModels: null,
      example: 'Review access rights',
    }),
    description: html(MAX_DESCRIPTION_LENGTH, { example: '<p>With the owner of each system.</p>' }).default(''),
    priority: smallint({ ...PRIORITY, words: PRIORITY_WORDS, example: 2 }).default(PRIORITY.default),
    labels: labels('labels', 'access'),
    startDate: date({ description: 'Day on which the work begins', forModels: null }).nullable(),
    dueDate: date({
      description: 'Last day for the work',
      input: { description: 'Last day for the work, not before startDate, whether one or both are sent' },
      forModels: null,
    }).nullable(),
    department: reference(Department, 'department', {
      description: 'Id of the department, which may be archived by now',
      id: 'A department of the company that is not archived',
    }),
    gaps: references('gap', MAX_GAPS, {
      description: 'Ids of gaps of the framework that the task closes',
      input: { description: `Replaces all gaps. Ids of gaps of the same framework, each once, at most ${MAX_GAPS}.` },
      forModels: null,
      id: 'A gap of the framework that is not archived',
    }),
    status: oneOf(TASK_STATUSES, {
      description: 'State of the work; `done`, `not_applicable` and `canceled` close the task',
      forModels: null,
    }).default('todo'),
    assignee: person('assignee', {
      description: 'Member who does the task',
      id: 'An active member who may see the framework',
    }),
    vendors: objects('vendor', MAX_TASK_VENDORS, {
      description: 'uniqueIds of vendors',
      input: {
        description: `Replaces all vendors. uniqueIds of vendors of the company, archived ones too, each once, at most ${MAX_TASK_VENDORS}.`,
      },
      forModels: null,
    }),
    recurrence: freeText(
      MAX_RECURRENCE_LENGTH,
      {
        description: 'RRULE of RFC 5545',
        input: {
          description:
            'RRULE of RFC 5545 from dueDate on: FREQ DAILY, WEEKLY, MONTHLY or YEARLY, with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL as YYYYMMDD. ' +
            'When the task becomes `done` or `not_applicable`, the next one is created.',
          example: EXAMPLE_RECURRENCE,
        },
        forModels: 'RRULE; needs dueDate',
        example: EXAMPLE_RECURRENCE,
      },
      'a recurrence rule',
    )
      .withoutPersonalData()
      .forPeople({ written: 'recurrence' })
      .nullable(),
    requirements: objects('requirement', MAX_TASK_REQUIREMENTS, {
      description: 'uniqueIds of the requirements that the task works on, of any frameworks',
      input: {
        description: `Replaces all requirements. uniqueIds of requirements of any frameworks that are not headings, each once, at most ${MAX_TASK_REQUIREMENTS}.`,
      },
      forModels: null,
    }),
    reviewer: person('reviewer', {
      description: 'The only member who may set the status to `done` or `not_applicable`',
      id: 'An active member who may see the framework, neither the assignee nor an auditor',
      excludesAuditors: true,
    }),
    needsEvidence: boolean({
      description: 'True if the task needs evidence that is not rejected before it can be `done`',
      forModels: null,
    }).default(false),
    /** Derived from the other fields. */
    seriesDate: date({
      description: 'The date that `recurrence` gave, from which it counts; null without a recurrence',
    }).nullable(),
  },
  readOnly: {
    externalIds,
    /** The task whose closing made this one. It may be deleted. */
    previous: plainColumn(p.uuid().nullable(), 'none'),
  },
  hidden: {
    /** The task that the closing of this one made, so that it makes one only once. It may be deleted. */
    nextId: plainColumn(p.uuid().nullable(), 'none'),
    /** The first task of the series; null for that one. */
    seriesId: plainColumn(p.uuid().nullable(), 'none'),
    /** When and by whom the status became closed the last time; null while it is open. A trigger keeps both. */
    closedAt: plainColumn(p.datetime(3).nullable(), 'none'),
    closedById: plainColumn(p.uuid().nullable(), 'identifier'),
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
    closedAt: { now: shownClosing, creation: shownClosing, past: () => 'null::text' },
    closedBy,
  },
  names: { department: 'departmentId' },
  people: { assignee: 'assigneeId', reviewer: 'reviewerId' },
  children: { evidenceCount: 'evidence' },
  rules: [notBefore('dueDate', 'startDate'), differs('reviewerId', 'assigneeId', 'another member than the assignee')],
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
    { name: 'task_by_closing', expression: CLOSED_INDEX },
    { name: 'task_without_closing', expression: LACKS_CLOSING_INDEX },
    { name: 'task_by_assignee', expression: ASSIGNEE_INDEX },
    { name: 'task_by_series', expression: SERIES_INDEX },
  ],
  checks: [...taskResource.checks, ruleCheck('task', RECURRENCE_HAS_DUE_DATE)],
  triggers: [
    // They forbid what would bypass the triggers that count tasks by framework.
    ...resourceTriggers(taskResource),
    ...countTriggers('task'),
    defineTrigger('task_count_status', 'after', ['update'], 'task', 'row', 'update_task_status_count()', {
      when: 'new.status <> old.status',
    }),
    // Rows that arrive with a company keep their values.
    defineTrigger('task_closing_insert', 'before', ['insert'], 'task', 'row', 'keep_task_closing()', {
      when: `not (${isOpenSql('new.status')}) and ${unlessReceiving('task')}`,
    }),
    defineTrigger('task_closing_update', 'before', ['update'], 'task', 'row', 'keep_task_closing()', {
      when: `(${isOpenSql('new.status')}) <> (${isOpenSql('old.status')})`,
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
    defineTrigger('task_requirements_insert', 'after', ['insert'], 'task', 'row', 'keep_task_requirements()', {
      when: `new.requirements <> '{}'`,
    }),
    defineTrigger('task_requirements_update', 'after', ['update'], 'task', 'row', 'keep_task_requirements()', {
      when: 'new.requirements <> old.requirements',
    }),
    defineTrigger('task_labels_insert', 'after', ['insert'], 'task', 'row', 'keep_task_labels()', {
      when: `new.labels <> '{}'`,
    }),
    defineTrigger('task_labels_update', 'after', ['update'], 'task', 'row', 'keep_task_labels()', {
      when: 'new.labels <> old.labels',
    }),
    defineTrigger('task_labels_delete', 'after', ['delete'], 'task', 'row', 'keep_task_labels()', {
      when: `old.labels <> '{}'`,
    }),
    ...externalIdsTriggers('task'),
    lockTrigger(
      'task',
      [...taskResource.fields.map(({ column }) => column), 'external_ids'],
      `not (${isOpenSql('old.status')})`,
    ),
  ],
});

/** A piece of work that belongs to one framework. */
export class Task extends taskSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = taskResource;
}
taskSchema.setClass(Task);

const taskVendorSchema = defineEntity({
  name: 'TaskVendor',
  properties: {
    ...companyKeyWithoutForeignKey,
    vendor: () => companyReference(Vendor, 'vendor_id').primary().deleteRule('no action'),
    task: () => companyReference(Task, 'task_id').primary().deleteRule('cascade'),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'task_vendor_by_task', properties: ['company', 'task'] }],
});

/**
 * The vendors of tasks, one row for each: foreign keys, and an index by vendor. A trigger on `task` keeps the rows equal to its column
 * `vendors`. An index of arrays would not serve, as PostgreSQL evaluates the policies of row-level security before their operators.
 */
export class TaskVendor extends taskVendorSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
taskVendorSchema.setClass(TaskVendor);

const taskRequirementSchema = defineEntity({
  name: 'TaskRequirement',
  properties: {
    ...companyKeyWithoutForeignKey,
    requirement: () => companyReference(Requirement, 'requirement_id').primary().deleteRule('no action'),
    task: () => companyReference(Task, 'task_id').primary().deleteRule('cascade'),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'task_requirement_by_task', properties: ['company', 'task'] }],
});

/** The requirements of tasks, one row for each, as `TaskVendor`. A trigger on `task` keeps the rows equal to its column `requirements`. */
export class TaskRequirement extends taskRequirementSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
taskRequirementSchema.setClass(TaskRequirement);

const taskLabelSchema = defineEntity({
  name: 'TaskLabel',
  properties: {
    ...companyKeyWithoutForeignKey,
    /** As comparisons fold it (`foldedSql`). */
    label: p.text().primary(),
    // No foreign keys: they would be checked for each label, and only triggers write here.
    framework: () => companyReference(Framework, 'framework_id').primary().createForeignKeyConstraint(false),
    task: () => companyReference(Task, 'task_id').primary().createForeignKeyConstraint(false),
  },
  ...tenantIsolation(),
});

/** The labels of tasks, one row for each, as an index for the filter. Triggers on `task` keep the rows equal to its column `labels`. */
export class TaskLabel extends taskLabelSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
taskLabelSchema.setClass(TaskLabel);

/** True for a status that is not closed. */
export const isOpen = (status: TaskStatus) => OPEN_STATUSES.some((open) => open === status);

/** An open task may take any status, a closed task only an open one. The same status is not a change. Contract, section 3. */
export const REOPENED_FIRST = {
  /** Condition of an update. @param from SQL of the status. @param to SQL of the new one */
  condition: (from: string, to: string) => `(${to} in (${from}, ${OPEN_LIST}) or ${isOpenSql(from)})`,
  violation: (from: TaskStatus, to: TaskStatus) =>
    from === to || isOpen(from) || isOpen(to)
      ? undefined
      : new ApiError(
          'conflict',
          `status: ${from} cannot become ${to}; reopen it with todo, in_progress or in_review first`,
        ),
};

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
  const invalid = isDated ? validateRecurrence(after) : undefined;
  const error = invalid ?? REOPENED_FIRST.violation(before.status, after.status);
  if (error !== undefined) throw error;
  return after;
}
