import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { isUnfrozen } from '../company/closing.ts';
import { MAX_SIZE } from './file.ts';
import type { FilePurpose, FileState, StoreName } from './file.ts';

interface FileId {
  uniqueId: string;
}
/** A file of any company, with the store that has its bytes. */
export interface StoredFile extends FileId {
  company: number;
  store: StoreName;
}
/** A file with what its bytes must be. */
export interface FileRow extends StoredFile {
  state: FileState;
  size: number;
  sha256: string;
}

const FILE = `company_id as company, unique_id as "uniqueId", store, state, coalesce(large_size, size)::float8 as size, sha256`;

/** Finds the stored file with these bytes, and keeps it from being removed for `UNUSED_SECONDS`. */
export const touchStoredFile = bookkeepingWrite<{ sha256: string }, FileId>(
  'file.touch-stored',
  ({ company, sha256 }) => `update file set touched_at = now()
  where company_id = ${company} and sha256 = ${sha256} and state = 'stored' returning unique_id as "uniqueId"`,
);

/** Bytes of the stored evidence of the company. */
export const storedBytes = readStatement<object, { bytes: number }>(
  'file.stored-bytes',
  ({ company }) =>
    `select coalesce(sum(size), 0)::float8 as bytes from file where company_id = ${company} and state = 'stored' and purpose = 'evidence'`,
);

/** Records a file before its bytes are put into the store. */
export const startFile = bookkeepingWrite<
  FileId & Pick<FileRow, 'store' | 'size' | 'sha256'> & { purpose: FilePurpose },
  never
>(
  'file.start',
  ({ company, uniqueId, store, size, sha256, purpose }) => `insert into file
    (company_id, unique_id, store, size, large_size, sha256, purpose)
  values (${company}, ${uniqueId}, ${store}, least(${size}::bigint, ${MAX_SIZE}),
    case when ${size}::bigint > ${MAX_SIZE} then ${size}::bigint end, ${sha256}, ${purpose})`,
);

/** Shows that an upload continues. No row if it was given up. */
export const touchUpload = bookkeepingWrite<FileId, FileId>(
  'file.touch-upload',
  ({ company, uniqueId }) => `update file set touched_at = now()
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'uploading' returning unique_id as "uniqueId"`,
);

/** Makes the files of the company wait for each other until the end of the transaction. */
export const lockFiles = defineStatement<object, never>(
  'file.lock',
  ({ company }) => `select pg_advisory_xact_lock(hashtextextended('files ' || (${company}::int)::text, 0))`,
);

/**
 * Takes a stored file into use: another one with the same bytes if there is one, else the given one, which is complete. No row
 * if the quota would be exceeded, or the file was removed. Proofs do not count; a file that is evidence too does. Needs
 * `lockFiles` in the same transaction.
 */
export const takeFile = defineStatement<FileId & { sha256: string; purpose: FilePurpose; quotaBytes: number }, FileId>(
  'file.take',
  ({ company, uniqueId, sha256, purpose, quotaBytes }) => `with present as materialized (
    update file set purpose = least(purpose, ${purpose}::text)
    where company_id = ${company} and sha256 = ${sha256} and state = 'stored' returning unique_id),
  completed as (
    update file f set state = 'stored', touched_at = now()
    where f.company_id = ${company} and f.unique_id = ${uniqueId} and f.state = 'uploading'
      and not exists (select from present)
      and (f.purpose = 'proof' or f.size + (
        select coalesce(sum(s.size), 0) from file s
        where s.company_id = ${company} and s.state = 'stored' and s.purpose = 'evidence') <= ${quotaBytes}::bigint)
    returning f.unique_id)
  select unique_id as "uniqueId" from present union all select unique_id from completed`,
);

/** Lets an upload be removed at once, if nothing uses it. */
export const abandonUpload = bookkeepingWrite<FileId, StoredFile>(
  'file.abandon',
  ({ company, uniqueId }) => `update file set state = 'deleting', touched_at = now()
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'uploading' returning ${FILE}`,
);

/** Seconds after which a file without a use is removed, and an upload that no process continues. */
const UNUSED_SECONDS = 30;
/** Maximum number of files that one process removes in one step. */
const REMOVED_AT_ONCE = 100;

