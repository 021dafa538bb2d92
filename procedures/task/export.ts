import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { exportInput, exportOutput, withExternalId } from '../import/export.ts';
import { LIST_BATCH_SIZE, pageOutput } from '../schemas/pagination.ts';
import { TaskList, TaskQuery, listTasks } from './list.ts';
import { exportedFields } from './schemas.ts';

/** Filters of the list, and position. */
export const TaskExportQuery = z.strictObject({ ...TaskQuery.shape, ...exportInput });

/** A task in an export. */
export const ExportedTask = z.object({ ...exportedFields, ...exportOutput });

export const TaskExportPage = pageOutput(ExportedTask, LIST_BATCH_SIZE).extend({ total: TaskList.shape.total });

/** A page of the tasks of a framework. Only the first page has the number of all matching tasks. */
export async function exportTasks(
  session: Session,
  { source, limit = LIST_BATCH_SIZE, ...query }: z.infer<typeof TaskExportQuery>,
) {
  const { total, items = [], nextCursor = null } = await listTasks(session, { ...query, limit }, true);
  return { total, items: withExternalId(items, source), nextCursor };
}
