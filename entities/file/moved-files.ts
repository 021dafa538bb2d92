import { bookkeepingWrite } from '../statements/define-statement.ts';
import type { FileRow } from './statements.ts';

type FileId = Pick<FileRow, 'uniqueId'>;
/** A file that has bytes, and their number. */
export type MovedFile = Pick<FileRow, 'uniqueId' | 'size'>;

/** Files of the company that have bytes, in pages. */
export const listMovedFiles = bookkeepingWrite<{ after: string | null }, MovedFile>(
  'file.list-moved',
  ({ company, after }) => `select unique_id as "uniqueId", coalesce(large_size, size)::float8 as size from file
  where company_id = ${company} and state = 'stored' and (${after}::uuid is null or unique_id > ${after}::uuid)
  order by unique_id limit 1000`,
);

/** A file of the company that has bytes. */
export const findStoredFile = bookkeepingWrite<FileId, Pick<FileRow, 'store' | 'size' | 'sha256'>>(
  'file.find-stored',
  ({ company, uniqueId }) => `select store, coalesce(large_size, size)::float8 as size, sha256 from file
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'stored'`,
);