/** Condition: an open proof may need the stored file. */
const isInProof = `state = 'stored' and exists (select from proof p
      where p.company_id = file.company_id and p.evidence and p.state in ('queued', 'running'))`;

/**
 * Takes files without a use, of all companies, for their removal. Nothing can use them from then on. A file whose removal failed is
 * taken again later.
 */
export const takeUnusedFiles = defineStatement<object, StoredFile>(
  'file.take-unused',
  `update file f set state = 'deleting', touched_at = now() from (
    select company_id, unique_id from file
    where uses = 0 and touched_at < now() - interval '${UNUSED_SECONDS} seconds' and not (${isInProof})
      and ${isUnfrozen('company_id')}
    order by touched_at limit ${REMOVED_AT_ONCE} for update skip locked) unused
  where f.company_id = unused.company_id and f.unique_id = unused.unique_id and f.uses = 0
  returning f.company_id as company, f.unique_id as "uniqueId", f.store`,
  'all companies',
);

/**
 * Takes files of a company that is being erased for their removal, as long as nothing uses them. It is a statement for all companies, as
 * a company that was moved away is frozen.
 */
export const takeErasedFiles = bookkeepingWrite<object, StoredFile>(
  'file.take-erased',
  ({ company }) => `update file f set state = 'deleting', touched_at = now() from (
    select unique_id from file where company_id = ${company} and uses = 0
      and exists (select from company c where c.id = ${company} and c.erasing_at is not null)
    order by unique_id limit ${REMOVED_AT_ONCE}) erased
  where f.company_id = ${company} and f.unique_id = erased.unique_id and f.uses = 0
  returning f.company_id as company, f.unique_id as "uniqueId", f.store`,
  'all companies',
);

/** True if the company has files. */
export const hasFiles = readStatement<object, { exists: boolean }>(
  'file.exists',
  ({ company }) => `select exists (select from file where company_id = ${company}) as exists`,
);

/** Deletes the row of a file whose bytes are removed, also of a frozen company. */
export const deleteFile = bookkeepingWrite<FileId, never>(
  'file.delete',
  ({ company, uniqueId }) =>
    `delete from file where company_id = ${company} and unique_id = ${uniqueId} and state = 'deleting'`,
  'all companies',
);

/** A file of the company. */
export const findFile = readStatement<FileId, FileRow>(
  'file.get',
  ({ company, uniqueId }) => `select ${FILE} from file where company_id = ${company} and unique_id = ${uniqueId}`,
);

/** Stored files of all companies after a position. */
export const pageStoredFiles = readStatement<{ afterCompany: number; afterId: string; limit: number }, FileRow>(
  'file.page-stored',
  ({ afterCompany, afterId, limit }) => `select ${FILE} from file
  where (company_id, unique_id) > (${afterCompany}::int, ${afterId}::uuid) and state = 'stored'
  order by company_id, unique_id limit ${limit}::int`,
  'all companies',
);

interface Keys {
  store: StoreName;
  companies: readonly number[];
  ids: readonly string[];
}

/** Those keys of a store that belong to no file in it. `isElsewhere` tells that the file is in another store. */
export const keysWithoutFile = readStatement<Keys, Omit<StoredFile, 'store'> & { isElsewhere: boolean }>(
  'file.keys-without-file',
  ({ store, companies, ids }) => `select given.company, given.id as "uniqueId", f.unique_id is not null as "isElsewhere"
  from unnest(${companies}::int[], ${ids}::uuid[]) given (company, id)
  left join file f on f.company_id = given.company and f.unique_id = given.id
  where f.store is distinct from ${store}`,
  'all companies',
);

/** Stored files of all companies that are in another store. */
export const pageFilesElsewhere = readStatement<{ store: StoreName; limit: number }, FileRow>(
  'file.page-elsewhere',
  ({ store, limit }) => `select ${FILE} from file where state = 'stored' and store <> ${store}
  order by company_id, unique_id limit ${limit}::int`,
  'all companies',
);

/** Says that the bytes of a file are in another store now. No row if the file was removed or moved meanwhile. */
export const moveFile = bookkeepingWrite<FileId & { from: StoreName; to: StoreName }, FileId>(
  'file.move',
  ({ company, uniqueId, from, to }) => `update file set store = ${to}
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'stored' and store = ${from}
  returning unique_id as "uniqueId"`,
);
