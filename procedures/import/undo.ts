import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { isFieldChange } from '../../entities/audit/changes.ts';
import { NO_FRAMEWORK } from '../../entities/ids.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { RowNote } from '../../entities/import/notes.ts';
import type { RunnableImport } from '../../entities/import/progress.ts';
import {
  findLastEvents,
  freeExternalIds,
  pageImportedChanges,
  pageImportedRequirements,
} from '../../entities/import/undo.ts';
import type { ImportedChange } from '../../entities/import/undo.ts';
import { requirementResource } from '../../entities/requirement/requirement.ts';
import type { RequirementChanges } from '../../entities/requirement/requirement.ts';
import { requirementStatements } from '../../entities/requirement/statements.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { taskResource } from '../../entities/task/task.ts';
import type { TaskChanges } from '../../entities/task/task.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorChanges } from '../../entities/vendor/vendor.ts';
import { changeRequirement, removeRequirement } from '../requirement/write.ts';
import { changeTask, removeTask } from '../task/write.ts';
import { changeVendor, removeVendor } from '../vendor/write.ts';
import { isRowError } from './rows.ts';

interface Outcome {
  uniqueId: string;
  result: 'deleted' | 'updated' | 'skipped';
  note?: RowNote;
}

/** The facts about an object that an undo needs. */
interface Found {
  name: string;
  version: number;
  framework: number;
  externalIds: readonly { source: string; externalId: string }[];
  /** True for a task whose closing made another one. */
  hasNext: boolean;
}

interface UndoKind {
  columns: readonly { name: string; column: string }[];
  find(session: Session, uniqueId: string): Promise<Found | undefined>;
  remove(session: Session, uniqueId: string): Promise<void>;
  /** @param changes fields with the values that they had, which were valid */
  restore(session: Session, uniqueId: string, changes: object): Promise<unknown>;
}

const UNDO_KINDS: Readonly<Record<ImportKind, UndoKind>> = {
  vendor: {
    columns: vendorResource.fields,
    find: async (session, uniqueId) => {
      const row = await session.first(vendorStatements.get, { uniqueId });
      return row && { ...row, framework: NO_FRAMEWORK, hasNext: false };
    },
    remove: (session, uniqueId) => removeVendor(session, uniqueId, null),
    restore: (session, uniqueId, changes: VendorChanges) => changeVendor(session, uniqueId, changes),
  },
  task: {
    columns: taskResource.fields,
    find: async (session, uniqueId) => {
      const row = await session.first(taskStatements.get, { uniqueId });
      return row && { ...row, name: row.title, hasNext: row.next !== null };
    },
    remove: (session, uniqueId) => removeTask(session, uniqueId, null),
    restore: (session, uniqueId, { seriesDate, ...changes }: TaskChanges & { seriesDate?: string | null }) =>
      changeTask(session, uniqueId, { ...changes, ...(seriesDate !== undefined && { moveSeries: true }) }),
  },
  requirement: {
    columns: requirementResource.fields,
    find: async (session, uniqueId) => {
      const row = await session.first(requirementStatements.get, { uniqueId });
      return row && { ...row, name: `${row.ref} ${row.title}`, externalIds: [], hasNext: false };
    },
    remove: (session, uniqueId) => removeRequirement(session, uniqueId, null),
    restore: (session, uniqueId, changes: RequirementChanges) => changeRequirement(session, uniqueId, changes),
  },
};

/** The values that fields had before events, the oldest of which is first. */
function valuesBefore(columns: UndoKind['columns'], events: readonly Readonly<Record<string, unknown>>[]) {
  const entries = columns.flatMap(({ name, column }) => {
    const change = events.map((changes) => changes[column]).find(isFieldChange);
    return change === undefined ? [] : [[name, change.from] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * Undoes the next changes of an import: deletes what it created, and gives what it changed the former values. An object that somebody
 * has changed or used since stays as it is.
 */
export async function undoChanges(
  session: Session,
  { kind }: Pick<RunnableImport, 'kind'>,
  { after, offset, ...page }: { undoOf: string; after: string; offset: number; limit: number },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const changes =
    kind === 'requirement'
      ? await session.run(pageImportedRequirements, { ...page, offset })
      : await session.run(pageImportedChanges, { ...page, after });
  for (const change of changes) {
    // One after the other: an object may refer to the next one.
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await undoChange(session, kind, change));
  }
  return outcomes;
}

async function undoChange(session: Session, kind: ImportKind, change: ImportedChange): Promise<Outcome> {
  const { uniqueId, row, line, versionBefore, version, changes } = change;
  const skip = (reason: string): Outcome => ({
    uniqueId,
    result: 'skipped',
    note: { kind: 'skipped', row, line, number: 0, field: null, value: null, reason },
  });
  const undoKind = UNDO_KINDS[kind];
  const found = await undoKind.find(session, uniqueId);
  if (found === undefined) return skip(`The ${kind} has been deleted since.`);
  if (found.version !== version || version - versionBefore !== changes)
    return skip(`“${found.name}” has been changed since.`);
  const last = await session.one(findLastEvents, { kind, uniqueId, events: changes });
  const isCreated = versionBefore === 0;
  if (last.hasChildren) return skip(`“${found.name}” has been given comments or evidence since.`);
  if (isCreated && last.isNamed)
    return skip(`${kind === 'requirement' ? 'Tasks or gaps' : 'Tasks'} are linked to “${found.name}”.`);
  if (found.hasNext && !isCreated) return skip(`“${found.name}” was closed, and the next task was created.`);
  try {
    if (!isCreated) {
      await undoKind.restore(session, uniqueId, valuesBefore(undoKind.columns, last.changes));
      return { uniqueId, result: 'updated' };
    }
    await undoKind.remove(session, uniqueId);
    await session.run(freeExternalIds, {
      kind,
      uniqueId,
      framework: found.framework,
      sources: found.externalIds.map(({ source }) => source),
      externalIds: found.externalIds.map(({ externalId }) => externalId),
    });
    return { uniqueId, result: 'deleted' };
  } catch (error) {
    if (error instanceof ApiError && isRowError(error)) return skip(`“${found.name}” is kept: ${error.message}`);
    throw error;
  }
}
