import { z } from 'zod';
import { taskExternalIds, taskStatements, tasksOfSeries } from '../../entities/task/statements.ts';
import { taskResource } from '../../entities/task/task.ts';
import type { Session } from '../../database/session.ts';
import { textInput } from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { LAST_ID } from '../../entities/ids.ts';
import { MAX_RECURRENCE_LENGTH, upcomingDates, validateRecurrence } from '../../entities/task/recurrence.ts';
import { EventPage, historyQuery, readHistory } from '../audit/events.ts';
import { batchProcedure } from '../batch/batch.ts';
import { requireScopes } from '../core/permissions.ts';
import { changeProcedure, companyProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { CsvPage, csvFileOf, csvInput, csvPage } from '../import/export.ts';
import { importTasks } from '../import/start.ts';
import { TaskBatch } from '../schemas/batch.ts';
import { readPage } from '../schemas/cursor.ts';
import { PAGE_SIZE, pageOutput, paginationInput } from '../schemas/pagination.ts';
import { tasksByExternalId } from './external-id.ts';
import {
  AllTasksExportQuery,
  AllTasksQuery,
  ExportedTask,
  TaskExportPage,
  TaskExportQuery,
  TaskList,
  TaskQuery,
  exportAllTasks,
  exportTasks,
  listAllTasks,
  listTasks,
} from './list.ts';
import { openapi } from './openapi.ts';
import { NewTask, TaskChanges, TaskId, TaskIdAsOf, TaskOutput } from './schemas.ts';
import { BASE_PATH, actions, changeTask, createTask, removeTask } from './write.ts';

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

const listResponse = (exportProcedure: 'task.export' | 'task.exportAll') =>
  ({
    kind: 'json',
    totalCountField: 'total',
    export: { procedure: exportProcedure, csv: csvFileOf('task', `${exportProcedure}Csv`, ExportedTask) },
  }) as const;

const reads = resourceProcedure(taskResource, 'read');
const exportsRows = reads.meta({
  mcp: { exclude: 'It returns the rows of a file; `task_list` reads the same tasks.' },
});
const exportsCsv = reads.meta({
  mcp: { exclude: 'It belongs to the application, not to the API; `task_list` reads the same tasks.' },
});

const procedures = {
  list: reads
    .meta({
      mcp: { description: 'Returns the number of tasks that match all filters; with `limit` also a page of them.' },
      openapi: { method: 'GET', path: `${BASE_PATH}/framework/{framework}/list`, ...openapi.list },
      response: listResponse('task.export'),
    })
    .input(TaskQuery)
    .output(TaskList)
    .query(({ ctx, input }) => listTasks(ctx.session, input)),

  listAll: reads
    .meta({
      mcp: { description: 'Like `task_list`, for every framework that you may access.' },
      openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.listAll, errorResponses: [404] },
      response: listResponse('task.exportAll'),
    })
    .input(AllTasksQuery)
    .output(TaskList)
    .query(({ ctx, input }) => listAllTasks(ctx.session, input)),

  create: resourceProcedure(taskResource, 'write')
    .meta({
      mcp: { description: 'A new task has the status `todo`.' },
      openapi: {
        method: 'POST',
        path: `${BASE_PATH}/framework/{framework}/new`,
        ...openapi.create,
        errorResponses: [422],
      },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(NewTask)
    .output(TaskOutput)
    .mutation(({ ctx, input }) => createTask(ctx.session, input)),

  import: importTasks,

  export: exportsRows
    .input(TaskExportQuery)
    .output(TaskExportPage)
    .query(({ ctx, input }) => exportTasks(ctx.session, input)),

  exportAll: exportsRows
    .input(AllTasksExportQuery)
    .output(TaskExportPage)
    .query(({ ctx, input }) => exportAllTasks(ctx.session, input)),

  exportCsv: exportsCsv
    .input(TaskExportQuery.safeExtend(csvInput))
    .output(CsvPage)
    .query(async ({ ctx: { session }, input: { format, delimiter, ...query } }) =>
      csvPage(session, 'task', ExportedTask, { ...query, format, delimiter }, await exportTasks(session, query)),
    ),

  exportAllCsv: exportsCsv
    .input(AllTasksExportQuery.safeExtend(csvInput))
    .output(CsvPage)
    .query(async ({ ctx: { session }, input: { format, delimiter, ...query } }) =>
      csvPage(session, 'task', ExportedTask, { ...query, format, delimiter }, await exportAllTasks(session, query)),
    ),

  get: reads
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/item`, ...openapi.get },
    })
    .input(TaskIdAsOf)
    .output(TaskOutput)
    .query(({ ctx, input: { taskUniqueId, asOf } }) => {
      if (asOf !== undefined) requireScopes(ctx.session.principal, ['audit:read'], ctx.address);
      return actions.read(ctx.session, taskUniqueId, asOf);
    }),

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

  history: companyProcedure('audit:read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/{taskUniqueId}/history`, ...openapi.history } })
    .input(TaskId.extend(historyQuery))
    .output(EventPage)
    .query(({ ctx, input: { taskUniqueId, ...pageRequest } }) =>
      readHistory(ctx.session, 'task', taskUniqueId, pageRequest),
    ),

  update: changeProcedure(taskResource, 'write')
    .meta({
      mcp: {
        description:
          'Omitted fields keep their value. From `done`, `not_applicable` and `canceled` the status may change only to an open one.',
      },
      openapi: {
        method: 'PATCH',
        path: `${BASE_PATH}/{taskUniqueId}/edit`,
        ...openapi.update,
        errorResponses: [409, 422],
      },
    })
    .input(TaskChanges)
    .output(TaskOutput)
    .mutation(
      async ({ ctx, input: { taskUniqueId, ...changes } }) =>
        (await changeTask(ctx.session, taskUniqueId, changes, ctx.ifMatch)).item,
    ),

  ...tasksByExternalId,

  delete: changeProcedure(taskResource, 'delete')
    .meta({
      openapi: {
        method: 'DELETE',
        path: `${BASE_PATH}/{taskUniqueId}/delete`,
        ...openapi.delete,
        errorResponses: [409],
      },
    })
    .input(TaskId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeTask(ctx.session, input.taskUniqueId, ctx.ifMatch)),
};

/** The tasks of the caller's company, each of one framework. Contract, section 3. */
export const task = router({
  ...procedures,

  batch: batchProcedure(router(procedures), {
    type: 'task',
    idField: 'taskUniqueId',
    procedures: { create: 'create', update: 'update', upsert: 'putByExternalId', delete: 'delete' },
    updateStatus: 200,
    lockTargets: taskExternalIds.lockTargets,
    itemOutput: TaskOutput,
    input: TaskBatch,
    resultId: 'TaskBatch',
    openapi: { path: `${BASE_PATH}/batch`, ...openapi.batch },
  }),
});
