import { expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { schemaError, openApi } from '../support/openapi/conformance.ts';
import type { Operation } from '../support/openapi/conformance.ts';
import { http } from '../support/http/server.ts';

// The examples of the document are one story. Here it is played, and what is answered is what the document shows.

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

const operations = new Map(
  Object.entries(openApi.paths).flatMap(([template, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => [operation.operationId, { template, verb, operation }] as const),
  ),
);

function findOperation(operationId: string) {
  const operation = operations.get(operationId);
  if (operation === undefined) throw new Error(`no ${operationId}`);
  return operation;
}

const successContent = ({ responses }: Operation): Content[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, response]) => ('content' in response ? [response.content?.['application/json'] as Content] : []));

/** What the document shows as the answer. */
function documentedExample(operationId: string, exampleName = ''): unknown {
  const [content] = successContent(findOperation(operationId).operation);
  return content?.examples === undefined ? content?.example : content.examples[exampleName]?.value;
}

const UUID_PATTERN = /"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/g;
const TIMESTAMP_PATTERN = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

/** Ids by the order in which they come up, so that who is the same there is the same here; moments are moments. */
function normalizeIds(parts: readonly unknown[], framework: number): unknown {
  const text = JSON.stringify(parts).replaceAll(`"framework":${framework},`, '"framework":"it",');
  const ids: string[] = [];
  const numbered = text.replaceAll(UUID_PATTERN, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `"id ${ids.indexOf(id)}"`;
  });
  return JSON.parse(numbered.replaceAll(TIMESTAMP_PATTERN, '"a moment"'));
}

test('who sends what the document shows, in its order, is answered what it shows', async () => {
  const acme = await createCompany();
  const { key, user } = await acme.manage.apiKey.create({ name: 'Ticket sync' });
  const parameters: Record<string, string> = { framework: String(acme.framework) };
  const ask = async (operationId: string, query = '', headers: Record<string, string> = {}) => {
    const { template, verb, operation } = findOperation(operationId);
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
    const body = operation.requestBody?.content['application/json']?.example;
    const answer = await http(verb.toUpperCase(), path + query, { key, body, headers });
    return answer.body;
  };
  const idOf = (created: unknown) => String(Reflect.get(Object(created), 'uniqueId'));

  const played: unknown[] = [];
  const documented: unknown[] = [];
  const play = async (operationId: string, query?: string, by?: string) => {
    const answer = await ask(operationId, query, { Prefer: 'return=representation' });
    played.push(answer);
    documented.push(documentedExample(operationId, by));
    return answer;
  };
  parameters['taskUniqueId'] = idOf(await play('createTask'));
  await play('getTask');
  await play('listTasks', '', 'withoutLimit');
  await play('listTasks', '?limit=50', 'withLimit');
  parameters['vendor'] = idOf(await play('createVendor'));
  await play('getVendor');
  await play('listVendors');
  await play('updateTask');
  await play('getTaskHistory');
  await play('updateVendor');
  await play('getVendorHistory');
  const trail = await ask('listAuditEvents', `?actor=${user.uniqueId}`);
  const events = documentedExample('listAuditEvents');
  expect(normalizeIds(played, acme.framework)).toEqual(normalizeIds(documented, 1));
  expect(eventActions(trail)).toEqual(['vendor.update', 'task.update', 'vendor.create', 'task.create']);
  expect(eventActions(events)).toEqual(eventActions(trail));
});

function eventActions(page: unknown): unknown[] {
  const items: unknown = Reflect.get(Object(page), 'items');
  return Array.isArray(items) ? items.map((event) => Reflect.get(Object(event), 'action') as unknown) : [];
}

test('each example of an answer is one that its schema allows', () => {
  for (const { operation } of operations.values()) {
    for (const { schema, example, examples = { default: { value: example } } } of successContent(operation)) {
      for (const { value } of Object.values(examples)) {
        expect(`${operation.operationId}: ${schemaError(schema, value)}`).toBe(`${operation.operationId}: undefined`);
      }
    }
  }
});
