import { openApiDocument } from '../openapi/document.ts';
import { markdownTable } from './markdown-table.ts';

const FIELD_TABLE = /<!-- fields: (\w+) -->\n[^]*?<!-- \/fields -->/g;
const MAX_INT32 = 2_147_483_647;

export type Schemas = NonNullable<NonNullable<ReturnType<typeof openApiDocument>['components']>['schemas']>;
type Field = Schemas[string];
type Schema = Exclude<Field, { $ref: string }>;

/**
 * Writes a table between each `<!-- fields: Name -->` and `<!-- /fields -->`: the fields of that component schema.
 * The schemas derive from Zod, so the page cannot differ from the validation.
 */
export function withFieldTables(page: string): string {
  const schemas = openApiDocument().components?.schemas ?? {};
  return page.replaceAll(
    FIELD_TABLE,
    (_, name: string) => `<!-- fields: ${name} -->\n\n${fieldTable(schemas[name], schemas)}\n\n<!-- /fields -->`,
  );
}

/** The table of the fields of a schema. */
export function fieldTable(schema: Field | undefined, schemas: Schemas): string {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  const rows = Object.entries(properties).map(([field, own]) => {
    const resolved = resolve(own, schemas);
    return {
      field: `\`${field}\``,
      type: typeName(own, schemas),
      presence: presence(resolved, required.includes(field)),
      bounds: bounds(resolved, schemas),
      description: own.description ?? resolved.description ?? '',
    };
  });
  const columns = (['field', 'type', 'presence', 'bounds', 'description'] as const).filter(
    (column) =>
      column === 'field' ||
      new Set(rows.map((row) => row[column])).size > 1 ||
      (rows.length === 1 && rows[0]?.[column] !== ''),
  );
  return markdownTable([columns, ...rows.map((row) => columns.map((column) => row[column]))]);
}

function resolve(schema: Field | undefined, schemas: Schemas): Schema {
  if (schema === undefined) throw new Error('A field table names an unknown schema.');
  return '$ref' in schema ? resolve(schemas[refName(schema.$ref)], schemas) : schema;
}

const refName = (ref: string) => ref.split('/').at(-1) ?? '';

const FORMATS: Record<string, string> = { uuid: 'UUID', date: 'date', 'date-time': 'timestamp' };

function typeName(schema: Field, schemas: Schemas): string {
  if ('$ref' in schema) return refName(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeName(one, schemas)).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const types = [schema.type ?? 'any'].flat().map((type) => {
    if (type === 'array') return `${itemType(schema, schemas)}[]`;
    return type === 'string' ? (FORMATS[schema.format ?? ''] ?? type) : type;
  });
  return types.join(' or ');
}

const itemType = ({ items }: Schema, schemas: Schemas) =>
  items === undefined ? 'any' : '$ref' in items || items.enum === undefined ? typeName(items, schemas) : 'string';

function presence(schema: Schema, isRequired: boolean): string {
  if (schema.default !== undefined) return `default \`${JSON.stringify(schema.default)}\``;
  return isRequired ? 'required' : 'optional';
}

function bounds(schema: Schema, schemas: Schemas): string {
  const { minimum, maximum, minLength, maxLength, maxItems, items, format = '' } = schema;
  if (maxItems !== undefined) {
    const itemBounds = items === undefined ? '' : bounds(resolve(items, schemas), schemas);
    return [`at most ${maxItems} items`, ...(itemBounds === '' ? [] : [`each ${itemBounds}`])].join(', ');
  }
  if (minimum !== undefined) return maximum === MAX_INT32 ? `${minimum} or more` : range(minimum, maximum);
  if (maxLength === undefined || format in FORMATS) return '';
  return `${minLength === undefined ? `at most ${count(maxLength)}` : range(minLength, maxLength)} characters`;
}

const count = (value: number) => value.toLocaleString('en');
const range = (from: number, to: number | undefined) => `${count(from)}–${count(to ?? Infinity)}`;
