import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { isUnfrozen } from '../company/closing.ts';
import { MAX_FILES, MAX_SIZE } from './file.ts';
import type { FilePurpose, FileState, Location, StoreName } from './file.ts';

export interface FileId {
  uniqueId: string;
}
/** A file of any company, with the store that has its bytes. */
export interface StoredFile extends FileId, Location {
  company: number;
}
/** A file with the digest and size that its bytes must have. */
export interface FileRow extends StoredFile {
  state: FileState;
  size: number;
  sha256: string;
}

const FILE = `company_id as company, unique_id as "uniqueId", store, place, state, coalesce(large_size, size)::float8 as size, sha256`;

/** Finds the stored file with these bytes, and keeps it from being removed for `UNUSED_SECONDS`. */
export const touchStoredFile = bookkeepingWrite<{ sha256: string }, FileId>(
  'file.touch-stored',
  ({ company, sha256 }) => `update file set touched_at = now()
  where company_id = ${company} and sha256 = ${sha256} and state = 'stored' returning unique_id as "uniqueId"`,
);

/** Number and bytes of the stored files of the company that are evidence, or proofs. */
export const countFiles = readStatement<{ purpose: FilePurpose }, { files: number; bytes: number }>(
  'file.count',
  ({
    company,
    purpose,
  }) => `select count(*)::int as files, coalesce(sum(coalesce(large_size, size)), 0)::float8 as bytes from file
  where company_id = ${company} and state = 'stored' and purpose = ${purpose}`,
);

/** Records a file before its bytes are put into the store. */
export const startFile = bookkeepingWrite<
  FileId & Pick<FileRow, 'store' | 'place' | 'size' | 'sha256'> & { purpose: FilePurpose },
  never
