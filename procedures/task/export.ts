import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { LIST_BATCH_SIZE, pageOutput } from '../schemas/pagination.ts';
import { TaskList, listAllTasks, listTasks } from './list.ts';
import { AllTasksQuery, TaskQuery } from './query.ts';
import { exportedFields } from './schemas.ts';

/** Filters of the list, and position. */
export const TaskExportQuery = z.strictObject({ ...TaskQuery.shape, ...exportInput });

/** A task in an export. */
export const ExportedTask = z.object({ ...exportedFields, ...exportOutput });

export const TaskExportPage = pageOutput(ExportedTask, LIST_BATCH_SIZE).extend({ total: TaskList.shape.total });

/** Filters of the list of all frameworks, and position. */
export const AllTasksExportQuery = z.strictObject({ ...AllTasksQuery.shape, ...exportInput });

type ListedTasks = Awaited<ReturnType<typeof listTasks>>;

/** A page of an export. Only the first page has the number of all matching tasks. */
const toExportPage = ({ total, items = [], nextCursor = null }: ListedTasks, source: string | undefined) => ({
  total,
  items: withExternalId(items, source),
  nextCursor,
});

/** A page of the tasks of a framework. */
export const exportTasks = async (
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof TaskExportQuery>,
) => toExportPage(await listTasks(session, { ...query, limit }, true), source);

/** A page of the tasks of all frameworks. */
export const exportAllTasks = async (
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof AllTasksExportQuery>,
) => toExportPage(await listAllTasks(session, { ...query, limit }, true), source);
