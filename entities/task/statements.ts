import { OPEN_STATUSES, taskResource } from './task.ts';
import type { TaskFields, TaskStatus } from './task.ts';
import type { Actor } from '../company/user.ts';
import { ownMetadata } from '../statements/change-metadata.ts';
import type { OwnMetadata } from '../statements/change-metadata.ts';
import { batchedWrite } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { insertColumns, ownColumns } from '../statements/columns.ts';
import { checksPassed, referenceChecks } from '../statements/references.ts';
import type { ReferenceChecks } from '../statements/references.ts';
import { resourceStatements } from '../statements/resource.ts';

const textList = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/** Fields of a task that no statement for its fields writes. */
type ReadOnlyFields = ExternalIds & {
  assignee: Actor | null;
  evidenceCount: number | null;
  previous: string | null;
  next: string | null;
};

/** Input of an update beside the changes of the fields. */
interface UpdateOptions {
  /** False for a list of ids that no task may have. */
  listsValid: boolean;
  /**
   * Version whose recurrence the caller has checked with the changes. The update requires this version. Null leaves a change that
   * needs this check to another update.
   */
  checkedVersion: number | null;
  /** True: a new due date is also the date of the series. */
  moveSeries: boolean;
}

/** Closing a task with one of these statuses makes the next one. */
export const NEXT_STATUSES = ['done', 'not_applicable'] as const satisfies TaskStatus[];

/** The update has the rules of `applyTaskChanges` in `entities/task/task.ts`, and those for references, as conditions. */
const statements = resourceStatements<{ framework: number }, TaskFields, object, UpdateOptions, ReadOnlyFields>(
  taskResource,
  {
    newValues: ({ moveSeries }, { recurrence, dueDate }) => ({
      seriesDate: `case when ${recurrence} is null then null
      when ${recurrence} is distinct from task.recurrence or ${moveSeries}::boolean and ${dueDate} is distinct from task.due_date then ${dueDate}
      when ${dueDate} is distinct from task.due_date then coalesce(task.series_date, task.due_date)
      else task.series_date end`,
    }),
    updateConditions: ({ listsValid, status, checkedVersion }, newValues) => [
      `${listsValid}::boolean`,
      `case when ${checkedVersion}::int is not null then task.version = ${checkedVersion}::int
    else ${newValues.recurrence} is null
      or (${newValues.recurrence}, ${newValues.dueDate}) is not distinct from (task.recurrence, task.due_date)
        and (${status}::text is null or ${status} not in (${textList(NEXT_STATUSES)})
          or task.status not in (${textList(OPEN_STATUSES)}) or task.next_id is not null) end`,
      `(${status}::text is null or ${status} in (task.status, ${textList(OPEN_STATUSES)}) or task.status in (${textList(OPEN_STATUSES)}))`,
    ],
  },
);

/** The task object of the API. Contract, section 3. */
export type TaskRecord = ReturnType<typeof statements.toRecord>;

/** A task as a statement selects it. */
export type TaskRow = Parameters<typeof statements.toRecord>[0];

type InsertChecks = ReferenceChecks & { framework_exists: boolean; framework_usable: boolean };

type InsertedTask = TaskFields & ReadOnlyFields & OwnMetadata & { uniqueId: string; framework: number };

/** Sorts after all ids. The count of the framework is written last, and its transaction then waits for no row. */
const countLockKey = (framework: number) => `~${String(framework).padStart(10, '0')}`;

export type NewTask = TaskFields & { uniqueId: string; framework: number };
/** The checks of the references, and the task if all are usable. */
export type InsertResult = InsertChecks & (InsertedTask | { uniqueId: null });

/** Columns of `given`, which has one row. */
const IS_USABLE = `framework_usable and ${checksPassed(taskResource)}`;

interface ExternalIdInsert {
  /** Further CTEs, in SQL, for the condition that the references are usable. */
  ctes: (isUsable: string) => string[];
  /** CTE with a row if the task is to be inserted. */
  from: string;
  /** Value of the column `external_ids`, in SQL. */
  externalIds: string;
}

/** Inserts a task if all its references are usable. */
export function insertIfUsable(
  placeholders: Placeholders<NewTask>,
  { ctes, from, externalIds }: ExternalIdInsert = {
    ctes: () => [],
    from: `given where ${IS_USABLE}`,
    externalIds: `'[]'::jsonb`,
  },
): string {
  const { company, framework } = placeholders;
  const { columns, values } = insertColumns(taskResource, placeholders);
  return `with given as materialized (select ${referenceChecks(taskResource, { placeholders, framework })},
    f.id is not null as framework_exists, f.id is not null and f.archived_at is null as framework_usable
    from (values (1)) one left join framework f on f.company_id = ${company} and f.id = ${framework}),
  ${ctes(IS_USABLE)
    .map((cte) => `${cte},\n  `)
    .join('')}t as (
    insert into task (${columns}, external_ids) select ${values}, ${externalIds}
    from ${from}
    returning *)
  select given.*, ${ownColumns(taskResource, 't', 'creation')}, ${ownMetadata('t')} from given left join t on true`;
}

const insert = batchedWrite<NewTask, InsertResult>(
  'task.insert',
  (placeholders) => insertIfUsable(placeholders),
  ({ framework }) => countLockKey(framework),
);

export const taskStatements = { ...statements, insert };
