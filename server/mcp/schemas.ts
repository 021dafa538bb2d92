import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { forModels } from '../../entities/fields/schemas.ts';
import { withNullableTypes } from '../openapi/schemas.ts';

/** JSON Schema of an input or an output of a tool. */
export type JsonSchema = Record<string, unknown>;

const REFERENCE_PREFIX = '#/components/schemas/';

/** Input schema of a tool. MCP requires an object. A model reads it with every list, so it is short. */
export const inputSchemaOf = (schema: z.ZodType): JsonSchema & { type: 'object' } => ({
  ...toJsonSchema(schema, 'input', isOmittedInInput),
  type: 'object',
});

/** Largest integer id. */
const MAX_INT32 = 2_147_483_647;
/** Bounds of longer texts are left out: a model seldom reaches them. */
const MAX_SHORT_TEXT = 255;

/** Returns true for a keyword of an input schema that another one implies, or that helps no model to find a value. */
function isOmittedInInput(keyword: string, schema: JsonSchema): boolean {
  const { [keyword]: value, maximum } = schema;
  switch (keyword) {
    case 'examples':
    case 'minLength':
      return true;
    case 'default':
      return value === false;
    case 'format':
      return value === 'int32';
    case 'minimum':
    case 'maximum':
      return maximum === MAX_INT32;
    case 'maxLength':
      return Number(value) > MAX_SHORT_TEXT || 'format' in schema || 'pattern' in schema;
    case 'description':
      return REPEATED_NAME.test(String(value));
    default:
      return false;
  }
}

/** Description of a field like `taskUniqueId`, which its name has already. */
const REPEATED_NAME = /^The \w+’s uniqueId$/;

/** Keywords that an output schema does without: a client validates results, and a model reads the list. */
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
export const outputSchemaOf = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, 'output', (keyword) => OMITTED_IN_OUTPUT.has(keyword));

/** Keywords that the conversion resolves, that repeat the limits of JSON objects, or that make an array of a text in a query. */
const isReplaced = (keyword: string) => ['$ref', 'propertyNames', 'listOf'].includes(keyword);

/** Returns true for a schema, which a property with the name of a keyword has. */
const isSchema = (value: unknown) => typeof value === 'object' && !Array.isArray(value);

/** Converts a schema as the OpenAPI document does, with every reference inlined: clients of 2025 cannot follow references. */
function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  isOmitted: (keyword: string, schema: JsonSchema) => boolean,
): JsonSchema {
  const { schema: root, components } = createSchema(schema, {
    io,
    openapiVersion: '3.1.0',
    opts: { override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, forModels.get(zodSchema)) },
  });
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    return typeof value === 'object' && value !== null ? inlineObject(value) : value;
  };
  const inlineObject = (value: object): JsonSchema => {
    const keywords: JsonSchema = { ...value };
    const entries = Object.entries(keywords)
      .filter(([name, field]) => !isReplaced(name) && !(isOmitted(name, keywords) && !isSchema(field)))
      .map(([name, field]) => [name, inline(field)]);
    const target = '$ref' in keywords ? componentOf(String(keywords['$ref'])) : {};
    return { ...target, ...Object.fromEntries(entries) };
  };
  const componentOf = (reference: string): JsonSchema => {
    const component = components[reference.slice(REFERENCE_PREFIX.length)];
    if (component === undefined) throw new Error(`${reference}: no such component`);
    return inlineObject(component);
  };
  return withNullableTypes(inlineObject(root));
}
