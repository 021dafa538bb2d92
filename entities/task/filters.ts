import { matchesEvidence } from '../evidence/expiring.ts';
import { hasLabel } from '../fields/labels.ts';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import type { EvidenceFilter } from '../evidence/expiring.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import type { TaskStatus } from './task.ts';

/** Filters of a list of tasks; null for no filter. Bounds are included. Contract, sections 3, 18 and 19. */
export interface TaskFilters extends EvidenceFilter {
  /** One of the statuses. */
  status: readonly TaskStatus[] | null;
  /** One of the priorities. */
  priority: readonly number[] | null;
  /** One of the labels, ignoring case. */
  label: string | null;
  departmentId: number | null;
  dueBefore: string | null;
  dueAfter: string | null;
  /** True for tasks without a due date. */
  noDueDate: true | null;
  updatedSince: string | null;
  /** Part of the title, ignoring case. */
  q: string | null;
  /** One of these assignees. */
  assignee: readonly string[] | null;
  /** True for tasks without an assignee, beside those of `assignee`. */
  unassigned: true | null;
  /** A vendor of the tasks. */
  vendor: string | null;
  /** True if few tasks can match the filter by evidence. */
  isEvidenceRare: true | null;
}

/** Frameworks whose tasks are listed. */
export interface TaskScope {
  /** Null for all of the company. */
  frameworks: readonly number[] | null;
  /** True without archived frameworks. */
  activeOnly: boolean;
}

export type TaskSelection = TaskFilters & TaskScope;
type Condition = (placeholders: Placeholders<TaskSelection>) => string;

/** Filters on columns of the indexes of lists. All filtered statements have them, as they cost little. */
const indexFilters: Condition = ({ status, priority, departmentId, dueBefore, dueAfter, noDueDate }) =>
  `(${status}::text[] is null or t.status = any(${status}))
  and (${priority}::smallint[] is null or t.priority = any(${priority}))
  and (${departmentId}::int is null or t.department_id = ${departmentId})
  and (${dueBefore}::date is null or t.due_date <= ${dueBefore})
  and (${dueAfter}::date is null or t.due_date >= ${dueAfter})
  and (${noDueDate}::boolean is null or t.due_date is null)`;

/** Filter on another index. Only statements of requests with this filter have it. */
const updatedFilter: Condition = ({ updatedSince }) => `t.updated_at >= ${updatedSince}::timestamptz`;

/** Filters on the row itself. Only statements of requests with one of them have all of them. */
const rowFilters: Condition = ({
  label,
  q,
  assignee,
  unassigned,
}) => `(${label}::text is null or ${hasLabel('t.labels', label)})
  and (${q}::text is null or strpos(${foldedSql('t.title')}, ${foldedParameter(q)}) > 0)
  and (${unassigned}::boolean is null or t.assignee_id is null or t.assignee_id = any(${assignee}::uuid[]))`;

/** Filters beside those of indexes, for statements that have them all. */
const otherFilters: Condition = (placeholders) => `${rowFilters(placeholders)}
  and (${placeholders.updatedSince}::timestamptz is null or ${updatedFilter(placeholders)})`;

/** The tasks of some people, in any frameworks. Their index finds fewer rows than those of lists. */
const assigneeFilters: Condition = (placeholders) =>
  `t.assignee_id = any(${placeholders.assignee}::uuid[]) and ${indexFilters(placeholders)} and ${otherFilters(placeholders)}`;

/** All filters, for a statement that begins with the tasks that have evidence. */
const anyFilters: Condition = (placeholders) => {
  const { assignee, unassigned } = placeholders;
  return `(${assignee}::uuid[] is null or ${unassigned}::boolean or t.assignee_id = any(${assignee}))
  and ${indexFilters(placeholders)} and ${otherFilters(placeholders)}`;
};

const evidenceFilter: Condition = (placeholders) => matchesEvidence('task', 't', placeholders);

/** All filters, for a statement that begins with the tasks of a vendor. */
const vendorFilters: Condition = (placeholders) =>
  `${anyFilters(placeholders)}
  and (${placeholders.hasEvidence}::boolean is null or ${evidenceFilter(placeholders)})`;

/** Conditions of the statements, by name. */
const CONDITIONS = {
  all: [],
  filtered: [indexFilters],
  updated: [indexFilters, updatedFilter],
  row: [indexFilters, rowFilters],
  'updated-row': [indexFilters, updatedFilter, rowFilters],
  assignee: [assigneeFilters],
  evidence: [indexFilters, evidenceFilter],
  'row-evidence': [indexFilters, otherFilters, evidenceFilter],
  'assignee-evidence': [assigneeFilters, evidenceFilter],
  'rare-evidence': [anyFilters],
  vendor: [vendorFilters],
} satisfies Record<string, Condition[]>;

export type Filtering = keyof typeof CONDITIONS;
export const FILTERINGS = [
  'all',
  'filtered',
  'updated',
  'row',
  'updated-row',
  'assignee',
  'evidence',
  'row-evidence',
  'assignee-evidence',
  'rare-evidence',
  'vendor',
] as const satisfies Filtering[];

/** Condition on a task `t` of the company, beside its framework. Begins with `and`. */
export const filterCondition =
  (filtering: Filtering): Condition =>
  (placeholders) =>
    CONDITIONS[filtering].map((condition: Condition) => ` and ${condition(placeholders)}`).join('');

/** The kind of statement for filters. There are eleven, because every connection keeps each prepared statement (docs/decisions, 0020). */
export function filteringOf({
  updatedSince,
  label,
  q,
  assignee,
  unassigned,
  hasEvidence,
  expiresBefore: _expiresBefore,
  isEvidenceRare,
  vendor,
  ...indexed
}: TaskFilters): Filtering {
  if (vendor !== null) return 'vendor';
  if (isEvidenceRare !== null) return 'rare-evidence';
  const hasAssignee = assignee !== null && unassigned === null;
  const filtersRows = label !== null || q !== null || unassigned !== null;
  if (hasEvidence !== null)
    return hasAssignee ? 'assignee-evidence' : filtersRows || updatedSince !== null ? 'row-evidence' : 'evidence';
  if (hasAssignee) return 'assignee';
  if (updatedSince !== null) return filtersRows ? 'updated-row' : 'updated';
  if (filtersRows) return 'row';
  return Object.values(indexed).every((filter) => filter === null) ? 'all' : 'filtered';
}
