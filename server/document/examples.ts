import type { oas31 } from 'zod-openapi';

export type Schemas = oas31.SchemasObject;
type Schema = oas31.SchemaObject | oas31.ReferenceObject;

/** A schema has no example: its field needs `examples` in its `meta`. */
export class NoExample extends Error {}

/**
 * A value that a schema takes, made of the examples that stand beside its fields, of defaults and of enums.
 * @param of where the schema stands, for the error
 * @throws NoExample for text that nothing is known of
 */
export function exampleOf(schema: Schema, schemas: Schemas, of: string): unknown {
  if ('$ref' in schema) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return exampleOf(schemas[name] ?? {}, schemas, name);
  }
  const known = [...(schema.examples ?? []), schema.default, schema.enum?.[0]].find((value) => value !== undefined);
  if (known !== undefined) return known;
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleOf(first, schemas, of);
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas, `${of}.${name}`)]));
  }
  if (schema.items !== undefined) return [exampleOf(schema.items, schemas, of)];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  throw new NoExample(of);
}
