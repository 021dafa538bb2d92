import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import {
  findImportingCompanies,
  findNextImport,
  insertChanges,
  insertErrors,
  insertNotes,
  lockImports,
  saveProgress,
  countOpenImports,
} from '../../entities/import/progress.ts';
import type { RunnableImport } from '../../entities/import/progress.ts';
import { transactionOrTrial } from '../core/dry-run.ts';
import { toApiError } from '../core/errors.ts';
import type { CompaniesJob } from '../jobs/job.ts';
import { ROW_RESULTS, runSlice } from './slice.ts';
import type { RowResult, Slice } from './slice.ts';

/** Number of attempts to run a slice that fails on our side. An unavailable database does not count. */
const MAX_ATTEMPTS = 5;

/**
 * Runs the queued imports of all companies. An advisory lock of the transaction of each slice gives one import of a company
 * to one process at a time. PostgreSQL releases it when the process is killed, so that another one continues at once.
 */
export class ImportRunner {
  readonly #database: Database;
  readonly #onRows: (result: RowResult, rows: number) => void;
  readonly #failedAttempts = new Map<string, number>();

  /** @param onRows receives the number of rows with each result in a committed slice */
  constructor(database: Database, onRows: (result: RowResult, rows: number) => void = () => {}) {
    this.#database = database;
    this.#onRows = onRows;
  }

  /** Companies with queued or running imports. */
  async companies(): Promise<number[]> {
    const session = new Session(this.#database, null, 'run-imports');
    return (await session.run(findImportingCompanies, {})).map(({ id }) => id);
  }

  /**
   * Runs one slice of the first import of a company.
   * @returns false if there is none, or another process runs it
   */
  async runSlice(company: number): Promise<boolean> {
    const session = new Session(this.#database, null, 'run-imports').asOperator(company);
    let item: RunnableImport | undefined;
    let slice: Slice | undefined;
    const work = async (inside: Session) => {
      if (!(await inside.one(lockImports, {})).acquired) return undefined;
      item = await inside.first(findNextImport, {});
      if (item === undefined) return undefined;
      const result = await runSlice(inside, item);
      if (!result.isTrial) await save(inside, item, result);
      return result;
    };
    try {
      slice = await transactionOrTrial(session, work, (result) => result?.isTrial === true);
    } catch (error) {
      if (item === undefined) throw error;
      await this.#countFailure(session, item, error);
      return true;
    }
    if (slice === undefined || item === undefined) return false;
    await this.#end(session, item, slice);
    return true;
  }

  /** Saves a slice whose rows were rolled back, and reports the rows of another one. */
  async #end(session: Session, item: RunnableImport, slice: Slice): Promise<void> {
    if (slice.isTrial) await session.transaction((inside) => save(inside, item, slice));
    this.#failedAttempts.delete(item.uniqueId);
    if (slice.isTrial || item.phase !== 'apply') return;
    for (const result of ROW_RESULTS) this.#onRows(result, slice.progress[result] - item[result]);
  }

  /** Ends an import that fails on our side each time, so that it does not block the imports after it. */
  async #countFailure(session: Session, item: RunnableImport, error: unknown): Promise<void> {
    if (toApiError(error).code === 'unavailable') throw error;
    const attempts = (this.#failedAttempts.get(item.uniqueId) ?? 0) + 1;
    this.#failedAttempts.set(item.uniqueId, attempts);
    if (attempts < MAX_ATTEMPTS) throw error;
    const { message } = new ApiError('internal', 'Something went wrong on our side.', { cause: error });
    const progress = { ...item, state: 'failed' as const, reason: message };
    await session.transaction((inside) =>
      save(inside, item, { progress, errors: [], notes: [], changes: [], isTrial: false }),
    );
    this.#failedAttempts.delete(item.uniqueId);
    throw error;
  }
}

/**
 * Saves the progress of a slice, and the notes and errors of its rows. Another process may have run the same trial meanwhile, or the import was
 * canceled: then nothing is saved.
 */
async function save(session: Session, item: RunnableImport, slice: Slice): Promise<void> {
  const { progress, errors, notes, changes, isTrial } = slice;
  const { uniqueId, phase: fromPhase, position: fromPosition } = item;
  const fromPass = item.layout?.pass ?? 0;
  const saved = await session.first(saveProgress, { ...progress, uniqueId, fromPhase, fromPosition, fromPass });
  if (saved === undefined) return;
  if (errors.length > 0)
    await session.run(insertErrors, {
      uniqueId,
      row: errors.map(({ row }) => row),
      line: errors.map(({ line }) => line),
      field: errors.map(({ field }) => field),
      value: errors.map(({ value }) => value),
      error: errors.map(({ error }) => error),
    });
  if (notes.length > 0)
    await session.run(insertNotes, {
      uniqueId,
      kind: notes.map(({ kind }) => kind),
      row: notes.map(({ row }) => row),
      number: notes.map(({ number }) => number),
      line: notes.map(({ line }) => line),
      field: notes.map(({ field }) => field),
      value: notes.map(({ value }) => value),
      reason: notes.map(({ reason }) => reason),
    });
  if (changes.length > 0 && !isTrial)
    await session.run(insertChanges, {
      importId: uniqueId,
      row: changes.map(({ row }) => row),
      line: changes.map(({ line }) => line),
      uniqueId: changes.map((change) => change.uniqueId),
      version: changes.map(({ version }) => version),
    });
}

/** Rows of imports that this process applied, by result. */
const importRows = { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 };

/** Runs the imports of all companies. */
export const importing: CompaniesJob = {
  kind: 'companies',
  name: 'run-imports',
  failure: 'import: running imports failed',
  companyFailure: 'import: a slice failed',
  intervalMs: 500,
  gauges: [
    {
      name: 'imports',
      help: 'Queued and running imports of all companies; NaN if the query fails',
      statement: countOpenImports,
      columns: ['queued', 'running'],
      label: 'state',
    },
  ],
  counters: [
    { name: 'import_rows_total', help: 'Import rows that this process applied, by result', counts: importRows },
  ],
  open: ({ database }) => new ImportRunner(database, (result, rows) => (importRows[result] += rows)),
};
