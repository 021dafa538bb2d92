import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { http } from './support/server.ts';
import type { Answer } from './support/server.ts';

interface Response {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}
interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, Response | { $ref: string }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object; schemas: Record<string, object>; responses: Record<string, Response> };
}

let acme: TestCompany;
let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  acme = await company();
  document = (await http('GET', '/openapi.json')).body as Document;
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
});

/** A schema of the document, with its references to the document's components. */
function holds(schema: object, value: unknown): boolean {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
  return ajv.validate(absolute, value);
}

/** Drives one operation and holds its answer against what the document says of it. */
async function drive(
  method: string,
  template: string,
  given: { id?: string | number; body?: unknown; key?: string } = {},
): Promise<Answer> {
  const operation = document.paths[template.split('?')[0] ?? '']?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${template} is not in the document`);
  const path = template.replace(/\{\w+\}/, String(given.id));
  const answer = await http(method, path, { key: given.key ?? acme.key, body: given.body });
  const listed = operation.responses[answer.status];
  if (listed === undefined)
    throw new Error(`${method} ${template} gave ${answer.status}, which is not in the document`);
  const response = '$ref' in listed ? document.components.responses[listed.$ref.split('/').at(-1) ?? ''] : listed;
  for (const header of Object.keys(response?.headers ?? {}))
    expect(answer.headers).toHaveProperty(header.toLowerCase());
  const schema = response?.content?.['application/json']?.schema;
  if (schema === undefined) expect(answer.text).toBe('');
  else expect({ body: answer.body, valid: holds(schema, answer.body) }).toEqual({ body: answer.body, valid: true });
  return answer;
}

const VENDOR = '/external/smart-inventory/vendor';
const TASK = '/external/task';
const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const idOf = (answer: Answer) => String(Reflect.get(Object(answer.body), 'uniqueId'));

describe('the document', () => {
  test('is OpenAPI 3.1 with exactly the paths of the contract', () => {
    expect(document.openapi).toBe('3.1.0');
    const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      [
        'get /external/api-key/whoami',
        `delete ${VENDOR}/{vendor}/delete`,
        `delete ${TASK}/{taskUniqueId}/delete`,
        `get /external/audit/list`,
        `get ${VENDOR}/list`,
        `get ${VENDOR}/{vendor}/history`,
        `get ${VENDOR}/{vendor}/item`,
        `get ${TASK}/framework/{framework}/list`,
        `get ${TASK}/{taskUniqueId}/history`,
        `get ${TASK}/{taskUniqueId}/item`,
        `patch ${VENDOR}/{vendor}/edit`,
        `patch ${TASK}/{taskUniqueId}/edit`,
        `post ${VENDOR}/new`,
        `post ${TASK}/framework/{framework}/new`,
      ].toSorted(),
    );
  });

  test('asks for the key in X-API-Key, everywhere', () => {
    expect(document.components.securitySchemes).toEqual({
      ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
    for (const operation of operations()) expect(operation.security).toEqual([{ ApiKey: [] }]);
  });

  test('has path parameters that are required, the framework an integer', () => {
    const parameters = operations().flatMap((operation) => operation.parameters ?? []);
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath).toHaveLength(10);
    for (const parameter of inPath) {
      const type = parameter.name === 'framework' ? 'integer' : 'string';
      expect(parameter).toMatchObject({ in: 'path', required: true, schema: { type } });
    }
  });

  test('has query parameters that may be left out, with their types and bounds', () => {
    const inQuery = (path: string) => {
      const parameters = document.paths[path]?.['get']?.parameters ?? [];
      expect(parameters.filter((parameter) => parameter.in === 'query' && parameter.required)).toEqual([]);
      return Object.fromEntries(
        parameters.filter((parameter) => parameter.in === 'query').map((given) => [given.name, given]),
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
    for (const path of [`${TASK}/{taskUniqueId}`, `${VENDOR}/{vendor}`]) {
      expect(inQuery(`${path}/history`)).toMatchObject(page);
      expect(inQuery(`${path}/item`)).toMatchObject({ asOf: { schema: { format: 'date-time' } } });
    }
  });

  test('says that a key may lack the right, and that the trail comes as lines too', () => {
    for (const operation of operations()) expect(operation.responses).toHaveProperty('403');
    const given = document.paths['/external/audit/list']?.['get']?.responses['200'];
    expect(Object.keys((given as Response).content ?? {})).toEqual(['application/json', 'application/x-ndjson']);
  });

  test('gives every error the one body', () => {
    for (const response of Object.values(document.components.responses)) {
      expect(response.content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Error' } } });
    }
    expect(document.components.schemas['Error']).toMatchObject({ required: ['error'], additionalProperties: false });
  });

  const operations = () => Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
});

describe('what the document says of success and of failure is what the server does, for', () => {
  test('vendors', async () => {
    expect((await drive('GET', `${VENDOR}/list`)).status).toBe(200);
    const created = await drive('POST', `${VENDOR}/new`, { body: { name: 'Cloud Ltd' } });
    expect(created.status).toBe(201);
    const id = idOf(created);
    expect((await drive('GET', `${VENDOR}/{vendor}/item`, { id })).status).toBe(200);
    expect((await drive('PATCH', `${VENDOR}/{vendor}/edit`, { id, body: { active: false } })).status).toBe(204);
    expect((await drive('PATCH', `${VENDOR}/{vendor}/edit`, { id, body: { active: 'no' } })).status).toBe(400);
    expect((await drive('DELETE', `${VENDOR}/{vendor}/delete`, { id })).status).toBe(204);
    expect((await drive('DELETE', `${VENDOR}/{vendor}/delete`, { id })).status).toBe(404);
    expect((await drive('GET', `${VENDOR}/list`, { key: 'nonsense' })).status).toBe(401);
    expect((await drive('POST', `${VENDOR}/new`, { body: Buffer.from('{') })).status).toBe(400);
    expect(
      (await drive('POST', `${VENDOR}/new`, { body: { name: 'x', description: 'x'.repeat(300_000) } })).status,
    ).toBe(413);
    expect((await drive('POST', `${VENDOR}/new`)).status).toBe(415);
  });

  test('tasks', async () => {
    const framework = acme.framework;
    const created = await drive('POST', `${TASK}/framework/{framework}/new`, {
      id: framework,
      body: { title: 'Review', dueDate: '2026-02-27' },
    });
    expect(created.status).toBe(201);
    const id = idOf(created);
    expect((await drive('GET', `${TASK}/framework/{framework}/list`, { id: framework })).status).toBe(200);
    expect((await drive('GET', `${TASK}/framework/{framework}/list`, { id: 2_147_483_647 })).status).toBe(404);
    expect((await drive('GET', `${TASK}/framework/{framework}/list`, { id: 'abc' })).status).toBe(400);
    expect((await drive('GET', `${TASK}/{taskUniqueId}/item`, { id })).status).toBe(200);
    expect((await drive('PATCH', `${TASK}/{taskUniqueId}/edit`, { id, body: { status: 'done' } })).status).toBe(200);
    expect((await drive('PATCH', `${TASK}/{taskUniqueId}/edit`, { id, body: { status: 'in_review' } })).status).toBe(
      409,
    );
    expect((await drive('PATCH', `${TASK}/{taskUniqueId}/edit`, { id, body: { gaps: [2_147_483_647] } })).status).toBe(
      422,
    );
    expect((await drive('PATCH', `${TASK}/{taskUniqueId}/edit`, { id: NOBODY, body: {} })).status).toBe(404);
    expect(
      (
        await drive('POST', `${TASK}/framework/{framework}/new`, {
          id: framework,
          body: { title: 'x', departmentId: 2_147_483_647 },
        })
      ).status,
    ).toBe(422);
    expect((await drive('DELETE', `${TASK}/{taskUniqueId}/delete`, { id })).status).toBe(204);
  });
});

test('what the document says of the trail is what the server does', async () => {
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
  const { uniqueId: task } = await acme.newTask();
  await acme.vendor.delete({ vendor });
  expect((await drive('GET', '/external/audit/list')).status).toBe(200);
  expect((await drive('GET', `${VENDOR}/{vendor}/history`, { id: vendor })).status).toBe(200);
  expect((await drive('GET', `${TASK}/{taskUniqueId}/history`, { id: task })).status).toBe(200);
  expect((await drive('GET', `${TASK}/{taskUniqueId}/history`, { id: NOBODY })).status).toBe(404);
  expect((await drive('GET', `${TASK}/{taskUniqueId}/history?limit=101`, { id: task })).status).toBe(400);
});

describe('a body the document takes the server takes, and one it does not is refused', () => {
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
    const template = `${TASK}/framework/{framework}/new`;
    const schema = document.paths[template]?.['post']?.requestBody?.content['application/json']?.schema ?? {};
    const answer = await drive('POST', template, { id: acme.framework, body });
    expect({ document: holds(schema, body) }).toEqual({ document: answer.status === 201 });
  });
});
