import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { withNullableTypes } from '../openapi/schemas.ts';

/** JSON Schema of an input or an output of a tool. */
export type JsonSchema = Record<string, unknown>;

const REFERENCE_PREFIX = '#/components/schemas/';

/** Input schema of a tool. MCP requires an object. */
export const inputSchemaOf = (schema: z.ZodType): JsonSchema & { type: 'object' } => ({
  ...toJsonSchema(schema, 'input'),
  type: 'object',
});

/** Keywords that an output schema does without. They would be most of the list of tools, which a model reads whole. */
const OMITTED_IN_OUTPUT: ReadonlySet<string> = new Set([
  'additionalProperties', // a client that keeps the list may then receive a new field
  'description', // the fields have the names of inputs, whose descriptions remain
  'examples',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minimum',
]);

/** Output schema of a tool. */
export const outputSchemaOf = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'output', OMITTED_IN_OUTPUT);

/** Returns true for a schema, which a property with the name of a keyword has. */
const isSchema = (value: unknown) => typeof value === 'object' && !Array.isArray(value);

/** Converts a schema as the OpenAPI document does, with every reference inlined: clients of 2025 cannot follow references. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', omitted: ReadonlySet<string> = new Set()): JsonSchema {
  const { schema: root, components } = createSchema(schema, { io, openapiVersion: '3.1.0' });
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    return typeof value === 'object' && value !== null ? inlineObject(value) : value;
  };
  const inlineObject = (value: object): JsonSchema => {
    const entries = Object.entries(value)
      .filter(([name, field]) => name !== '$ref' && !(omitted.has(name) && !isSchema(field)))
      .map(([name, field]) => [name, inline(field)]);
    const target = '$ref' in value ? componentOf(String(value.$ref)) : {};
    return { ...target, ...Object.fromEntries(entries) };
  };
  const componentOf = (reference: string): JsonSchema => {
    const component = components[reference.slice(REFERENCE_PREFIX.length)];
    if (component === undefined) throw new Error(`${reference}: no such component`);
    return inlineObject(component);
  };
  return withNullableTypes(inlineObject(root));
}
