import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { TASK_STATUSES } from '../../entities/task/task.ts';
import { VENDOR_STATUSES } from '../../entities/vendor/vendor.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { serviceRouter } from '../../procedures/index.ts';
import { routes } from '../support/fixtures/objects.ts';
import { createCompany } from '../support/tenants/company.ts';
import { schemaError, assertConforms, openApi as document } from '../support/openapi/conformance.ts';
import type { Operation } from '../support/openapi/conformance.ts';
import { http } from '../support/http/server.ts';

const acme = await createCompany();

const VENDOR_PATH = '/external/smart-inventory/vendor';
const TASK_PATH = '/external/task';
describe('the document', () => {
  test('is OpenAPI 3.1 with exactly the REST operations, under their names', () => {
    expect(document.openapi).toBe('3.1.0');
    const named = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, { operationId }]) => `${operationId}: ${verb.toUpperCase()} ${path}`),
    );
    const expected = routes.map(({ procedure, method, template }) => {
      const { operations = [], openapi = operations.map((one) => one.openapi).find(({ path }) => path === template) } =
        definitionOf(serviceRouter, procedure).meta;
      return `${String(openapi?.['operationId'])}: ${method} ${template}`;
    });
    expect(named.toSorted()).toEqual(expected.toSorted());
  });

  test('requires X-API-Key or a bearer token for every operation', () => {
    expect(document.components.securitySchemes).toEqual({
      ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: expect.any(String) },
      Bearer: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const operation of operations()) expect(operation.security).toEqual([{ ApiKey: [] }, { Bearer: [] }]);
  });

  test('has required path parameters, with an integer framework', () => {
    const parameters = operations().flatMap(parametersOf);
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.length).toBeGreaterThanOrEqual(10);
    for (const parameter of inPath) {
      const type = parameter.name === 'framework' ? 'integer' : 'string';
      expect(parameter).toMatchObject({ in: 'path', required: true, schema: { type } });
    }
  });

  test('names no path or query parameter like a reserved word, which a generated client would declare', () => {
    const names = operations()
      .flatMap(parametersOf)
      .flatMap((parameter) => (parameter.in === 'header' ? [] : [parameter.name]));
    expect(names).toContain('importUniqueId');
    for (const name of names) expect(() => new Script(`'use strict'; const ${name} = 1;`)).not.toThrow();
  });

  test('has no null in an enum, and no maxLength of a file in a request, which generated clients cannot compile', () => {
    const enums = schemasOf(document).flatMap(([place, schema]) =>
      Array.isArray(schema['enum']) ? [{ place, values: schema['enum'] as unknown[] }] : [],
    );
    expect(enums.length).toBeGreaterThan(50);
    expect(enums.filter(({ values }) => values.includes(null))).toEqual([]);
    const bodies = JSON.stringify(operations().map(({ requestBody }) => requestBody));
    expect(bodies).toContain('"format":"binary"');
    expect(bodies).not.toMatch(/"format":"binary"[^}]*maxLength/);
  });

  test('takes and sends files of every media type', () => {
    const contents = operations().flatMap(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) =>
        body !== undefined && 'content' in body && JSON.stringify(body.content).includes('"binary"')
          ? [body.content]
          : [],
      ),
    );
    expect(contents).toHaveLength(7);
    for (const content of contents)
      expect(content).toEqual({
        'application/octet-stream': {
          schema: expect.objectContaining({ type: 'string', format: 'binary' }),
          example: expect.any(String),
        },
        '*/*': { schema: expect.objectContaining({ description: expect.any(String) }), example: expect.any(String) },
      });
  });

  test('has each list of values in a query as an array that is written as text with commas', () => {
    const inQuery = operations()
      .flatMap(parametersOf)
      .filter((parameter) => parameter.in === 'query');
    const typeOf = ({ schema }: { schema: object }): unknown => Reflect.get(schema, 'type');
    const lists = inQuery.filter((parameter) => typeOf(parameter) === 'array');
    expect(lists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['type', 'framework', 'status', 'priority', 'assignee', 'criticality', 'owner']),
    );
    for (const list of lists) expect(list).toMatchObject({ style: 'form', explode: false, example: expect.any(Array) });
    const others = inQuery.filter((parameter) => typeOf(parameter) !== 'array');
    expect(JSON.stringify(others)).not.toMatch(/separated by commas|\(\?:,/);
  });

  test('has optional query parameters, with their types and bounds', () => {
    const inQuery = (path: string) => {
      const operation = document.paths[path]?.['get'];
      const parameters = operation === undefined ? [] : parametersOf(operation);
      expect(parameters.filter((parameter) => parameter.in === 'query' && parameter.required)).toEqual([]);
      return Object.fromEntries(
        parameters.filter((parameter) => parameter.in === 'query').map((parameter) => [parameter.name, parameter]),
      );
    };
    const page = {
      limit: { schema: { type: 'integer', minimum: 1, maximum: 100 } },
      cursor: { schema: { type: 'string' } },
    };
    expect(inQuery('/external/audit/list')).toMatchObject({
      ...page,
      resourceType: { schema: { enum: expect.arrayContaining(['task', 'apiKey']) } },
      resourceId: { schema: { type: 'string' } },
      actor: { schema: { type: 'string' } },
      action: { schema: { enum: expect.arrayContaining(['task.update', 'apiKey.revoke']) } },
      since: { schema: { type: 'string', format: 'date-time' } },
      until: { schema: { type: 'string', format: 'date-time' } },
    });
    expect(inQuery(`${TASK_PATH}/framework/{framework}/list`)).toMatchObject({
      ...page,
      status: { schema: { type: 'array', items: { type: 'string', enum: ['open', ...TASK_STATUSES] } } },
      priority: { schema: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 4 } } },
      sort: { schema: { enum: expect.arrayContaining(['dueDate', '-updatedAt']), default: '-createdAt' } },
      label: { schema: { type: 'string', minLength: 1, maxLength: 50 } },
      departmentId: { schema: { type: 'integer', minimum: 1 } },
      dueBefore: { schema: { type: 'string', format: 'date' } },
      dueAfter: { schema: { type: 'string', format: 'date' } },
      updatedSince: { schema: { type: 'string', format: 'date-time' } },
      q: { schema: { type: 'string', minLength: 1, maxLength: 255 } },
    });
    expect(inQuery(`${VENDOR_PATH}/list`)).toMatchObject({
      limit: { schema: { type: 'integer', minimum: 1, maximum: 500 } },
      cursor: { schema: { type: 'string' } },
      status: { schema: { enum: [...VENDOR_STATUSES] } },
      view: { schema: { enum: ['full'] } },
      updatedSince: { schema: { type: 'string', format: 'date-time' } },
      q: { schema: { type: 'string', minLength: 1, maxLength: 255 } },
    });
    for (const path of [`${TASK_PATH}/{taskUniqueId}`, `${VENDOR_PATH}/{vendor}`]) {
      expect(inQuery(`${path}/history`)).toMatchObject(page);
      expect(inQuery(`${path}/item`)).toMatchObject({ asOf: { schema: { format: 'date-time' } } });
    }
  });

  test('lists 403 for every operation, and NDJSON for the audit log', () => {
    for (const operation of operations()) expect(operation.responses).toHaveProperty('403');
    const response = document.paths['/external/audit/list']?.['get']?.responses['200'];
    expect(Object.keys(Reflect.get(response ?? {}, 'content') as object)).toEqual([
      'application/json',
      'application/x-ndjson',
      'text/csv',
    ]);
  });

  test('gives every error the same JSON body, and problem details', () => {
    for (const response of Object.values(document.components.responses)) {
      expect(response.content).toEqual({
        'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: expect.any(Object) },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples: expect.any(Object) },
      });
    }
    expect(document.components.schemas['Error']).toMatchObject({ required: ['error'], additionalProperties: false });
  });

  test('gives each operation documented tags', () => {
    const tagNames = document.tags.map(({ name }) => name);
    for (const { tags } of operations()) expect(tagNames).toEqual(expect.arrayContaining(tags));
  });

  test('has a description for every component, and for every property of every schema', () => {
    const { schemas, parameters, headers } = document.components;
    const components = Object.entries({ ...schemas, ...parameters, ...headers });
    const properties = schemasOf(document).flatMap(([place, schema]) =>
      place.endsWith('/properties')
        ? Object.entries(schema).map(([name, property]) => [`${place}/${name}`, property] as const)
        : [],
    );
    expect(properties.length).toBeGreaterThan(1000);
    const undescribed = [...components, ...properties].filter(
      ([, described]) => !/\w.{4}/.test(String(Reflect.get(Object(described), 'description') ?? '')),
    );
    expect(undescribed).toEqual([]);
  });

  test('has a description and an example for every parameter', () => {
    for (const parameter of operations().flatMap(parametersOf)) {
      expect(parameter).toMatchObject({ description: expect.stringMatching(/./) });
      expect(parameter).toHaveProperty('example');
    }
  });

  test('has an example for every request body and response body', () => {
    for (const { requestBody, responses } of operations()) {
      for (const { content } of [requestBody ?? {}, ...Object.values(responses)] as { content?: object }[]) {
        for (const mediaType of Object.values(content ?? {}) as object[]) {
          expect(Object.keys(mediaType)).toContainEqual(expect.stringMatching(/^examples?$/));
        }
      }
    }
    for (const { content } of Object.values(document.components.responses)) {
      expect(Object.keys(content?.['application/json']?.examples ?? {})).not.toEqual([]);
    }
  });

  test('is served at /openapi.json, and names APP_URL as the server, whatever Host a client sends', async () => {
    const { body, headers } = await http('GET', '/openapi.json', { headers: { Host: 'evil.example' } });
    expect(body).toEqual({ ...document, servers: [expect.objectContaining({ url: 'http://localhost' })] });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  const parametersOf = ({ parameters = [] }: Operation) =>
    parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
  const operations = () => Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
});

