import { z } from 'zod';
import type { ReferenceKind, Word } from '../../entities/fields/kind.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import { exportedFields as exportedRequirementFields } from '../requirement/schemas.ts';
import { exportedFields as exportedTaskFields } from '../task/schemas.ts';
import { exportedFields as exportedVendorFields } from '../vendor/schemas.ts';
import { exportOutput } from './export.ts';
import { EXTERNAL_ID_HEADING, ID_HEADING } from './for-people.ts';
import { EXTERNAL_ID, KINDS, knownColumns } from './kinds.ts';
import { cellTypes, writeCells } from './parsing/cells.ts';
import { BOM, FORMULA, FORMULA_INSIDE, writeCsvRecord } from './parsing/csv.ts';
import { UNIQUE_ID } from './parsing/file-table.ts';

/** What the application needs to know about a column that rows set. */
interface ColumnFacts {
  name: string;
  /** Heading of the application; the name if it has none. */
  heading: string;
  /** Kind of the objects that the values name. */
  refersTo?: ReferenceKind | undefined;
  /** The possible values, as people read them. */
  words?: readonly Word[] | undefined;
  isDate?: true;
  isList?: true;
}

/** Facts about the files of a kind. */
interface KindFacts {
  /** Columns that rows set, and those of ids. */
  columns: readonly ColumnFacts[];
  /** Column that every new item needs. */
  required: string;
  /** A CSV file with these columns and an example. */
  template: string;
}

/** Facts about files that the build writes into the application: app/vite.config.ts. */
export const importFacts = (): {
  kinds: Readonly<Record<ImportKind, KindFacts>>;
  formula: string;
  formulaInside: string;
} => ({
  kinds: {
    vendor: factsOf('vendor', exportedVendorFields),
    task: factsOf('task', exportedTaskFields),
    requirement: factsOf('requirement', exportedRequirementFields),
  },
  formula: FORMULA.source,
  formulaInside: FORMULA_INSIDE,
});

function factsOf(kind: ImportKind, shape: Readonly<Record<string, z.core.$ZodType>>): KindFacts {
  const { imported } = knownColumns({ kind, framework: null, source: null, mode: 'replace' });
  const schemas = Object.entries({ ...shape, ...exportOutput }).filter(([name]) => imported.includes(name));
  const example = Object.fromEntries(schemas.map(([name, schema]) => [name, exampleOf(schema)]));
  const types = cellTypes(Object.fromEntries(schemas));
  const columns = schemas.map(([name]) => columnFacts(kind, name));
  const template =
    BOM + writeCsvRecord(columns.map(({ heading }) => heading)) + writeCsvRecord(writeCells(types, example));
  return {
    columns: KINDS[kind].upsert === undefined ? columns : [...columns, { name: UNIQUE_ID, heading: ID_HEADING }],
    required: KINDS[kind].required,
    template,
  };
}

function columnFacts(kind: ImportKind, name: string): ColumnFacts {
  const { fields, labels } = KINDS[kind];
  const { refersTo, words, written } = fields[name] ?? {};
  return {
    name,
    heading: name === EXTERNAL_ID ? EXTERNAL_ID_HEADING : (labels[name] ?? name),
    refersTo: refersTo?.kind,
    words,
    ...(written === 'date' && { isDate: true }),
    ...((written === 'list' || refersTo?.kind === 'gap' || refersTo?.kind === 'vendor') && { isList: true }),
  };
}

/** Example of a value: the one of its schema, or the first of an enum. Undefined for ids, which differ in each company. */
function exampleOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return exampleOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)].filter((value) => value !== undefined);
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return true;
  const facts = z.globalRegistry.get(schema);
  if (facts?.['format'] === 'uuid') return undefined;
  const examples: unknown = facts?.['examples'];
  return Array.isArray(examples) ? examples[0] : undefined;
}
