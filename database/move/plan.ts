import { ApiKey } from '../../entities/api-key/api-key.ts';
import { ApiKeyRequest } from '../../entities/api-key/request.ts';
import { ApiKeyUsage } from '../../entities/api-key/usage.ts';
import { AuditWatermark } from '../../entities/audit/seal.ts';
import { FileChunk } from '../../entities/file/file-chunk.ts';
import { File } from '../../entities/file/file.ts';
import { SummaryMail } from '../../entities/inbox/summary.ts';
import { tableName } from '../../entities/schema/table.ts';
import { SignIn } from '../../entities/sign-in/sign-in.ts';
import { erasePlan } from '../erase/plan.ts';
import { onceSuccessful } from '../retry.ts';

/** A table whose rows move with their company. */
export interface MovedTable {
  name: string;
  /** Columns of the primary key, without that of the company. */
  keyColumns: string[];
  /** Columns that may differ between the cells before the switch. All others must be equal. */
  differing: readonly string[];
  /**
   * True if rows are added or removed while the company is frozen. They are not compared. New ones are copied again after the switch;
   * counts of a day of usage that has arrived stay as they were.
   */
  grows: boolean;
}

/** Bytes of files move as files: each cell has its own store. The requests of keys are those that a cell has had, of one day. */
const LEFT_OUT = new Set([tableName(FileChunk), tableName(ApiKeyRequest)]);
/** Rows that the service adds or removes while a company is frozen. */
const GROWING = new Set([tableName(SignIn), tableName(ApiKeyUsage), tableName(SummaryMail)]);
/** Columns that it changes then, or that have another value in the other cell, by table. */
const DIFFERING = new Map<string, readonly string[]>([
  [tableName(ApiKey), ['last_used_at']],
  [tableName(AuditWatermark), ['watermark', 'candidate', 'candidate_xid']],
  [tableName(File), ['store', 'place']],
]);

/**
 * Derives the tables that a move copies from the entities, parents before their children. Sessions, and what belongs to a person
 * rather than to a company, are not among them (`procedures/management/move/receiving.ts`).
 */
export const movePlan = onceSuccessful(async (): Promise<MovedTable[]> => {
  const { tables } = await erasePlan();
  return tables
    .filter(({ name, isCompanyScoped }) => isCompanyScoped && !LEFT_OUT.has(name))
    .toReversed()
    .map(({ name, keyColumns }) => ({
      name,
      keyColumns,
      differing: DIFFERING.get(name) ?? [],
      grows: GROWING.has(name),
    }));
});

/** @throws Error for a table that no move copies */
export async function movedTable(name: string): Promise<MovedTable> {
  const table = (await movePlan()).find((moved) => moved.name === name);
  if (table === undefined) throw new Error(`${name}: expected a table with rows of companies`);
  return table;
}
