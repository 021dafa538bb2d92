import { MAX_OPEN_IMPORTS } from './import.ts';
import type { ImportFormat, ImportKind, ImportMode, ImportState } from './import.ts';
import type { UserKind } from '../company/user.ts';
import { toIso, toIsoOrNull } from '../statements/change-metadata.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';

interface ImportKey {
  uniqueId: string;
}

/** Creates an import whose file is not stored yet; no row if the company has too many open imports. */
export const startUpload = defineStatement<
  ImportKey & { kind: ImportKind; framework: number | null; format: ImportFormat; address: string | null },
  ImportKey
>(
  'import.start-upload',
  ({
    company,
    user,
    key,
    request,
    uniqueId,
    kind,
    framework,
    format,
    address,
  }) => `insert into import (company_id, unique_id, kind, framework_id, format, api_key_id, created_by_id, request_id, address)
  select ${company}, ${uniqueId}, ${kind}, ${framework}, ${format}, ${key}, ${user}, ${request}, ${address}
  where (select count(*) from import i
    where i.company_id = ${company} and i.state in ('uploading', 'queued', 'running')) < ${MAX_OPEN_IMPORTS}
  returning unique_id as "uniqueId"`,
);

/** Stores the next chunk of a file. */
export const insertChunk = defineStatement<ImportKey & { index: number; bytes: Buffer }, never>(
  'import.insert-chunk',
  ({ company, uniqueId, index, bytes }) =>
    `insert into import_chunk (company_id, import_id, index, bytes) values (${company}, ${uniqueId}, ${index}, ${bytes})`,
);

/** Parameters of an import, beside its file. */
export interface ImportParameters {
  source: string | null;
  mode: ImportMode;
  dryRun: boolean;
  strict: boolean;
}

/** Queues an import whose file is stored. No row if its upload was deleted. */
export const queueImport = defineStatement<ImportKey & ImportParameters & { bytes: number }, ImportKey>(
  'import.queue',
  ({ company, uniqueId, source, mode, dryRun, strict, bytes }) => `update import
  set state = 'queued', queued_at = clock_timestamp(), source = ${source}, mode = ${mode}, dry_run = ${dryRun},
    strict = ${strict}, bytes = ${bytes}
  where company_id = ${company} and unique_id = ${uniqueId} and state = 'uploading' returning unique_id as "uniqueId"`,
);

/** Deletes an upload that no import uses. */
export const deleteUpload = defineStatement<ImportKey, never>(
  'import.delete-upload',
  ({ company, uniqueId }) =>
    `delete from import where company_id = ${company} and unique_id = ${uniqueId} and state = 'uploading'`,
);

interface ImportRow {
  uniqueId: string;
  kind: ImportKind;
  framework: number | null;
  state: ImportState;
  dryRun: boolean;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  reason: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  user_id: string;
  user_name: string;
  user_kind: UserKind;
}

const IMPORT_COLUMNS = `i.unique_id as "uniqueId", i.kind, i.framework_id as framework, i.state, i.dry_run as "dryRun", i.rows,
    i.created, i.updated, i.unchanged, i.failed, i.reason, i.created_at as "createdAt", i.started_at as "startedAt",
    i.ended_at as "endedAt", u.unique_id as user_id, u.name as user_name, u.kind as user_kind`;
const JOIN_CREATOR = `join company_user u on u.company_id = i.company_id and u.unique_id = i.created_by_id`;

/** An import that is not uploading. */
export const findImport = pipelinedRead<ImportKey, ImportRow>(
  'import.get',
  ({ company, uniqueId }) =>
    `select ${IMPORT_COLUMNS} from import i ${JOIN_CREATOR}
     where i.company_id = ${company} and i.unique_id = ${uniqueId} and i.state <> 'uploading'`,
);

/**
 * Imports of some kinds that are not uploading, in the frameworks that the principal may access, newest first. The page
 * is cut before the join: PostgreSQL underestimates the join and would otherwise sort all imports.
 */
export const pageImports = readStatement<{ kinds: ImportKind[]; before: string | null; limit: number }, ImportRow>(
  'import.page',
  ({ company, keyFrameworks, kinds, before, limit }) => `select ${IMPORT_COLUMNS} from (
    select * from import i
  where i.company_id = ${company} and i.state <> 'uploading' and i.kind = any(${kinds}::text[])
    and i.unique_id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and (${keyFrameworks}::int[] is null or i.framework_id is null or i.framework_id = any(${keyFrameworks}))
  order by i.unique_id desc limit ${limit}::int) i ${JOIN_CREATOR}
  order by i.unique_id desc`,
);

/** The import object of the API, without its errors. */
export const toImportRecord = ({
  user_id,
  user_name,
  user_kind,
  createdAt,
  startedAt,
  endedAt,
  ...row
}: ImportRow) => ({
  ...row,
  createdAt: toIso(createdAt),
  startedAt: toIsoOrNull(startedAt),
  endedAt: toIsoOrNull(endedAt),
  createdBy: { uniqueId: user_id, name: user_name, kind: user_kind },
});

/** A row that was not applied. */
export interface RowError {
  row: number;
  line: number;
  field: string | null;
  error: string;
}

/** Errors of an import after a row, in the order of the file. */
export const pageErrors = readStatement<ImportKey & { afterRow: number; limit: number }, RowError>(
  'import.errors',
  ({ company, uniqueId, afterRow, limit }) => `select e.row, e.line, e.field, e.error from import_error e
  where e.company_id = ${company} and e.import_id = ${uniqueId} and e.row > ${afterRow}::int order by e.row limit ${limit}::int`,
);

/** Cancels an import and deletes its file. No row if it has ended. Waits for a running slice. */
export const cancelImport = defineStatement<ImportKey, ImportKey>(
  'import.cancel',
  ({ company, uniqueId }) => `with canceled as (
    update import set state = 'canceled', ended_at = now()
    where company_id = ${company} and unique_id = ${uniqueId} and state in ('queued', 'running')
    returning company_id, unique_id),
  chunks as (delete from import_chunk c using canceled
    where c.company_id = canceled.company_id and c.import_id = canceled.unique_id)
  select unique_id as "uniqueId" from canceled`,
);
