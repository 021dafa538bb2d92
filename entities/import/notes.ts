import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { readStatement } from '../statements/define-statement.ts';
import { Import, MAX_NOTE_VALUE_LENGTH, MAX_REASON_LENGTH, lineOf } from './import.ts';
import type { ImportKey } from './import.ts';

/** Kinds of notes about rows that have no error. */
const NOTE_KINDS = ['warning', 'skipped'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/**
 * What the import notes for itself: names of objects that a trial made, which is rolled back, and rows that wait for rows after them.
 * `number` of a row that waits is the pass that it waits for.
 */
const STORED_KINDS = [...NOTE_KINDS, 'made', 'waiting'] as const;
type StoredKind = (typeof STORED_KINDS)[number];

const MADE_INDEX = `create index import_note_made on import_note (company_id, import_id, value) where kind in ('made', 'waiting')`;

const importNoteSchema = defineEntity({
  name: 'ImportNote',
  properties: {
    ...companyKeyWithoutForeignKey,
    import: () => companyReference(Import, 'import_id').primary().deleteRule('cascade'),
    kind: p.enum(STORED_KINDS).primary(),
    row: p.integer().primary(),
    /** Distinguishes several notes of one row. */
    number: p.integer().primary(),
    line: p.integer(),
    field: p.string().length(100).nullable(),
    value: p.string().length(MAX_NOTE_VALUE_LENGTH).nullable(),
    reason: p.string().length(MAX_REASON_LENGTH),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'import_note_made', expression: MADE_INDEX }],
});

/** A value that an import left out of its row, or a row or an object for which it did nothing. */
export class ImportNote extends importNoteSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
importNoteSchema.setClass(ImportNote);

/** A value that was left out of a row, or a row or an object for which nothing was done. */
export interface RowNote {
  kind: StoredKind;
  row: number;
  number: number;
  line: number | null;
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
  }) => `select n.row, n.number, ${lineOf('n')} as line, n.field, n.value, n.reason
  from import_note n
  where n.company_id = ${company} and n.import_id = ${uniqueId} and n.kind = ${kind}
    and (n.row, n.number) > (${afterRow}::int, ${afterNumber}::int)
  order by n.row, n.number limit ${limit}::int`,
);

/** Rows that wait for a pass, after a row. */
export const pageWaiting = readStatement<
  ImportKey & { pass: number; afterRow: number; limit: number },
  { row: number; reason: string }
>(
  'import.waiting',
  ({ company, uniqueId, pass, afterRow, limit }) => `select n.row, n.reason from import_note n
  where n.company_id = ${company} and n.import_id = ${uniqueId} and n.kind = 'waiting' and n.number = ${pass}::int
    and n.row > ${afterRow}::int
  order by n.row limit ${limit}::int`,
);

/** Names that a trial made, of these names, or that rows have which wait for a pass. Names are folded. */
export const findNoted = readStatement<
  ImportKey & { kind: 'made' | 'waiting'; pass: number; names: readonly string[] },
  { name: string }
>(
  'import.noted',
  ({ company, uniqueId, kind, pass, names }) => `select distinct n.value as name from import_note n
  where n.company_id = ${company} and n.import_id = ${uniqueId} and n.kind = ${kind}::text and n.kind in ('made', 'waiting')
    and n.number = ${pass}::int and n.value = any(${names}::text[])`,
);

/** Refs that a trial made or changed, with the ref above each; the last row of a ref decides. */
export const findOutlineOfTrial = readStatement<ImportKey, { ref: string; parentRef: string | null }>(
  'import.outline',
  ({ company, uniqueId }) => `select distinct on (n.value) n.value as ref, nullif(n.reason, '') as "parentRef"
  from import_note n
  where n.company_id = ${company} and n.import_id = ${uniqueId} and n.kind = 'made' order by n.value, n.row desc`,
);
