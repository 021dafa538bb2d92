import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';
import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';
import { File } from './file.ts';

/** Bytes of each chunk but the last one. */
export const FILE_CHUNK_BYTES = 256 * 1024;

const fileChunkSchema = defineEntity({
  name: 'FileChunk',
  properties: {
    ...companyKeyWithoutForeignKey,
    file: () => companyReference(File, 'file_id').primary().deleteRule('cascade'),
    index: p.integer().primary(),
    bytes: p.blob(),
  },
  ...tenantIsolation(),
  checks: [{ name: 'file_chunk_bytes', expression: `octet_length(bytes) <= ${FILE_CHUNK_BYTES}` }],
  triggers: [frozenTrigger('file_chunk', ['insert'])],
});

/** A part of a file in the store `database`. */
export class FileChunk extends fileChunkSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
fileChunkSchema.setClass(FileChunk);

/** Maximum number of chunks that a statement deletes, which keeps it short. */
export const DELETED_CHUNKS = 64;

interface FileId {
  uniqueId: string;
}

/**
 * Stores the next chunk of a file. A repeated put of the file stores the missing ones. PostgreSQL acknowledges a chunk before it is
 * on the disk: the commit that takes the file into use writes everything before it too.
 * https://www.postgresql.org/docs/current/wal-async-commit.html
 */
export const insertFileChunk = bookkeepingWrite<FileId & { index: number; bytes: Buffer }, never>(
  'file-chunk.insert',
  ({ company, uniqueId, index, bytes }) =>
    `insert into file_chunk (company_id, file_id, index, bytes)
    select ${company}::int, ${uniqueId}::uuid, ${index}::int, ${bytes}::bytea
    where set_config('synchronous_commit', 'off', true) is not null
    on conflict do nothing`,
);

export const readFileChunk = readStatement<FileId & { index: number }, { bytes: Buffer }>(
  'file-chunk.read',
  ({ company, uniqueId, index }) =>
    `select bytes from file_chunk where company_id = ${company} and file_id = ${uniqueId} and index = ${index}`,
);

/** Deletes some chunks of a file, the last ones first: what is left of a file begins with its first chunk, so it is listed. */
export const deleteFileChunks = bookkeepingWrite<FileId, { deleted: number }>(
  'file-chunk.delete',
  ({ company, uniqueId }) => `with deleted as (
    delete from file_chunk where company_id = ${company} and file_id = ${uniqueId} and index in (
      select index from file_chunk where company_id = ${company} and file_id = ${uniqueId}
      order by index desc limit ${DELETED_CHUNKS})
    returning 1)
  select count(*)::int as deleted from deleted`,
);

/** Files of the company that have a first chunk, by id. */
export const pageChunkedFiles = readStatement<{ after: string | null; limit: number }, FileId>(
  'file-chunk.page-files',
  ({ company, after, limit }) => `select file_id as "uniqueId" from file_chunk
  where company_id = ${company} and index = 0
    and file_id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
  order by file_id limit ${limit}::int`,
);
