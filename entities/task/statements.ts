import type { Actor } from '../company/user.ts';
import { metadataJoins, ownMetadata } from '../statements/change-metadata.ts';
import type { OwnMetadata } from '../statements/change-metadata.ts';
import { batchedWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { externalIdStatements } from '../external-id/statements.ts';
import type { ExternalIds } from '../external-id/statements.ts';
import { columnsWithMetadata, insertColumns, ownColumns } from '../statements/columns.ts';
import { checksPassed, departmentUsable, gapUsable, referenceChecks } from '../statements/references.ts';
import type { ReferenceChecks } from '../statements/references.ts';
import { resourceStatements } from '../statements/resource.ts';
import { insertedReservation, listedEntry, lockedExternalId, movedReservation } from '../external-id/reservation.ts';
import type { ExternalIdKey } from '../external-id/reservation.ts';
import { memberUsable } from '../schema/people.ts';
import { fourEyesConditions } from './four-eyes.ts';
import { IS_UNLOCKED, unlockedCondition } from './locking.ts';
import { FINISHED_STATUSES, OPEN_STATUSES, REOPENED_FIRST, taskResource } from './task.ts';
import type { TaskFields } from './task.ts';

const textList = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/** Fields of a task that no statement for its fields writes. */
type ReadOnlyFields = ExternalIds & {
  assignee: Actor | null;
  reviewer: Actor | null;
  evidenceCount: number | null;
  previous: string | null;
  next: string | null;
  closedAt: string | null;
  closedBy: Actor | null;
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
}

/** The update has the rules for references and for the status as conditions. Those of recurrence are checked before it. */
const statements = resourceStatements<{ framework: number }, TaskFields, object, UpdateOptions, ReadOnlyFields>(
  taskResource,
  {
    newValues: (_, { recurrence, seriesDate }) => ({
      seriesDate: `case when ${recurrence} is not null then ${seriesDate} end`,
    }),
    deleteConditions: () => [IS_UNLOCKED],
    updateConditions: (placeholders, newValues) => {
      const { listsValid, status, checkedVersion } = placeholders;
      return [
        `${listsValid}::boolean`,
        `case when ${checkedVersion}::int is not null then task.version = ${checkedVersion}::int
    else ${newValues.recurrence} is null
      or (${newValues.recurrence}, ${newValues.dueDate}) is not distinct from (task.recurrence, task.due_date)
        and (${status}::text is null or ${status} not in (${textList(FINISHED_STATUSES)})
          or task.status not in (${textList(OPEN_STATUSES)}) or task.next_id is not null) end`,
        REOPENED_FIRST.condition('task.status', newValues.status),
        ...fourEyesConditions(placeholders, newValues),
        unlockedCondition(placeholders, newValues),
      ];
    },
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

type NewTask = TaskFields & { uniqueId: string; framework: number };
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
function insertIfUsable(
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

type NewReservedTask = ExternalIdKey & NewTask;

/** Inserts a task if its references are usable and the CTE `reserved` has a row. */
const insertReserved = (placeholders: Placeholders<NewReservedTask>, reserved: (from: string) => string) =>
  insertIfUsable(placeholders, {
    ctes: (isUsable) => [lockedExternalId('task', placeholders), reserved(`given, locked where ${isUsable}`)],
    from: 'reserved',
    externalIds: listedEntry(placeholders),
  });

export const taskExternalIds = {
  ...externalIdStatements('task', taskResource, 'o.framework_id'),
  /** Reserves the external id and inserts the task if its references are usable. No uniqueId if the id is reserved already. */
  insert: defineStatement<NewReservedTask, InsertResult>('task.insert-with-external-id', (placeholders) =>
    insertReserved(placeholders, (from) =>
      insertedReservation('task', placeholders, `${placeholders.uniqueId}::uuid`, from),
    ),
  ),
  /** Moves the reservation of a deleted task to a new one. No uniqueId if another request was first. */
  recreate: defineStatement<NewReservedTask & { reservedId: string }, InsertResult>('task.recreate', (placeholders) =>
    insertReserved(placeholders, (from) => movedReservation('task', placeholders, from)),
  ),
};

interface NextTask {
  /** The task that is closed. */
  uniqueId: string;
  nextId: string;
  dueDate: string;
  recurrence: string;
}

/**
 * SQL of the values of the next task by column, where they differ from those of the closed task `t`. What cannot be given any more
 * is left out.
 */
const valuesOfNext = ({ company, dueDate, recurrence }: Placeholders<NextTask>): Readonly<Record<string, string>> => ({
  due_date: `${dueDate}::date`,
  start_date: `${dueDate}::date - (t.due_date - t.start_date)`,
  status: `'todo'`,
  recurrence: `${recurrence}::text`,
  series_date: `${dueDate}::date`,
  department_id: `case when ${departmentUsable(company, 't.department_id')} then t.department_id end`,
  gaps: `array(select kept.id from unnest(t.gaps) with ordinality kept (id, position)
      where ${gapUsable(company, 'kept.id', 't.framework_id')} order by kept.position)`,
  assignee_id: `case when ${memberUsable(company, 't.assignee_id', 't.framework_id')} then t.assignee_id end`,
  reviewer_id: `case when ${memberUsable(company, 't.reviewer_id', 't.framework_id', true)} then t.reviewer_id end`,
});

/** Makes the next task of a closed one, once in its life. No row in an archived framework. Contract, section 22. */
export const makeNextTask = defineStatement<NextTask, { uniqueId: string }>('task.make-next', (placeholders) => {
  const { company, user, uniqueId, nextId } = placeholders;
  const values = valuesOfNext(placeholders);
  const columns = [...taskResource.createdFields, ...taskResource.fields].map(({ column }) => column);
  return `with made as (
    insert into task (company_id, unique_id, ${columns.join(', ')}, previous, series_id, created_by_id, updated_by_id)
    select t.company_id, ${nextId}::uuid, ${columns.map((column) => values[column] ?? `t.${column}`).join(', ')},
      t.unique_id, coalesce(t.series_id, t.unique_id), ${user}::uuid, ${user}::uuid
    from task t join framework f on f.company_id = t.company_id and f.id = t.framework_id and f.archived_at is null
    where t.company_id = ${company} and t.unique_id = ${uniqueId}::uuid and t.next_id is null
    returning unique_id)
  update task set next_id = made.unique_id from made
  where task.company_id = ${company} and task.unique_id = ${uniqueId}::uuid
  returning made.unique_id as "uniqueId"`;
});

/** Tasks of the series of a task that exist, after an id, newest first. A task without a series is one by itself. */
export const tasksOfSeries = readStatement<{ uniqueId: string; afterId: string; limit: number }, TaskRow>(
  'task.series',
  ({ company, uniqueId, afterId, limit }) => `with first as (
    select coalesce(t.series_id, t.unique_id) as id from task t
    where t.company_id = ${company} and t.unique_id = ${uniqueId}::uuid)
  select ${columnsWithMetadata(taskResource, 't')} from task t ${metadataJoins('t')}
  where t.company_id = ${company} and t.unique_id = any(array(
    (select s.unique_id from task s where s.company_id = ${company} and s.series_id = (select id from first)
      and s.unique_id < ${afterId}::uuid order by s.unique_id desc limit (select ${limit}::int))
    union all
    select id from first where id < ${afterId}::uuid))
  order by t.unique_id desc limit (select ${limit}::int)`,
);
