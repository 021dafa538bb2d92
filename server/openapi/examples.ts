import type { oas31 } from 'zod-openapi';
import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';

export type Schemas = oas31.SchemasObject;
type Schema = oas31.SchemaObject | oas31.ReferenceObject;

/** A schema without an example. Add `examples` to the `meta` of the field. */
export class NoExample extends Error {}

/**
 * Builds a valid value for a schema from the examples of its fields, defaults and enums.
 * @param location path of the schema, for the error
 * @throws NoExample for text without an example, a default or an enum
 */
export function exampleFor(schema: Schema, schemas: Schemas, location: string): unknown {
  if ('$ref' in schema) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return exampleFor(schemas[name] ?? {}, schemas, name);
  }
  const candidate = [...(schema.examples ?? []), schema.default, schema.enum?.[0]].find((value) => value !== undefined);
  // A request with the example of a member would be 422, because no company has that member.
  if (candidate === EXAMPLE_IDS.user && Array.isArray(schema.type) && schema.type.includes('null')) return null;
  if (candidate !== undefined) return candidate;
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleFor(first, schemas, location);
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleFor(field, schemas, `${location}.${name}`)]));
  }
  if (schema.items !== undefined) return [exampleFor(schema.items, schemas, location)];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  throw new NoExample(location);
}
