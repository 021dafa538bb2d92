import { defineEntity, p } from '@mikro-orm/core';
import { ApiKey } from '../api-key/api-key.ts';
import { Framework } from '../reference-data/reference-data.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { userReference } from '../company/user.ts';
import type { UserKind } from '../company/user.ts';
import { EXTERNAL_ID_LIMITS } from '../external-id/external-id.ts';
import { frozenTrigger } from '../schema/triggers.ts';
import { toIso, toIsoOrNull } from '../statements/change-metadata.ts';
import { defineStatement, pipelinedRead, readStatement } from '../statements/define-statement.ts';

/** Resources that a file can import. */
export const IMPORT_KINDS = ['vendor', 'task', 'requirement'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Files of rows. */
export const ROW_FORMATS = ['csv', 'ndjson'] as const;
/** An OSCAL catalog is one JSON document, which becomes rows before anything else is read. */
export const IMPORT_FORMATS = [...ROW_FORMATS, 'oscal'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Treatment of fields that a row of an existing item leaves out: their default, or no change. */
export const IMPORT_MODES = ['replace', 'merge'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Order of day and month in dates that are not those of ISO 8601. */
export const IMPORT_DATES = ['dmy', 'mdy'] as const;
export type ImportDates = (typeof IMPORT_DATES)[number];

/** Treatment of a row that would create an object with the name of exactly one other. */
export const IMPORT_DUPLICATES = ['create', 'skip', 'update'] as const;
type ImportDuplicates = (typeof IMPORT_DUPLICATES)[number];

/** Maximum length of the value of a file that is stored with a note about it. */
export const MAX_NOTE_VALUE_LENGTH = 255;

/** States that a client sees. Contract, section 13. */
export const IMPORT_STATES = ['queued', 'running', 'done', 'failed', 'canceled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/**
 * Steps of a running import. `scan` reads the whole file and writes nothing. `check` applies each row and rolls it back,
 * for `strict` and `dryRun`. `apply` applies each row.
 */
const IMPORT_PHASES = ['scan', 'check', 'apply'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** Bounds of a file. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;
export const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
export const MAX_IMPORT_ROWS = 100_000;
/** Size of every stored chunk of a file except the last one. */
export const IMPORT_CHUNK_BYTES = 256 * 1024;
/** Maximum number of imports of a company that are uploading, queued or running. */
export const MAX_OPEN_IMPORTS = 100;
/** Days for which an ended import and its errors stay readable. */
export const IMPORT_RETENTION_DAYS = 30;
/** Minutes after which an upload that did not end is deleted. */
export const UPLOAD_RETENTION_MINUTES = 30;

export const MAX_REASON_LENGTH = 2000;

/** Columns of a CSV file, and the position of its first row. Null columns are ignored. */
export interface ImportLayout {
  delimiter: string;
  columns: (string | null)[];
  /** Byte position and line after the header. */
  position: number;
  line: number;
  /** True if a column has the heading of the application in place of the name of its field. */
  isForPeople?: boolean;
  /** Rows without a value. */
  emptyRows?: number;
  /** Last object that an undo has processed. */
  after?: string;
  /** Size of the rows that replaced a catalog. */
  rowBytes?: number;
  /** Number of times that the file was read before, for the rows that had to wait for rows after them. */
  pass?: number;
  /** True if no row may wait any longer. */
  isLastPass?: boolean;
  /** Number of rows that this pass applied. */
  applied?: number;
  /** Position of the next requirement that does not say its own. */
  nextPosition?: number;
}

/** Counters of a new import. */
const count = () => p.integer().default(0);

/** Condition for an undo that is under way or done. An import has at most one. */
export const isUndo = (alias = 'import') =>
  `${alias}.undo_of is not null and not ${alias}.dry_run and ${alias}.state not in ('failed', 'canceled')`;
const UNDO_INDEX = `create unique index import_undo on import (company_id, undo_of) where ${isUndo().replaceAll('import.', '')}`;

const importSchema = defineEntity({
  name: 'Import',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    kind: p.enum(IMPORT_KINDS),
    framework: () => companyReference(Framework, 'framework_id').nullable().deleteRule('no action'),
    format: p.enum(IMPORT_FORMATS),
    source: p.string().length(EXTERNAL_ID_LIMITS.maxSourceLength).nullable(),
    mode: p.enum(IMPORT_MODES).default('replace'),
    dryRun: p.boolean().default(false),
    strict: p.boolean().default(false),
    dates: p.enum(IMPORT_DATES).nullable(),
    lenient: p.boolean().default(false),
    duplicates: p.enum(IMPORT_DUPLICATES).default('create'),
    /** The import that this one undoes, which may be deleted by now. */
    undoOf: p.uuid().nullable(),
    /** `uploading` until the whole file is stored. Clients do not see such an import. */
    state: p.enum(['uploading', ...IMPORT_STATES]).default('uploading'),
    phase: p.enum(IMPORT_PHASES).default('scan'),
    bytes: count(),
    /** Byte position of the next record, its line, and the number of rows before it. */
    position: count(),
    line: p.integer().default(1),
    rowsRead: count(),
    layout: p.json<ImportLayout>().nullable(),
    rows: count(),
    created: count(),
    updated: count(),
    unchanged: count(),
    failed: count(),
    skipped: count(),
    warnings: count(),
    deleted: count(),
    reason: p.string().length(MAX_REASON_LENGTH).nullable(),
    /** Null for an import of a member. */
    apiKey: () => companyReference(ApiKey, 'api_key_id').nullable().deleteRule('no action'),
    createdBy: () => userReference('created_by_id'),
    /** Request id and client address of the upload, for audit events and address ranges. */
    requestId: p.string().length(128),
    address: p.string().length(64).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    queuedAt: p.datetime(6).nullable(),
    startedAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
  },
  ...tenantIsolation('select', 'delete'),
  indexes: [
    // Without company_id: jobs look for work of all companies at once.
    { name: 'import_by_state', properties: ['state', 'endedAt'] },
    { name: 'import_by_company', properties: ['company', 'state', 'queuedAt'] },
    { name: 'import_undo', expression: UNDO_INDEX },
  ],
  checks: [
    { name: 'import_framework', expression: `(kind = 'vendor'::text) = (framework_id IS NULL)` },
    {
      name: 'import_ended_at',
      expression: `(state = ANY (ARRAY['done'::text, 'failed'::text, 'canceled'::text])) = (ended_at IS NOT NULL)`,
    },
  ],
  triggers: [frozenTrigger('import')],
});

/** A file of vendors, tasks or requirements that is applied row by row in the background. Contract, section 13. */
export class Import extends importSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
importSchema.setClass(Import);

const importChunkSchema = defineEntity({
  name: 'ImportChunk',
  properties: {
    ...companyKeyWithoutForeignKey,
    import: () => companyReference(Import, 'import_id').primary().deleteRule('cascade'),
    index: p.integer().primary(),
    bytes: p.blob(),
  },
  ...tenantIsolation(),
  checks: [{ name: 'import_chunk_bytes', expression: `octet_length(bytes) <= ${IMPORT_CHUNK_BYTES}` }],
  triggers: [frozenTrigger('import_chunk', ['insert'])],
});

/** A part of the file of an import. Chunks are deleted when the import ends. */
export class ImportChunk extends importChunkSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
importChunkSchema.setClass(ImportChunk);

const importErrorSchema = defineEntity({
  name: 'ImportError',
  properties: {
    ...companyKeyWithoutForeignKey,
    import: () => companyReference(Import, 'import_id').primary().deleteRule('cascade'),
    /** Number of the row, from 1 below the header. */
    row: p.integer().primary(),
    /** First line of the row in the file; of a catalog, in the rows that it became. */
    line: p.integer(),
    field: p.string().length(100).nullable(),
    value: p.string().length(MAX_NOTE_VALUE_LENGTH).nullable(),
    error: p.string().length(MAX_REASON_LENGTH),
  },
  ...tenantIsolation(),
});

/** A row of an import that was not applied. */
export class ImportError extends importErrorSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
importErrorSchema.setClass(ImportError);

export interface ImportKey {
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
  /** Null: dates are those of ISO 8601 only. */
  dates: ImportDates | null;
  /** True: a value of an optional field that cannot be used is left out. */
  lenient: boolean;
  duplicates: ImportDuplicates;
}

/** Queues an import whose file is stored. A catalog does not contain decisions of the company, so it resets none. No row if its upload was deleted. */
export const queueImport = defineStatement<ImportKey & ImportParameters & { bytes: number }, ImportKey>(
  'import.queue',
  ({ company, uniqueId, source, mode, dryRun, strict, dates, lenient, duplicates, bytes }) => `update import
  set state = 'queued', queued_at = clock_timestamp(), source = ${source},
    mode = case when format = 'oscal' then 'merge' else ${mode} end, dry_run = ${dryRun},
    strict = ${strict}, dates = ${dates}, lenient = ${lenient}, duplicates = ${duplicates}, bytes = ${bytes}
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
  skipped: number;
  warnings: number;
  deleted: number;
  undoOf: string | null;
  undoneBy: string | null;
  reason: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  user_id: string;
  user_name: string;
  user_kind: UserKind;
}

const IMPORT_COLUMNS = `i.unique_id as "uniqueId", i.kind, i.framework_id as framework, i.state, i.dry_run as "dryRun", i.rows,
    i.created, i.updated, i.unchanged, i.failed, i.skipped, i.warnings, i.deleted, i.undo_of as "undoOf",
    (select by.unique_id from import by where by.company_id = i.company_id and by.undo_of = i.unique_id and ${isUndo('by')}) as "undoneBy",
    i.reason, i.created_at as "createdAt", i.started_at as "startedAt",
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
 * Imports of some kinds that are neither uploading nor checks, in the frameworks that the principal may access, newest first. The page
 * is cut before the join: PostgreSQL underestimates the join and would otherwise sort all imports.
 */
export const pageImports = readStatement<{ kinds: ImportKind[]; before: string | null; limit: number }, ImportRow>(
  'import.page',
  ({ company, keyFrameworks, kinds, before, limit }) => `select ${IMPORT_COLUMNS} from (
    select * from import i
  where i.company_id = ${company} and i.state <> 'uploading' and not i.dry_run and i.kind = any(${kinds}::text[])
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
  /** Null in a catalog, when it is read. */
  line: number | null;
  field: string | null;
  value: string | null;
  error: string;
}

/** SQL of the line of a row in its file. A catalog has none. */
export const lineOf = (alias: string) => `(select ${alias}.line from import i
    where i.company_id = ${alias}.company_id and i.unique_id = ${alias}.import_id and i.format <> 'oscal')`;

/** Errors of an import after a row, in the order of the file. */
export const pageErrors = readStatement<ImportKey & { afterRow: number; limit: number }, RowError>(
  'import.errors',
  ({
    company,
    uniqueId,
    afterRow,
    limit,
  }) => `select e.row, ${lineOf('e')} as line, e.field, e.value, e.error from import_error e
  where e.company_id = ${company} and e.import_id = ${uniqueId} and e.row > ${afterRow}::int order by e.row limit ${limit}::int`,
);

/** Maximum number of groups in a summary of errors. */
export const MAX_ERROR_GROUPS = 1000;

/** Errors by what they say, the most frequent first. */
export const summarizeErrors = readStatement<
  ImportKey,
  Pick<RowError, 'field' | 'value' | 'error'> & { rows: number; firstRow: number }
>(
  'import.error-summary',
  ({ company, uniqueId }) => `select e.field, e.value, e.error, count(*)::int as rows, min(e.row) as "firstRow"
  from import_error e where e.company_id = ${company} and e.import_id = ${uniqueId}
  group by e.field, e.value, e.error order by count(*) desc, min(e.row) limit ${MAX_ERROR_GROUPS}`,
);

/** Number of imports of the company that have not ended. */
export const countOpenOfCompany = readStatement<object, { open: number }>(
  'import.count-open-of-company',
  ({ company }) => `select count(*)::int as open from import
  where company_id = ${company} and state in ('uploading', 'queued', 'running')`,
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
