import { schemaError } from '../../support/openapi/conformance.ts';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import { ODD_OBJECTS } from '../generators/text-corpus.ts';
import { OPERATIONS, createFixture } from './document.ts';
import type { OperationSpec, ExistingIds, TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import type { Schema } from '../generators/json-schema.ts';
import { PROCEDURES, trpcCall, procedureForRoute } from '../service/procedures.ts';
import type { Procedure } from '../service/procedures.ts';
import { OPERATOR_TOKEN } from '../service/service.ts';
import { checkAll } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Values as JSON writes them; a field takes few of them, and those are left out for it. */
const JSON_LITERALS = [
  '"3"',
  '"1"',
  '"0"',
  '"-1"',
  '"1.0"',
  '" 1"',
  '"1 "',
  '"1e0"',
  '"0x1"',
  '"٣"',
  '"NaN"',
  '"Infinity"',
  '"-Infinity"',

  '"true"',
  '"false"',
  '"TRUE"',
  '"yes"',
  '"on"',
  '"null"',
  '"undefined"',
  '"[]"',
  '"{}"',
  '"2026-1-1"',
  '"1.1.2026"',

  'true',
  'false',
  'null',
  '[]',
  '{}',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\t"',

  '1.5',
  '0.1',
  '1e400',
  '-1e400',
  '-0',
  '0',
  '-1',
  '1e-400',
  '1e21',
  '2147483648',
  '9007199254740993',
  '-2147483649',

  '99999999999999999999999',
  '3.0000000000000004',
  '[3]',
  '["3"]',
  '[null]',
  '[[]]',
  '[true]',
  '[{}]',
  '["a",1]',

  '{"valueOf":3}',
  '{"toString":"3"}',
  '{"$gt":0}',
  '{"length":1}',
  '{"0":"a"}',
  '{"__proto__":null}',
  '"[object Object]"',

  '"2026-02-29"',
  '"0000-00-00"',
  '"2026-02-27T00:00:00Z"',
  '"9999-99-99T99:99:99Z"',
  '1796688000',
  '"1796688000"',
  '"epoch"',

  ...ODD_OBJECTS.map((odd) => JSON.stringify(odd)),
];

/** The same in a path or a query, where all is text. */
const TEXT_VALUES = [
  '',
  ' ',
  '+',
  '-0',
  '+1',
  '-1',
  '01',
  '1.0',
  '1.5',
  '1e0',
  '0x1',
  '1_0',
  '1,0',
  '٣',
  '１',
  'NaN',
  'Infinity',
  'null',
  'true',
  'undefined',
  '[1]',
  '{}',
  '1\0',
  '%00',
  '"1"',
  "1' or '1'='1",
  '2147483648',
  '99999999999999999999',
  '1'.repeat(300),
];

interface CoercionCase {
  /** How it is asked, with the value in its place. */
  transport: 'REST' | 'tRPC' | 'query' | 'management';
  name: string;
  field: string;
  /** In JSON, or on the road `query` as text. */
  value: string;
}

/** Whether a field takes a value; an element of it where it is one of an array's. */
const accepts = (schema: Schema, literal: string) => schemaError(schema, JSON.parse(literal)) === undefined;

/** Text that is taken by the schema and refused for what JSON Schema cannot say. */
const INVALID_UNICODE = /^"(\\u0000|a\\u0000b|\\ud800|\\udc00x)"$/;
const BLANK_TEXT = /^"(\s|\\t)*"$/;

function invalidLiterals(schema: Schema): string[] {
  const isText = schema.type === 'string' && schema.enum === undefined && schema.format === undefined;
  const wrong = JSON_LITERALS.filter((literal) =>
    isText
      ? INVALID_UNICODE.test(literal) ||
        (schema.minLength === 1 && BLANK_TEXT.test(literal)) ||
        !accepts(schema, literal)
      : !accepts(schema, literal),
  );
  const elements = schema.items === undefined ? [] : invalidLiterals(schema.items).map((literal) => `[${literal}]`);
  return [...wrong, ...elements];
}

/** An id in a path, or a search, is any text. What JSON Schema does not know of, this does not. */
const isFreeText = (field: string) =>
  ['taskUniqueId', 'vendor', 'uniqueId', 'cursor', 'q', 'resourceId', 'head'].includes(field);
const invalidValues = (field: string, schema: Schema) =>
  isFreeText(field)
    ? JSON_LITERALS.filter((literal) => typeof JSON.parse(literal) !== 'string')
    : invalidLiterals(schema);

const operationCases = (operation: OperationSpec): CoercionCase[] => {
  const name = operation.id;
  const procedure = procedureForRoute(operation);
  const bodyCases = Object.entries(operation.body?.properties ?? {}).flatMap(([field, schema]) =>
    invalidLiterals(schema).map((value): CoercionCase => ({ transport: 'REST', name, field, value })),
  );
  const trpcCases = Object.entries(procedure.fields).flatMap(([field, schema]) =>
    invalidValues(field, schema).map((value): CoercionCase => ({ transport: 'tRPC', name, field, value })),
  );
  const queryCases = operation.parameters
    .filter(({ schema }) => schema.type === 'integer')
    .flatMap(({ name: field, in: place }) =>
      TEXT_VALUES.filter((text) => place === 'query' || (text !== '' && !/^[1-9]\d+$/.test(text))).map(
        (value): CoercionCase => ({
          transport: 'query',
          name,
          field,
          value,
        }),
      ),
    );
  return [...bodyCases, ...trpcCases, ...queryCases];
};

const managementCases = PROCEDURES.filter(({ name }) => name.startsWith('management.')).flatMap(({ name, fields }) =>
  Object.entries(fields).flatMap(([field, schema]) =>
    invalidValues(field, schema).map((value): CoercionCase => ({ transport: 'management', name, field, value })),
  ),
);

const CASES = [...OPERATIONS.flatMap(operationCases), ...managementCases];

/** The least that an operation takes besides. */
const requiredFields = (fields: readonly string[], known: ExistingIds) =>
  Object.fromEntries(fields.map((name) => [name, Reflect.get(known, name) ?? 'x']));

/** JSON of an object with one field given as text. */
function withLiteral(object: Record<string, unknown>, field: string, literal: string): string {
  const { [field]: _, ...others } = object;
  return [JSON.stringify(others).slice(0, -1), `${JSON.stringify(field)}:${literal}}`].join(
    Object.keys(others).length > 0 ? ',' : '',
  );
}

function toRequest(
  { transport: road, name, field, value }: CoercionCase,
  { existing: known, company }: TestFixture,
): HttpRequest {
  if (road === 'management') {
    const procedure = findOrThrow(PROCEDURES, (one) => one.name === name);
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    return { ...trpcRequest(procedure, field, value, known), headers };
  }
  const operation = findOrThrow(OPERATIONS, ({ id }) => id === name);
  const { method, template, body } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    road === 'query' && parameter === field ? encodeURIComponent(value) : String(Reflect.get(known, parameter)),
  );
  switch (road) {
    case 'tRPC':
      return trpcRequest(procedureForRoute(operation), field, value, known);
    case 'query': {
      const isInPath = template.includes(`{${field}}`);
      const needed = field === 'limit' ? '' : '&limit=1';
      const asked = isInPath
        ? path
        : `${path}?${field}=${encodeURIComponent(value)}${method === 'GET' && name === 'listTasks' ? needed : ''}`;
      return { method, path: asked, ...(body && { body: requiredFields(body.required ?? [], known) }) };
    }
    case 'REST':
    default:
      return { method, path, body: withLiteral(requiredFields(body?.required ?? [], known), field, value) };
  }
}

