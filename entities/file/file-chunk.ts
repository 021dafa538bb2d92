import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';
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
