import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { readStatement } from '../statements/define-statement.ts';
import { Import, MAX_NOTE_VALUE_LENGTH, MAX_REASON_LENGTH } from './import.ts';
import type { ImportKey } from './import.ts';

/** What is noted of rows that have no error. */
const NOTE_KINDS = ['warning', 'skipped'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

const importNoteSchema = defineEntity({
  name: 'ImportNote',
  properties: {
    ...companyKeyWithoutForeignKey,
    import: () => companyReference(Import, 'import_id').primary().deleteRule('cascade'),
    kind: p.enum(NOTE_KINDS).primary(),
    row: p.integer().primary(),
    /** Tells several of one row apart. */
    number: p.integer().primary(),
    line: p.integer(),
    field: p.string().length(100).nullable(),
    value: p.string().length(MAX_NOTE_VALUE_LENGTH).nullable(),
    reason: p.string().length(MAX_REASON_LENGTH),
  },
  ...tenantIsolation(),
});

/** A value that an import left out of its row, or a row or an object for which it did nothing. */
export class ImportNote extends importNoteSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
importNoteSchema.setClass(ImportNote);

/** A value that was left out of a row, or a row or an object for which nothing was done. */
export interface RowNote {
  kind: NoteKind;
  row: number;
  number: number;
  line: number;
  field: string | null;
  value: string | null;
  reason: string;
}

/** Notes of one kind after a position, in the order of the file. */
export const pageNotes = readStatement<
  ImportKey & { kind: NoteKind; afterRow: number; afterNumber: number; limit: number },
  Omit<RowNote, 'kind'>
>(
  'import.notes',
  ({
    company,
    uniqueId,
    kind,
    afterRow,
    afterNumber,
    limit,
  }) => `select n.row, n.number, n.line, n.field, n.value, n.reason
  from import_note n
  where n.company_id = ${company} and n.import_id = ${uniqueId} and n.kind = ${kind}
    and (n.row, n.number) > (${afterRow}::int, ${afterNumber}::int)
  order by n.row, n.number limit ${limit}::int`,
);