const trpcRequest = (procedure: Procedure, field: string, value: string, known: ExistingIds): HttpRequest =>
  trpcCall(procedure, withLiteral(requiredFields(procedure.required, known), field, value));

function findOrThrow<T>(all: readonly T[], is: (one: T) => boolean): T {
  const found = all.find(is);
  if (found === undefined) throw new Error('nothing of that name');
  return found;
}

/** The message of a refusal, on either road; of a batch, that of its first call. */
export function errorMessage({ body }: HttpResponse): string {
  const { error } = Object(Array.isArray(body) ? body[0] : body) as { error?: string | { message?: string } };
  return typeof error === 'string' ? error : (error?.message ?? '');
}

/** Every field of every operation with every wrong value, over REST and over tRPC: 400 that names the field, and nothing else. */
export const coercionSuite: Suite = {
  name: 'coercion',
  timeShare: 2,
  async run(service, budget) {
    const setting = await createFixture(service);
    const { company, oracle } = setting;
    const tried = await checkAll(
      CASES,
      async (cell) => {
        const asked = toRequest(cell, setting);
        const by = { company, key: cell.transport === 'management' ? undefined : company.keys.full };
        const answer = await oracle.sendAndCheck(asked, by);
        const isNamed = errorMessage(answer)
          .split('; ')
          .some((line) => new RegExp(`^${cell.field}\\b`).test(line));
        if (answer.status !== 400 || !isNamed)
          throw new Finding(
            'unexpected response',
            `${answer.status} ${answer.text} to ${asked.method} ${asked.path} ${String(asked.body)}`,
          );
      },
      budget,
    );
    oracle.release();
    return tried;
  },
};
