import { bookkeepingWrite } from '../statements/define-statement.ts';
import type { FileRow } from './statements.ts';

type FileId = Pick<FileRow, 'uniqueId'>;
/** A file that has bytes, where they are, and their number. */
export type MovedFile = Pick<FileRow, 'uniqueId' | 'store' | 'place' | 'size'>;

/** Files of the company that have bytes, in pages. */
export const listMovedFiles = bookkeepingWrite<{ after: string | null }, MovedFile>(
  'file.list-moved',
  ({
    company,
    after,
  }) => `select unique_id as "uniqueId", store, place, coalesce(large_size, size)::float8 as size from file
  where company_id = ${company} and state = 'stored' and (${after}::uuid is null or unique_id > ${after}::uuid)
  order by unique_id limit 1000`,
);

/** A file of the company that has bytes. */
export const findStoredFile = bookkeepingWrite<FileId, Pick<FileRow, 'store' | 'place' | 'size' | 'sha256'>>(
  'file.find-stored',
  ({ company, uniqueId }) => `select store, place, coalesce(large_size, size)::float8 as size, sha256 from file
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'stored'`,
);

/** Buckets and prefixes in S3 that have files of the company. */
export const listPlacesOf = bookkeepingWrite<object, { place: string }>(
  'file.places-of',
  ({ company }) =>
    `select distinct place from file where company_id = ${company} and store = 's3' and place is not null`,
);
