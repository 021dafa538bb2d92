import { defineEntity, p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { Department } from './department.ts';
import { foldCase } from './fold-case.ts';
import { Framework } from './framework.ts';
import { Refusal } from './refusal.ts';
import { stamps } from './stamps.ts';
import { keptApart, ofCompanyThroughAnother } from './tenancy.ts';
import { audited, counted, refuses, trigger } from './triggers.ts';
import { DESCRIPTION_LENGTH } from './vendor.ts';
import type { WritePrivileges } from './policies.ts';

/** 1 is urgent, 4 is low. */
export const PRIORITY = { min: 1, max: 4, default: 3 } as const;
export const LABELS = { most: 20, length: 50 } as const;
export const GAPS_MOST = 100;
/** Calendar dates lie in these years: PostgreSQL and people agree on them. */
export const YEARS = { first: 1900, last: 2999 } as const;

export const OPEN_STATUSES = ['todo', 'in_progress', 'in_review'] as const;
export const TASK_STATUSES = [...OPEN_STATUSES, 'done', 'not_applicable', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

const between = (column: string) =>
  `${column} >= '${YEARS.first}-01-01'::date AND ${column} <= '${YEARS.last}-12-31'::date`;

const LABELS_CHECK = `cardinality(labels) <= ${LABELS.most} AND array_position(labels, NULL::varchar) IS NULL AND ''::text <> ALL (labels::text[])`;

/**
 * The order of lists, with what they are filtered by. As SQL, since the ORM would include `department` with its company and
 * then take that for no part of the key (docs/decisions/0020-paging-lists.md).
 */
const LISTED = `create index task_of_framework on task (company_id, framework_id, unique_id)
  include (status, priority, department_id, due_date, updated_at)`;

const schema = defineEntity({
  name: 'Task',
  properties: {
    ...ofCompanyThroughAnother,
    uniqueId: p.uuid().primary(),
    framework: () => p.manyToOne(Framework).joinColumns('company_id', 'framework_id').updateRule('no action'),
    title: p.string().length(NAME_LENGTH),
    description: p.string().length(DESCRIPTION_LENGTH).default(''),
    priority: p.smallint().default(PRIORITY.default),
    labels: p.string().array().columnType(`varchar(${LABELS.length})[]`).default([]),
    startDate: p.date().nullable(),
    dueDate: p.date().nullable(),
    department: () =>
      p
        .manyToOne(Department)
        .joinColumns('company_id', 'department_id')
        .nullable()
        .updateRule('no action')
        .deleteRule('no action'),
    gaps: p.integer().array().columnType('int[]').default([]),
    status: p.enum(TASK_STATUSES).default('todo'),
    ...stamps,
  },
  ...keptApart(),
  indexes: [
    { name: 'task_of_framework', expression: LISTED },
    { name: 'task_by_update', properties: ['company', 'framework', 'updatedAt'] },
  ],
  checks: [
    { name: 'task_titled', expression: `title::text <> ''::text` },
    { name: 'task_priority', expression: `priority >= ${PRIORITY.min} AND priority <= ${PRIORITY.max}` },
    { name: 'task_labels', expression: LABELS_CHECK },
    { name: 'task_gaps', expression: `cardinality(gaps) <= ${GAPS_MOST}` },
    { name: 'task_start_date', expression: between('start_date') },
    { name: 'task_due_date', expression: between('due_date') },
    { name: 'task_dates', expression: 'due_date >= start_date' },
  ],
  triggers: [
    audited('task', { type: 'task', id: 'unique_id' }),
    // A count that they bypass, or a framework that changes, would leave the counts of frameworks wrong.
    refuses('task', ['update of framework_id', 'truncate']),
    ...counted('task'),
    trigger('task_gaps_given', 'after', ['insert'], 'task', 'row', 'task_gaps_exist()', { when: `new.gaps <> '{}'` }),
    trigger('task_gaps_changed', 'after', ['update'], 'task', 'row', 'task_gaps_exist()', {
      when: 'new.gaps <> old.gaps',
    }),
  ],
});

/** A piece of work that belongs to one framework. */
export class Task extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update', 'delete'];
}
schema.setClass(Task);

/** What a client can change of a task. */
export interface TaskFields {
  title: string;
  description: string;
  priority: number;
  labels: readonly string[];
  startDate: string | null;
  dueDate: string | null;
  departmentId: number | null;
  gaps: readonly number[];
  status: TaskStatus;
}

const isOpen = (status: TaskStatus) => OPEN_STATUSES.some((open) => open === status);

/** Open goes anywhere; closed goes back to `todo` only; the same again is no change. Contract, section 3. */
function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return from === to || isOpen(from) || to === 'todo';
}

/** What a change may give. Fields left out keep their value; null clears. */
export type TaskChanges = { [Field in keyof TaskFields]?: TaskFields[Field] | undefined };

/**
 * The fields of a task after a change.
 * @throws Refusal 409 for a transition the status does not permit, 422 where the fields do not agree.
 */
export function changedTask(before: TaskFields, changes: TaskChanges): TaskFields {
  const after: TaskFields = {
    title: changes.title ?? before.title,
    description: changes.description ?? before.description,
    priority: changes.priority ?? before.priority,
    labels: changes.labels ?? before.labels,
    startDate: changes.startDate === undefined ? before.startDate : changes.startDate,
    dueDate: changes.dueDate === undefined ? before.dueDate : changes.dueDate,
    departmentId: changes.departmentId === undefined ? before.departmentId : changes.departmentId,
    gaps: changes.gaps ?? before.gaps,
    status: changes.status ?? before.status,
  };
  const disagreement = disagreementOf(after);
  if (disagreement !== undefined) throw disagreement;
  if (!mayBecome(before.status, after.status)) {
    throw new Refusal('conflict', `status: ${before.status} cannot become ${after.status}; reopen it with todo first`);
  }
  return after;
}

/** The Refusal 422 of fields that are each well-formed and break a rule together. */
export function disagreementOf({ startDate, dueDate, gaps }: TaskFields): Refusal | undefined {
  if (startDate !== null && dueDate !== null && dueDate < startDate) {
    return new Refusal('unprocessable', `dueDate: ${dueDate} is before startDate ${startDate}`);
  }
  return disagreementOfGaps(gaps);
}

export function disagreementOfGaps(gaps: TaskFields['gaps']): Refusal | undefined {
  if (gaps.length > GAPS_MOST) return new Refusal('unprocessable', `gaps: expected at most ${GAPS_MOST}`);
  if (new Set(gaps).size < gaps.length) return new Refusal('unprocessable', 'gaps: expected each id once');
  return undefined;
}

/** Removes labels that repeat an earlier one, ignoring case as the filter by label does. */
export function withoutRepeats(labels: readonly string[]): string[] {
  const keys = labels.map(foldCase);
  return labels.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}
