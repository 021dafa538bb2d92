import { z } from 'zod';
import { NAME_LENGTH } from '../entities/company.ts';
import type { Session } from '../entities/database/session.ts';
import { MAX_ID, isId } from '../entities/ids.ts';
import { notFound } from '../entities/refusal.ts';
import { toTask } from '../entities/statements/task.ts';
import { NEWEST, tasksBy } from '../entities/statements/task-page.ts';
import type { TaskFilters } from '../entities/statements/task-page.ts';
import { LABELS } from '../entities/task.ts';
import { givenCount } from './answer-shapes.ts';
import { cursorsOf } from './cursor.ts';
import { PAGE, cut, pageOf, placeOf, refuseCursorAlone } from './page.ts';
import { bodyId, givenMoment, sought, trimmed } from './shapes.ts';
import { TaskObject, day, ofFramework, priority, status } from './task-shapes.ts';

/** Which tasks of a framework are asked for, and whether they are shown or only counted. */
export const TaskQuery = z.strictObject({
  ...ofFramework,
  status: status.optional().meta({ description: 'Where the task stands' }),
  priority: priority.optional(),
  label: trimmed(LABELS.length)
    .meta({ description: 'One whole label, ignoring case', examples: ['access'] })
    .optional(),
  departmentId: bodyId('Department that the tasks belong to').optional(),
  dueBefore: day.meta({ description: 'The last dueDate, included' }).optional(),
  dueAfter: day.meta({ description: 'The first dueDate, included' }).optional(),
  updatedSince: givenMoment.meta({ description: 'The first updatedAt, included' }).optional(),
  q: sought(NAME_LENGTH)
    .meta({ description: 'Text that the title contains, ignoring case', examples: ['review'] })
    .optional(),
  ...placeOf(PAGE.most, 'without it tasks are counted and not shown; required with `cursor`'),
});

const { items, nextCursor } = pageOf(TaskObject).shape;

export const TaskList = z
  .object({
    total: givenCount(0, MAX_ID, 'Tasks of the framework that match, on all pages'),
    items: items.meta({ description: 'Newest first; only with `limit`' }).optional(),
    nextCursor: nextCursor.optional(),
  })
  .meta({ id: 'TaskList', examples: [{ total: 1 }] });

/**
 * How many tasks of a framework match; where a limit is given, a page of them, newest first.
 * @throws Refusal 404 where the framework is not the company's
 */
export async function listTasks(session: Session, { limit, cursor, ...given }: z.infer<typeof TaskQuery>) {
  refuseCursorAlone({ limit, cursor });
  const cursors = limit === undefined ? undefined : await cursorsOf(session, 'task.list', given);
  const [after = NEWEST] = cursor === undefined ? [] : (cursors?.read(cursor) ?? []);
  const { framework } = given;
  const filters = filtersOf(given);
  const { count, page } = tasksBy(filters);
  const { total } = isId(framework) ? await session.only(count, { ...filters, framework }) : { total: null };
  if (total === null) throw notFound('framework');
  if (limit === undefined || cursors === undefined) return { total };
  const found = total === 0 ? [] : await session.run(page, { ...filters, framework, after, limit: limit + 1 });
  const { rows, last } = cut(found, limit);
  return { total, items: rows.map(toTask), nextCursor: last === undefined ? null : cursors.write([last.unique_id]) };
}

const filtersOf = (given: z.infer<typeof TaskQuery>): TaskFilters => ({
  status: given.status ?? null,
  priority: given.priority ?? null,
  label: given.label ?? null,
  departmentId: given.departmentId ?? null,
  dueBefore: given.dueBefore ?? null,
  dueAfter: given.dueAfter ?? null,
  updatedSince: given.updatedSince ?? null,
  q: given.q ?? null,
});