/** Every schema of the document, with its place. */
function schemasOf(value: unknown, place = ''): [place: string, schema: Record<string, unknown>][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => schemasOf(item, `${place}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, inner]) =>
    name === 'example' || name === 'examples' ? [] : schemasOf(inner, `${place}/${name}`),
  );
  return [[place, { ...value }], ...inside];
}

describe('the server accepts exactly the request bodies that the schema allows:', () => {
  const bodies = [
    { title: 'x' },
    {
      title: 'x',
      priority: 1,
      labels: ['a'],
      startDate: null,
      dueDate: '2026-01-01',
      departmentId: null,
      gaps: [],
      description: '',
    },
    {},
    { title: '' },
    { title: 'x', priority: '1' },
    { title: 'x', priority: 5 },
    { title: 'x', priority: null },
    { title: 'x', labels: [1] },
    { title: 'x', labels: Array.from({ length: 21 }, (_, index) => String(index)) },
    { title: 'x', colour: 'red' },
    { title: 'x', departmentId: 0 },
    { title: 'x', status: 'todo' },
  ];
  test.for(bodies)('%o', async (body) => {
    const template = `${TASK_PATH}/framework/{framework}/new`;
    const schema = document.paths[template]?.['post']?.requestBody?.content['application/json']?.schema ?? {};
    const path = template.replace('{framework}', String(acme.framework));
    const { status } = await http('POST', path, { key: acme.key, body });
    expect({ accepted: schemaError(schema, body) === undefined }).toEqual({ accepted: status === 201 });
  });
});

describe('the conformance check rejects', () => {
  const path = `${VENDOR_PATH}/list`;
  const always = { 'x-request-id': 'a', 'content-type': 'application/json; charset=utf-8' };
  const headers = { ...always, 'x-total-count': '0' };
  const valid = { status: 200, headers, text: '[]' };
  test('no documented response', () => {
    expect(() => assertConforms('GET', path, valid)).not.toThrow();
  });
  test.for([
    ['an undocumented status', { ...valid, status: 202 }, 'undocumented status'],
    ['a missing header', { ...valid, headers: { 'content-type': 'application/json' } }, 'X-Request-Id: required'],
    ['an undocumented header', { ...valid, headers: { ...headers, 'x-new': '1' } }, 'x-new: undocumented header'],
    [
      'an undocumented content type',
      { ...valid, headers: { ...headers, 'content-type': 'text/plain' } },
      'content type text/plain',
    ],
    ['a missing field', { ...valid, text: '[{"name":"x","status":"active"}]' }, 'uniqueId'],
    [
      'an undocumented field',
      { ...valid, text: '[{"uniqueId":"019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071","name":"x","status":"active","size":1}]' },
      'additional properties',
    ],
    [
      'an undocumented error code',
      { status: 400, headers: { ...always, 'x-error-code': 'conflict' }, text: '{"error":"x"}' },
      'no example for conflict',
    ],
  ] as const)('%s', ([, response, message]) => {
    expect(() => assertConforms('GET', path, response)).toThrow(message);
  });
});
