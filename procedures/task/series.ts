import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { textInput } from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { LAST_ID } from '../../entities/ids.ts';
import { MAX_RECURRENCE_LENGTH, upcomingDates, validateRecurrence } from '../../entities/task/recurrence.ts';
import { taskStatements, tasksOfSeries } from '../../entities/task/statements.ts';
import { taskResource } from '../../entities/task/task.ts';
import { resourceProcedure } from '../core/trpc.ts';
import { readPage } from '../schemas/cursor.ts';
import { PAGE_SIZE, pageOutput, paginationInput } from '../schemas/pagination.ts';
import { openapi } from './openapi.ts';
import { TaskId, TaskOutput } from './schemas.ts';
import { BASE_PATH, actions } from './write.ts';

const SeriesQuery = TaskId.extend(paginationInput(PAGE_SIZE.max, `${PAGE_SIZE.default} by default`));

const TaskSeries = pageOutput(TaskOutput).meta({
  id: 'TaskSeries',
  description: 'A page of the tasks of a series, newest first',
});

/** A page of the series of a task, newest first. @throws ApiError 404, and 403 without access */
async function readSeries(session: Session, { taskUniqueId: uniqueId, limit, cursor }: z.infer<typeof SeriesQuery>) {
  await actions.read(session, uniqueId);
  const { rows, nextCursor } = await readPage(session, {
    list: ['task.series', { uniqueId }],
    request: { limit, cursor },
    fetch: ([afterId = LAST_ID], maxRows) => session.run(tasksOfSeries, { uniqueId, afterId, limit: maxRows }),
    positionOf: (row) => [row.uniqueId],
  });
  return { items: rows.map(taskStatements.toRecord), nextCursor };
}

const MAX_DATES = 3;

const NextDatesQuery = z.strictObject({
  recurrence: textInput('a recurrence rule', MAX_RECURRENCE_LENGTH),
  dueDate: calendarDate,
});

const NextDates = z.object({ dates: z.array(calendarDate).meta({ maxItems: MAX_DATES }) });

/** The due dates that follow with a recurrence. @throws ApiError 422 for a rule that no task may have */
function readNextDates({ recurrence, dueDate }: z.infer<typeof NextDatesQuery>) {
  const error = validateRecurrence({ recurrence, dueDate });
  if (error !== undefined) throw error;
  return { dates: upcomingDates({ recurrence, dueDate }, MAX_DATES) };
}

const reads = resourceProcedure(taskResource, 'read');

/** Procedures of tasks that recur. Contract, section 22. */
export const seriesProcedures = {
  series: reads
    .meta({
      mcp: { description: '' },
      openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/series`, ...openapi.series },
    })
    .input(SeriesQuery)
    .output(TaskSeries)
    .query(({ ctx, input }) => readSeries(ctx.session, input)),

  nextDates: reads
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; it shows the dates of a recurrence.' } })
    .input(NextDatesQuery)
    .output(NextDates)
    .query(({ input }) => readNextDates(input)),
};
