import { expect } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { test } from '../support/fixtures/test.ts';
import { seal } from '../support/tenants/feed.ts';
import { schemaError, openApi } from '../support/openapi/conformance.ts';
import type { Operation } from '../support/openapi/conformance.ts';
import { http } from '../support/http/server.ts';

// The examples of the document form one scenario. This test runs it and compares the responses with the examples.

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
    .flatMap(
      ([, response]) => Object.values('content' in response ? (response.content ?? {}) : {}).slice(0, 1) as Content[],
    );

/** Returns the example response of an operation in the document. */
function documentedExample(operationId: string, exampleName = ''): unknown {
  const [content] = successContent(findOperation(operationId).operation);
  return content?.examples === undefined ? content?.example : content.examples[exampleName]?.value;
}

const UUID_PATTERN = /"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/g;
const TIMESTAMP_PATTERN = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

/** Replaces ids by the order of their first occurrence, and timestamps by a placeholder. */
function normalizeIds(parts: readonly unknown[], framework: number): unknown {
  const text = JSON.stringify(parts)
    .replaceAll(`"framework":${framework},`, '"framework":"the framework",')
    .replaceAll(/"id":\d+,/g, '"id":"an id",');
  const ids: string[] = [];
  const numbered = text.replaceAll(UUID_PATTERN, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `"id ${ids.indexOf(id)}"`;
  });
  return JSON.parse(numbered.replaceAll(TIMESTAMP_PATTERN, '"a timestamp"'));
}

test('the example requests, sent in order, return the example responses', async ({ acme }) => {
  const { key, user } = await acme.manage.apiKey.create({ name: 'Ticket sync', scopes: [...SCOPES] });
  const parameters: Record<string, string> = { framework: String(acme.framework) };
  const send = async (operationId: string, query = '', headers: Record<string, string> = {}) => {
    const { template, verb, operation } = findOperation(operationId);
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
    const body = operation.requestBody?.content['application/json']?.example;
    const response = await http(verb.toUpperCase(), path + query, { key, body, headers });
    return response.body;
  };
  const idOf = (created: unknown) => String(Reflect.get(Object(created), 'uniqueId'));

  const responses: unknown[] = [];
  const documented: unknown[] = [];
  const runStep = async (operationId: string, query?: string, exampleName?: string) => {
    const response = await send(operationId, query, { Prefer: 'return=representation' });
    responses.push(response);
    documented.push(documentedExample(operationId, exampleName));
    return response;
  };
  parameters['taskUniqueId'] = idOf(await runStep('createTask'));
  await runStep('getTask');
  await runStep('listTasks', '', 'withoutLimit');
  await runStep('listTasks', '?limit=50', 'withLimit');
  parameters['vendor'] = idOf(await runStep('createVendor'));
  await runStep('getVendor');
  await runStep('listVendors', '', 'listed');
  await runStep('listVendors', '?view=full&limit=100', 'full');
  for (const list of ['listFrameworks', 'listGaps', 'listDepartments']) await runStep(list);
  await runStep('updateTask');
  await runStep('getTaskHistory');
  await runStep('updateVendor');
  await runStep('getVendorHistory');
  const auditLog = await send('listAuditEvents', `?actor=${user.uniqueId}`);
  Object.assign(parameters, { source: 'servicenow', externalId: 'VEN-0042' });
  parameters['taskUniqueId'] = idOf(await runStep('putTaskByExternalId'));
  await runStep('getTaskByExternalId');
  await runStep('linkTask');
  parameters['vendor'] = idOf(await runStep('putVendorByExternalId'));
  await runStep('getVendorByExternalId');
  await runStep('linkVendor');
  const endpoint = Object(await send('createWebhook'));
  parameters['webhook'] = idOf(endpoint);
  expect(endpoint).toHaveProperty('secret', expect.stringMatching(/^whsec_/));
  for (const step of ['getWebhook', 'listWebhooks', 'updateWebhook']) await runStep(step);
  const events = documentedExample('listAuditEvents');
  expect(normalizeIds(responses, acme.framework)).toEqual(normalizeIds(documented, 1));
  expect(eventActions(auditLog)).toEqual(['vendor.update', 'task.update', 'vendor.create', 'task.create']);
  expect(eventActions(events)).toEqual(eventActions(auditLog));
  await seal(acme);
  const feed = eventActions(await send('listChanges'));
  expect(feed).toEqual(eventActions(await send('listAuditEvents', '?limit=100')).toReversed());
  expect(feed).toEqual(expect.arrayContaining(eventActions(documentedExample('listChanges'))));
});

function eventActions(page: unknown): unknown[] {
  const items: unknown = Reflect.get(Object(page), 'items');
  return Array.isArray(items) ? items.map((event) => Reflect.get(Object(event), 'action') as unknown) : [];
}

test('each example response is valid for its schema', () => {
  for (const { operation } of operations.values()) {
    for (const { schema, example, examples = { default: { value: example } } } of successContent(operation)) {
      for (const { value } of Object.values(examples)) {
        expect(`${operation.operationId}: ${schemaError(schema, value)}`).toBe(`${operation.operationId}: undefined`);
      }
    }
  }
});
