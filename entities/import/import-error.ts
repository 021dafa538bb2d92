import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { Import, MAX_REASON_LENGTH } from './import.ts';

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
