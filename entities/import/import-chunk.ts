import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';
import { IMPORT_CHUNK_BYTES, Import } from './import.ts';

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