>(
  'file.start',
  ({ company, uniqueId, store, place, size, sha256, purpose }) => `insert into file
    (company_id, unique_id, store, place, size, large_size, sha256, purpose)
  values (${company}, ${uniqueId}, ${store}, ${place}, least(${size}::bigint, ${MAX_SIZE}),
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

interface TakenFile extends FileId {
  sha256: string;
  purpose: FilePurpose;
  /** Maximum bytes of all evidence of the company, and of all its proofs. */
  quotaBytes: number;
  /** True if the file needs room even if the company has the same bytes, so that a full quota does not reveal which bytes it has. */
  countsTwice: boolean;
}

/**
 * Takes a stored file into use: another one with the same bytes if there is one, else the given one, which is complete. No row
 * if the quota or the number of files would be exceeded, or the file was removed. Evidence and proofs have a quota each; a file that is
 * both is evidence. Needs `lockFiles` in the same transaction.
 */
export const takeFile = defineStatement<TakenFile, FileId>(
  'file.take',
  ({ company, uniqueId, sha256, purpose, quotaBytes, countsTwice }) => {
    const hasRoom = `(select count(*) < ${MAX_FILES}
        and coalesce(sum(coalesce(s.large_size, s.size)), 0) + coalesce(f.large_size, f.size) <= ${quotaBytes}::bigint
      from file s where s.company_id = ${company} and s.state = 'stored' and s.purpose = ${purpose}::text)`;
    return `with present as materialized (
    update file f set purpose = least(f.purpose, ${purpose}::text)
    where f.company_id = ${company} and f.sha256 = ${sha256} and f.state = 'stored'
      and (f.purpose <= ${purpose}::text and not ${countsTwice}::boolean or ${hasRoom})
    returning f.unique_id),
  completed as (
    update file f set state = 'stored', touched_at = now()
    where f.company_id = ${company} and f.unique_id = ${uniqueId} and f.state = 'uploading'
      and not exists (select from present) and ${hasRoom}
    returning f.unique_id)
  select unique_id as "uniqueId" from present union all select unique_id from completed`;
  },
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
 * taken again later. Of the files in S3 it takes those of one place: other files may belong to the installation of which this one is a
 * copy.
 */
export const takeUnusedFiles = defineStatement<{ place: string | null }, StoredFile>(
  'file.take-unused',
  ({ place }) => `update file f set state = 'deleting', touched_at = now() from (
    select company_id, unique_id from file
    where uses = 0 and touched_at < now() - interval '${UNUSED_SECONDS} seconds' and not (${isInProof})
      and (store <> 's3' or place is null or place = ${place}::text) and ${isUnfrozen('company_id')}
    order by touched_at limit ${REMOVED_AT_ONCE} for update skip locked) unused
  where f.company_id = unused.company_id and f.unique_id = unused.unique_id and f.uses = 0
  returning f.company_id as company, f.unique_id as "uniqueId", f.store, f.place`,
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
  returning f.company_id as company, f.unique_id as "uniqueId", f.store, f.place`,
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

/**
 * Condition for a file that is not in this place. A file of an earlier version in S3, whose place is not known yet, counts as there.
 * @param file alias of the file, which may be null
 */
const isElsewhere = (file: string, { store, place }: { store: string; place: string }) =>
  `(${file}.store is distinct from ${store}::text or ${file}.place <> ${place}::text)`;

interface Keys extends Location {
  companies: readonly number[];
  ids: readonly string[];
}

/** Those keys of a place that belong to no file in it. `isElsewhere` is true if the file is in another place. */
export const keysWithoutFile = readStatement<Keys, Pick<StoredFile, 'company' | 'uniqueId'> & { isElsewhere: boolean }>(
  'file.keys-without-file',
  ({
    companies,
    ids,
    store,
    place,
  }) => `select given.company, given.id as "uniqueId", f.unique_id is not null as "isElsewhere"
  from unnest(${companies}::int[], ${ids}::uuid[]) given (company, id)
  left join file f on f.company_id = given.company and f.unique_id = given.id
  where ${isElsewhere('f', { store, place })}`,
  'all companies',
);

/** Stored files of all companies that are in another place. */
export const pageFilesElsewhere = readStatement<Location & { limit: number }, FileRow>(
  'file.page-elsewhere',
  ({
    limit,
    store,
    place,
  }) => `select ${FILE} from file where state = 'stored' and ${isElsewhere('file', { store, place })}
  order by company_id, unique_id limit ${limit}::int`,
  'all companies',
);

/**
 * Says that the bytes of a file are in another place now, and that they were in the former one. No row if the file was removed or moved
 * meanwhile.
 */
export const moveFile = bookkeepingWrite<FileId & { from: StoreName; fromPlace: string | null } & Location, FileId>(
  'file.move',
  ({ company, uniqueId, from, fromPlace, store, place }) => `with moved as (
    update file set store = ${store}, place = ${place}
    where company_id = ${company} and unique_id = ${uniqueId} and state = 'stored' and store = ${from}
      and place is not distinct from ${fromPlace}::text
    returning unique_id),
  left_place as (
    insert into former_place (place) select ${fromPlace}::text from moved where ${fromPlace}::text is not null on conflict do nothing)
  select unique_id as "uniqueId" from moved`,
);

/** Buckets and prefixes in S3 that files were moved from. */
export const listFormerPlaces = readStatement<object, { place: string }>(
  'file.former-places',
  'select place from former_place order by place',
  'all companies',
);

/** Forgets a former place from which the bytes are removed, unless it has files again. */
export const forgetPlace = defineStatement<{ place: string }, never>(
  'file.forget-place',
  ({ place }) => `delete from former_place where place = ${place}
    and not exists (select from file where store = 's3' and place = ${place})`,
  'all companies',
);

/** Files of earlier versions in S3, of all companies, after a position. Their rows have no place. */
export const pageFilesWithoutPlace = readStatement<
  { afterCompany: number; afterId: string; limit: number },
  Pick<FileRow, 'company' | 'uniqueId' | 'size'>
>(
  'file.page-without-place',
  ({ afterCompany, afterId, limit }) => `select company_id as company, unique_id as "uniqueId",
    coalesce(large_size, size)::float8 as size from file
  where store = 's3' and place is null and (company_id, unique_id) > (${afterCompany}::int, ${afterId}::uuid)
    and ${isUnfrozen('company_id')}
  order by company_id, unique_id limit ${limit}::int`,
  'all companies',
);

/** Records where a file of an earlier version is. */
export const recordPlace = bookkeepingWrite<FileId & { place: string }, never>(
  'file.record-place',
  ({ company, uniqueId, place }) => `update file set place = ${place}
  where company_id = ${company} and unique_id = ${uniqueId} and store = 's3' and place is null`,
);

/**
 * Records the present place as that of files in S3, for a database that was restored and a copy of their objects. @returns number of files
 * of one step; 0 after the last one
 */
export const adoptPlace = defineStatement<{ place: string; limit: number }, { adopted: number }>(
  'file.adopt-place',
  ({ place, limit }) => `with other as (
    select company_id, unique_id from file
    where store = 's3' and place <> ${place} and ${isUnfrozen('company_id')} limit ${limit}::int),
  adopted as (
    update file f set place = ${place} from other
    where f.company_id = other.company_id and f.unique_id = other.unique_id returning 1)
  select count(*)::int as adopted from adopted`,
  'all companies',
);

/** A piece of evidence that has a file, as people find it. */
export interface EvidenceOfFile {
  uniqueId: string;
  name: string;
  resource: { type: string; uniqueId: string };
}

/** The evidence of the company that has a file, oldest first. */
export const listEvidenceOfFile = readStatement<{ uniqueId: string }, EvidenceOfFile>(
  'file.evidence',
  ({ company, uniqueId }) => `select unique_id as "uniqueId", name,
    case when task_id is not null then json_build_object('type', 'task', 'uniqueId', task_id)
      when vendor_id is not null then json_build_object('type', 'vendor', 'uniqueId', vendor_id)
      else json_build_object('type', 'requirement', 'uniqueId', requirement_id) end as resource
  from evidence where company_id = ${company} and file_id = ${uniqueId} order by unique_id`,
);

/** The proofs of the company whose ZIP is a file. */
export const listProofsOfFile = readStatement<{ uniqueId: string }, { uniqueId: string }>(
  'file.proofs',
  ({ company, uniqueId }) =>
    `select unique_id as "uniqueId" from proof where company_id = ${company} and file_id = ${uniqueId} order by unique_id`,
);

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
