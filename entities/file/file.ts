import { defineEntity, p } from '@mikro-orm/core';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Places where the bytes of files are kept. A file stays readable where it was put. Contract, section 19. */
export const STORES = ['database', 'files', 's3'] as const;
export type StoreName = (typeof STORES)[number];

/** Where the bytes of a file are. */
export interface Location {
  store: StoreName;
  /** Bucket and prefix in S3; null in other stores, and for a file of an earlier version that was not found yet. */
  place: string | null;
}
/** Maximum length of a bucket and a prefix in S3, in characters. A key has at most 1,024 bytes. */
export const MAX_PLACE_LENGTH = 960;

/**
 * A file is `uploading` until its store has acknowledged it, and `deleting` from the time when its bytes are removed. The row
 * is there before the bytes and after them, so that bytes that a killed process leaves are found.
 */
const FILE_STATES = ['uploading', 'stored', 'deleting'] as const;
export type FileState = (typeof FILE_STATES)[number];

/** Uses of files in alphabetical order, so that `least` makes a file with both uses evidence. */
const FILE_PURPOSES = ['evidence', 'proof'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];
/** Maximum number of files of evidence of a company. Equal bytes count once. Contract, section 32. */
export const MAX_FILES = 100_000;
/** Largest value of `size`. */
export const MAX_SIZE = 2_147_483_647;

const fileSchema = defineEntity({
  name: 'File',
  properties: {
    ...companyKey,
    /** Name of the bytes in their store: new for each upload, so that no upload overwrites or removes those of another one. */
    uniqueId: p.uuid().primary(),
    store: p.enum(STORES),
    /**
     * Bucket and prefix in S3, as `bucket/prefix/`. It is null for a file of an earlier version, until it is found in the present
     * place. It means nothing for a file in another store, where version 0.11.0 leaves it after a move.
     */
    place: p.string().length(MAX_PLACE_LENGTH).nullable(),
    state: p.enum(FILE_STATES).default('uploading'),
    /** SHA-256 of the content, in hexadecimal digits. */
    sha256: p.string().length(64),
    /** Size in bytes; of a larger file the maximum of the type. */
    size: p.integer(),
    /** Size of a file that is too large for `size`, such as a proof. Processes of earlier versions read `size` as a number. */
    largeSize: p.bigint().nullable(),
    /** Evidence and proofs have a quota each. */
    purpose: p.enum(FILE_PURPOSES).default('evidence'),
    /** Number of rows that refer to the file. A trigger counts them. */
    uses: p.integer().default(0),
    /** Last time at which an upload continued, or a use began or ended. */
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  ...tenantIsolation('select', 'update', 'delete'),
  indexes: [
    {
      name: 'file_unused',
      expression: `create index file_unused on file (touched_at) where uses = 0`,
    },
    {
      name: 'file_without_place',
      expression: `create index file_without_place on file (company_id, unique_id) where store = 's3' and place is null`,
    },
  ],
  uniques: [
    {
      name: 'file_once',
      expression: `create unique index file_once on file (company_id, sha256) include (size) where state = 'stored'`,
    },
  ],
  checks: [
    { name: 'file_sha256', expression: `sha256::text ~ '^[0-9a-f]{64}$'::text` },
    { name: 'file_size', expression: 'size >= 1' },
    { name: 'file_uses', expression: `uses >= 0 AND (uses = 0 OR state = 'stored'::text)` },
  ],
  triggers: [frozenTrigger('file')],
});

/** The bytes of a company under one SHA-256, which are kept once. */
export class File extends fileSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
fileSchema.setClass(File);

const formerPlaceSchema = defineEntity({
  name: 'FormerPlace',
  properties: { place: p.string().length(MAX_PLACE_LENGTH).primary() },
});

/** A bucket and prefix in S3 that files were moved from. It may have bytes that no row refers to, until a move removes them. */
export class FormerPlace extends formerPlaceSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
formerPlaceSchema.setClass(FormerPlace);
