import type { oas31 } from 'zod-openapi';
import { REQUEST_ID_PATTERN } from '../telemetry/request-id.ts';

const isSchema = (value: unknown): value is oas31.SchemaObject =>
  typeof value === 'object' && value !== null && !('$ref' in value);

/** Copies a value, and changes each object in it, the inner ones first. */
function mapObjects<Value>(value: Value, change: (object: Record<string, unknown>) => object): Value;
function mapObjects(value: unknown, change: (object: Record<string, unknown>) => object): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapObjects(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapObjects(field, change)])));
}

/**
 * Writes nullable fields as `type: [T, 'null']` (JSON Schema 2020-12) instead of `anyOf` with `null`. Code generators map
 * the former to a nullable type. Many map the latter to a separate union type. Values of an enum stay in `anyOf`, because generators
 * take each value of an enum for a text, also `null`.
 */
export const withNullableTypes = <Value>(value: Value): Value =>
  mapObjects(value, (object) => {
    const { anyOf, ...outer } = object;
    if (!Array.isArray(anyOf)) return object;
    const [schema, other, ...more]: unknown[] = anyOf;
    if (!isSchema(schema) || typeof schema.type !== 'string' || schema.enum !== undefined) return object;
    if (!isSchema(other) || other.type !== 'null' || more.length > 0) return object;
    return { ...schema, ...outer, type: [schema.type, 'null'] };
  });

/** Text without a narrower rule. PostgreSQL stores no NUL, so that requests with one are 400. */
export const TEXT_PATTERN = String.raw`^[^\x00]*$`;

const RESTRICTING_KEYWORDS = ['format', 'pattern', 'enum', 'const'];

/** Adds the rule of all text to the schemas of text that have no other rule. */
export const withTextPatterns = <Value>(value: Value): Value =>
  mapObjects(value, (schema) => {
    const isText = [schema['type']].flat().includes('string');
    const isRestricted = RESTRICTING_KEYWORDS.some((keyword) => keyword in schema);
    return isText && !isRestricted ? { ...schema, pattern: TEXT_PATTERN } : schema;
  });

/** A header value: printable ASCII. */
export const textSchema = (maxLength: number): oas31.SchemaObject => ({
  type: 'string',
  pattern: '^[ -~]*$',
  maxLength,
});

/** Id of a request. The server replaces others. */
export const requestIdSchema: oas31.SchemaObject = {
  type: 'string',
  pattern: REQUEST_ID_PATTERN.source,
  maxLength: 128,
};

/** Returns the schema name of a request body: `NewTask` for `createTask`, `TaskChanges` for `updateTask`. */
export function bodyName(operationId: string): string {
  const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  if (verb === 'create') return `New${noun}`;
  if (verb === 'update') return `${noun}Changes`;
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${noun}`;
}

/** Makes a field optional, because a response may lack it. Changes the component if the schema refers to one. */
export function withOptionalField(
  schema: oas31.SchemaObject | oas31.ReferenceObject,
  field: string,
  schemas: oas31.SchemasObject,
): oas31.SchemaObject | oas31.ReferenceObject {
  if (!('$ref' in schema)) return withoutRequired(schema, field);
  const name = schema.$ref.split('/').at(-1) ?? '';
  schemas[name] = withoutRequired(schemas[name] ?? {}, field);
  return schema;
}

function withoutRequired({ required = [], ...schema }: oas31.SchemaObject, field: string): oas31.SchemaObject {
  const others = required.filter((name) => name !== field);
  return { ...schema, ...(others.length > 0 && { required: others }) };
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Keeps the components that operations reference, directly or through other components. */
export function usedComponents(paths: unknown, components: oas31.ComponentsObject): oas31.ComponentsObject {
  const used = new Set<string>();
  const visit = (value: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      const ofKind: unknown = Reflect.get(components, kind);
      visit(Reflect.get(Object(ofKind), name) ?? null);
    }
  };
  visit(paths);
  const usedOf = (kind: 'headers' | 'parameters' | 'schemas' | 'responses') =>
    Object.fromEntries(Object.entries(components[kind] ?? {}).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...components,
    headers: usedOf('headers'),
    parameters: usedOf('parameters'),
    schemas: usedOf('schemas'),
    responses: usedOf('responses'),
  };
}
