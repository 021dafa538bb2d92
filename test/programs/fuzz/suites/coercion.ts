import { schemaError } from '../../../support/openapi/conformance.ts';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import { ODD_OBJECTS } from '../generators/text-corpus.ts';
import { OPERATIONS, createFixture, findOperation } from './document.ts';
import type { OperationSpec, ExistingIds, TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import type { Schema } from '../generators/json-schema.ts';
import { PROCEDURES, findProcedure, procedureForRoute, trpcCall } from '../service/procedures.ts';
import type { Procedure } from '../service/procedures.ts';
import { operatorHeaders } from '../../../support/http/client.ts';
import { checkAll } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** JSON values. A field accepts few of them; these are left out for that field. */
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

/** Invalid numbers in a path or a query. */
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
  /** Transport and position of the value. */
  transport: 'REST' | 'tRPC' | 'query' | 'management';
  /** Operation of the document for `REST` and `query`, else the procedure. */
  name: string;
  field: string;
  /** JSON, or plain text for the transport `query`. */
  value: string;
}

/** Returns true if a schema accepts a JSON value. */
const accepts = (schema: Schema, literal: string) => schemaError(schema, JSON.parse(literal)) === undefined;

/** Text that the schema accepts and the service rejects, as JSON Schema cannot express the rule. */
const INVALID_UNICODE = /^"(\\u0000|a\\u0000b|\\ud800|\\udc00x)"$/;
const BLANK_TEXT = /^"(\s|\\t)*"$/;

/** Fields in which blanks count. Other text is trimmed, and is invalid if nothing remains. */
const isUntrimmed = (field: string) => ['externalId', 'clientSecret'].includes(field);

function invalidLiterals(schema: Schema, field = ''): string[] {
  const isText = schema.type === 'string' && schema.enum === undefined && schema.format === undefined;
  const invalid = JSON_LITERALS.filter((literal) =>
    isText
      ? INVALID_UNICODE.test(literal) ||
        (schema.minLength === 1 && BLANK_TEXT.test(literal) && !isUntrimmed(field)) ||
        !accepts(schema, literal)
      : !accepts(schema, literal),
  );
  const elements = schema.items === undefined ? [] : invalidLiterals(schema.items).map((literal) => `[${literal}]`);
  return [...invalid, ...elements];
}

/** Fields that accept any text, such as an id in a path or a search. Their rules are not in the JSON Schema. */
const isFreeText = (field: string, { type }: Schema) =>
  type === 'string' &&
  [
    'cursor',
    'q',
    'resourceId',
    'head',
    'move',
    'taskUniqueId',
    'vendor',
    'requirement',
    'comment',
    'evidence',
    'proof',
    'importUniqueId',
    'webhook',
    'uniqueId',
  ].includes(field);
const invalidValues = (field: string, schema: Schema) =>
  isFreeText(field, schema)
    ? JSON_LITERALS.filter((literal) => typeof JSON.parse(literal) !== 'string')
    : invalidLiterals(schema, field);

function procedureCases(transport: 'tRPC' | 'management', { name, fields }: Procedure): CoercionCase[] {
  return Object.entries(fields).flatMap(([field, schema]) =>
    invalidValues(field, schema).map((value) => ({ transport, name, field, value })),
  );
}

const operationCases = (operation: OperationSpec): CoercionCase[] => {
  const name = operation.id;
  const procedure = procedureForRoute(operation);
  const bodyCases = Object.entries(operation.body?.properties ?? {}).flatMap(([field, schema]) =>
    invalidLiterals(schema, field).map((value): CoercionCase => ({ transport: 'REST', name, field, value })),
  );
  const trpcCases = procedure === undefined ? [] : procedureCases('tRPC', procedure);
  const queryCases = operation.parameters
    .filter(({ schema }) => schema.type === 'integer')
    .flatMap(({ name: field, in: location }) =>
      TEXT_VALUES.filter((text) => location === 'query' || (text !== '' && !/^[1-9]\d+$/.test(text))).map(
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

const managementCases = PROCEDURES.filter(({ name }) => name.startsWith('management.')).flatMap((procedure) =>
  procedureCases('management', procedure),
);

const CASES = [...OPERATIONS.flatMap(operationCases), ...managementCases];

/** Values of the required fields. */
const requiredFields = (fields: readonly string[], existing: ExistingIds) =>
  Object.fromEntries(fields.map((name) => [name, Reflect.get(existing, name) ?? 'x']));

/** Returns JSON of an object in which one field has the literal. */
function withLiteral(object: Record<string, unknown>, field: string, literal: string): string {
  const { [field]: _, ...others } = object;
  return [JSON.stringify(others).slice(0, -1), `${JSON.stringify(field)}:${literal}}`].join(
    Object.keys(others).length > 0 ? ',' : '',
  );
}

function toRequest({ transport, name, field, value }: CoercionCase, { existing, company }: TestFixture): HttpRequest {
  if (transport === 'tRPC' || transport === 'management') {
    const request = trpcRequest(findProcedure(name), field, value, existing);
    return transport === 'tRPC' ? request : { ...request, headers: operatorHeaders(company.id) };
  }
  const operation = findOperation(name);
  const { method, template, body } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    transport === 'query' && parameter === field ? encodeURIComponent(value) : String(Reflect.get(existing, parameter)),
  );
  switch (transport) {
    case 'query': {
      const isInPath = template.includes(`{${field}}`);
      const limit = field === 'limit' ? '' : '&limit=1';
      const pathAndQuery = isInPath
        ? path
        : `${path}?${field}=${encodeURIComponent(value)}${method === 'GET' && name === 'listTasks' ? limit : ''}`;
      return { method, path: pathAndQuery, ...(body && { body: requiredFields(body.required ?? [], existing) }) };
    }
    case 'REST':
    default:
      return { method, path, body: withLiteral(requiredFields(body?.required ?? [], existing), field, value) };
  }
}

const trpcRequest = (procedure: Procedure, field: string, value: string, existing: ExistingIds): HttpRequest =>
  trpcCall(procedure, withLiteral(requiredFields(procedure.required, existing), field, value));

/** Returns the error message of a REST or tRPC response; of a batch, the message of its first call. */
export function errorMessage({ body }: HttpResponse): string {
  const { error } = Object(Array.isArray(body) ? body[0] : body) as { error?: string | { message?: string } };
  return typeof error === 'string' ? error : (error?.message ?? '');
}

/** Sends every invalid value in every field, over REST and tRPC. Each response must be 400 and name the field. */
export const coercionSuite: Suite = {
  name: 'coercion',
  timeShare: 2,
  async run(service, budget) {
    const fixture = await createFixture(service);
    const { company, oracle } = fixture;
    const caseCount = await checkAll(
      CASES,
      async (testCase) => {
        const request = toRequest(testCase, fixture);
        const caller = { company, key: testCase.transport === 'management' ? undefined : company.keys.full };
        const response = await oracle.sendAndCheck(request, caller);
        const namesField = errorMessage(response)
          .split('; ')
          .some((line) => new RegExp(`^${testCase.field}\\b`).test(line));
        if (response.status !== 400 || !namesField)
          throw new Finding(
            'unexpected response',
            `${response.status} ${response.text} to ${request.method} ${request.path} ${String(request.body)}`,
          );
      },
      budget,
    );
    oracle.release();
    return caseCount;
  },
};
