import { expect, test } from 'vitest';
import { company } from './support/company.ts';
import { complaintAbout, openApi } from './support/conformity.ts';
import type { Operation } from './support/conformity.ts';
import { http } from './support/server.ts';

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

function found(operationId: string) {
  const operation = operations.get(operationId);
  if (operation === undefined) throw new Error(`no ${operationId}`);
  return operation;
}

const contentOf = ({ responses }: Operation): Content[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, response]) => ('content' in response ? [response.content?.['application/json'] as Content] : []));

/** What the document shows as the answer. */
function shown(operationId: string, by = ''): unknown {
  const [content] = contentOf(found(operationId).operation);
  return content?.examples === undefined ? content?.example : content.examples[by]?.value;
}

const UUID = /"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/g;
const MOMENT = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

/** Ids by the order in which they come up, so that who is the same there is the same here; moments are moments. */
function told(parts: readonly unknown[], framework: number): unknown {
  const text = JSON.stringify(parts).replaceAll(`"framework":${framework},`, '"framework":"it",');
  const ids: string[] = [];
  const numbered = text.replaceAll(UUID, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `"id ${ids.indexOf(id)}"`;
  });
  return JSON.parse(numbered.replaceAll(MOMENT, '"a moment"'));
}

test('who sends what the document shows, in its order, is answered what it shows', async () => {
  const acme = await company();
  const { key, user } = await acme.manage.apiKey.create({ name: 'Ticket sync' });
  const parameters: Record<string, string> = { framework: String(acme.framework) };
  const ask = async (operationId: string, query = '', headers: Record<string, string> = {}) => {
    const { template, verb, operation } = found(operationId);
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
    documented.push(shown(operationId, by));
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
  const events = shown('listAuditEvents');
  expect(told(played, acme.framework)).toEqual(told(documented, 1));
  expect(actionsOf(trail)).toEqual(['vendor.update', 'task.update', 'vendor.create', 'task.create']);
  expect(actionsOf(events)).toEqual(actionsOf(trail));
});

function actionsOf(page: unknown): unknown[] {
  const items: unknown = Reflect.get(Object(page), 'items');
  return Array.isArray(items) ? items.map((event) => Reflect.get(Object(event), 'action') as unknown) : [];
}

test('each example of an answer is one that its schema allows', () => {
  for (const { operation } of operations.values()) {
    for (const { schema, example, examples = { default: { value: example } } } of contentOf(operation)) {
      for (const { value } of Object.values(examples)) {
        expect(`${operation.operationId}: ${complaintAbout(schema, value)}`).toBe(
          `${operation.operationId}: undefined`,
        );
      }
    }
  }
});
