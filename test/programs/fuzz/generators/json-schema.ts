import * as fc from 'fast-check';
import { TEXT_PATTERN } from '../../../../server/openapi/schemas.ts';
import { ODD_OBJECTS } from './text-corpus.ts';

/** The keywords of JSON Schema that the document uses. */
export interface Schema {
  type?: 'string' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
  anyOf?: Schema[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
}

/** A copy of a schema with the schemas to which it refers, so that each part can be used alone. @param root document of the references */
export function withoutReferences(schema: unknown, root: object): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => withoutReferences(part, root));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return withoutReferences(findByPointer(root, String(schema.$ref)), root);
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, withoutReferences(part, root)]));
}

/** The part of a document at a pointer: "#/$defs/NewContact". @throws Error if there is none */
function findByPointer(root: object, pointer: string): unknown {
  const part = pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => Reflect.get(Object(value) as object, name), root);
  if (part === undefined) throw new Error(`${pointer}: the document has no such schema`);
  return part;
}

const dateArbitrary = fc.date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
const timestampArbitrary = fc
  .tuple(
    dateArbitrary,
    fc.constantFrom('Z', '+00:00', '-23:59', '+14:00', '+05:30'),
    fc.constantFrom('', '.1', '.123456', '.123456789'),
  )
  .map(([date, offset, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}${offset}`)
  // With an offset, timestamps at the bounds may lie outside the accepted years.
  .filter((text) => !/^(1900-01-01|2999-12-31)/.test(text));

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  date: dateArbitrary.map((date) => date.toISOString().slice(0, 10)),
  'date-time': timestampArbitrary,
  uuid: fc.uuid(),
};

/** Characters of one to four UTF-8 bytes, without HTML syntax and white space. */
const character = fc.constantFrom(...('abcXYZ019-_.,:;!?/\\\'"&%$#@()[]{}|~^`ßäéçñøЖ字の한😀'.match(/./gu) ?? []));

/** Text within the length bounds, in UTF-16 units; sometimes of the maximum length. */
function textArbitrary(min: number, maxLength: number): fc.Arbitrary<string> {
  const truncate = (text: string) =>
    text.length > maxLength ? text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '') : text;
  const short = fc.string({ unit: character, minLength: min, maxLength: Math.min(maxLength, 40) }).map(truncate);
  const longest = fc.constantFrom('x'.repeat(maxLength), '字'.repeat(maxLength));
  return maxLength > 1000 ? short : fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: longest });
}

/** Values that a schema accepts. */
export function validValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validValue));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { minimum = 0, maximum = 2_147_483_647, minLength = 0, maxLength = 200 } = schema;
  switch (schema.type) {
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      if (schema.pattern !== undefined && schema.pattern !== TEXT_PATTERN)
        return fc.stringMatching(new RegExp(schema.pattern), { maxLength });
      return FORMATS[schema.format ?? ''] ?? textArbitrary(minLength, maxLength);
    case 'array': {
      const { items = {}, maxItems = 10, minItems = 0 } = schema;
      return fc.array(validValue(items), { minLength: minItems, maxLength: Math.min(maxItems, 10) });
    }
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, validValue(field)]));
      return fc.record(fields, { requiredKeys: required });
    }
    case undefined:
    default:
      return fc.jsonValue();
  }
}

/** Values that a schema nearly accepts. Some of them are valid. */
export function nearlyValidValue(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 2_147_483_647, maxLength = 200, items, maxItems = 10 } = schema.anyOf?.[0] ?? schema;
  const type = schema.anyOf?.[0]?.type ?? schema.type;
  const others: Record<string, fc.Arbitrary<unknown>> = {
    integer: fc.oneof(
      fc.constantFrom(minimum - 1, maximum + 1, minimum + 0.5, -0, 2 ** 53, -(2 ** 31), 1e21),
      fc.integer({ min: minimum, max: Math.min(maximum, 99) }).map(String),
    ),
    string: fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '\t\n',
        '\u00a0',
        '\0',
        'a\0b',
        '\ud800',
        '2026-02-30',
        '0000-01-01',
        '9999-12-31',
        '2026-01-01T25:00:00Z',
      ),
      fc.constant('x'.repeat(maxLength + 1)),
      fc.integer(),
    ),
    boolean: fc.constantFrom('true', 'false', 0, 1, ''),
    array: fc.oneof(
      fc.constantFrom('', {}, { length: 0 }, null),
      fc.tuple(items === undefined ? fc.anything() : nearlyValidValue(items)),
      fc.constant(
        Array.from({ length: maxItems + 1 }, (_, index) => (items?.type === 'integer' ? index + 1 : `x${index}`)),
      ),
    ),
  };
  const wrong = fc.constantFrom<unknown>(null, [], {}, true, 0, 'NaN', [null], { $gt: 0 }, ...ODD_OBJECTS);
  return fc.oneof(wrong, others[type ?? ''] ?? fc.jsonValue());
}
