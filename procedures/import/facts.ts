import { z } from 'zod';
import type { ImportKind } from '../../entities/import/import.ts';
import { exportedFields as exportedTaskFields } from '../task/schemas.ts';
import { exportedFields as exportedVendorFields } from '../vendor/schemas.ts';
import { exportOutput } from './export.ts';
import { KINDS, knownColumns } from './kinds.ts';
import { cellTypes, writeCells } from './parsing/cells.ts';
import { BOM, FORMULA, FORMULA_INSIDE, writeCsvRecord } from './parsing/csv.ts';

/** Facts about the files of a kind. */
interface KindFacts {
  /** Columns that rows set. */
  fields: readonly string[];
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
  kinds: { vendor: factsOf('vendor', exportedVendorFields), task: factsOf('task', exportedTaskFields) },
  formula: FORMULA.source,
  formulaInside: FORMULA_INSIDE,
});

function factsOf(kind: ImportKind, shape: Readonly<Record<string, z.core.$ZodType>>): KindFacts {
  const { imported } = knownColumns({ kind, framework: null, source: null, mode: 'replace' });
  const schemas = Object.entries({ ...shape, ...exportOutput }).filter(([name]) => imported.includes(name));
  const example = Object.fromEntries(schemas.map(([name, schema]) => [name, exampleOf(schema)]));
  const types = cellTypes(Object.fromEntries(schemas));
  const fields = [...types.keys()];
  const template = BOM + writeCsvRecord(fields) + writeCsvRecord(writeCells(types, example));
  return { fields, required: KINDS[kind].required, template };
}

/** Example of a value: the one of its schema, or the first of an enum. Undefined for ids, which each company has its own of. */
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
