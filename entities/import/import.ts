import { defineEntity, p } from '@mikro-orm/core';
import { ApiKey } from '../api-key/api-key.ts';
import { Framework } from '../reference-data/framework.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { userReference } from '../company/user.ts';
import { EXTERNAL_ID_LIMITS } from '../external-id/external-id.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Resources that a file can import. */
export const IMPORT_KINDS = ['vendor', 'task'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Treatment of fields that a row of an existing item leaves out: their default, or no change. */
export const IMPORT_MODES = ['replace', 'merge'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

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
}

/** Counters of a new import. */
const count = () => p.integer().default(0);

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
  ],
  checks: [
    { name: 'import_framework', expression: `(kind = 'task'::text) = (framework_id IS NOT NULL)` },
    {
      name: 'import_ended_at',
      expression: `(state = ANY (ARRAY['done'::text, 'failed'::text, 'canceled'::text])) = (ended_at IS NOT NULL)`,
    },
  ],
  triggers: [frozenTrigger('import')],
});

/** A file of vendors or tasks that is applied row by row in the background. Contract, section 13. */
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
    /** First line of the row in the file. */
    line: p.integer(),
    field: p.string().length(100).nullable(),
    error: p.string().length(MAX_REASON_LENGTH),
  },
  ...tenantIsolation(),
});

/** A row of an import that was not applied. */
export class ImportError extends importErrorSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
importErrorSchema.setClass(ImportError);
