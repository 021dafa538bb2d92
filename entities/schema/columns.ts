import type { Column, Field } from '../fields/kind.ts';
import { columnOf } from './audited-resource.ts';
import type { PropertiesOf } from './field-types.ts';

export type Columns = Readonly<Record<string, Column>>;
export type DeclaredFields = Readonly<Record<string, Field>>;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export const fromEntries = <T>(entries: readonly (readonly [string, unknown])[]): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and values come from the type
  Object.fromEntries(entries) as T;

/** Properties of an entity with these columns. */
export const propertiesOf = <Given extends Columns>(columns: Given): PropertiesOf<Given> =>
  fromEntries(Object.entries(columns).map(([name, { property }]) => [name, property]));

/** Checks of a table with these columns. */
export const checksOf = (table: string, columns: Columns) =>
  Object.entries(columns).flatMap(([name, { property, check }]) => {
    const column = columnOf(name, property);
    return check === undefined
      ? []
      : [{ name: `${table}_${column}${check.suffix}`, expression: check.condition(column) }];
  });

/** Columns of a table by the kind of personal data in them. Every table has the company. */
export function personalColumnsOf(columns: Columns) {
  const byKind: Partial<Record<Column['personal'], string[]>> = { none: ['company_id'] };
  for (const [name, { property, personal }] of Object.entries(columns))
    (byKind[personal] ??= []).push(columnOf(name, property));
  return byKind;
}
