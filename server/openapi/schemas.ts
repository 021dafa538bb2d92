import type { oas31 } from 'zod-openapi';

const isSchema = (given: unknown): given is oas31.SchemaObject =>
  typeof given === 'object' && given !== null && !('$ref' in given);

/**
 * A schema whose nullable fields are `type: [T, 'null']` (JSON Schema 2020-12). Code generators take that for an optional
 * value, and many take `anyOf` with `null` for a union of their own.
 */
export function withNullableTypes<Given>(given: Given): Given;
export function withNullableTypes(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withNullableTypes);
  if (typeof given !== 'object' || given === null) return given;
  const all = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withNullableTypes(value)]));
  const { anyOf, ...outer } = all;
  if (!Array.isArray(anyOf)) return all;
  const [schema, other, ...more]: unknown[] = anyOf;
  if (!isSchema(schema) || typeof schema.type !== 'string') return all;
  if (!isSchema(other) || other.type !== 'null' || more.length > 0) return all;
  return {
    ...schema,
    ...outer,
    type: [schema.type, 'null'],
    ...(schema.enum !== undefined && { enum: [...schema.enum, null] }),
  };
}

/** Name of the schema of a request body: `NewTask` for `createTask`, `TaskChanges` for `updateTask`. */
export function bodyName(operationId: string): string {
  const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  if (verb === 'create') return `New${noun}`;
  if (verb === 'update') return `${noun}Changes`;
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${noun}`;
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** The components that operations refer to, directly or through other components. */
export function usedComponents(paths: unknown, components: oas31.ComponentsObject): oas31.ComponentsObject {
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      const ofKind: unknown = Reflect.get(components, kind);
      visit(Reflect.get(Object(ofKind), name) ?? null);
    }
  };
  visit(paths);
  const kept = (kind: 'headers' | 'parameters' | 'schemas' | 'responses') =>
    Object.fromEntries(Object.entries(components[kind] ?? {}).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...components,
    headers: kept('headers'),
    parameters: kept('parameters'),
    schemas: kept('schemas'),
    responses: kept('responses'),
  };
}
