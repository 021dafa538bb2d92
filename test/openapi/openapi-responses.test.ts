import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lockIdempotencyKey } from '../../entities/statements/idempotency-record.ts';
import { createDemoData } from '../../server/process/demo-data.ts';
import { PROBLEM_MEDIA_TYPE } from '../../server/http/problem-details.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { database } from '../support/database/database.ts';
import { http, startServer, url } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

// Every status that the document lists for an operation is reached here, and each answer is what the document says of
// it: the latter is looked at wherever a test calls the server (support/conformity.ts).

const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';
const UNKNOWN_FRAMEWORK = 2_147_483_647;

/** A request that would succeed, and what to turn it into. */
interface RequestInput {
  parameters: Record<string, string | number>;
  body: unknown;
  query?: string;
  headers?: Record<string, string>;
  key?: string | undefined;
  baseUrl?: string;
}

/** The parts of a company, on one server. */
interface TestTarget {
  baseUrl: string;
  key: string;
  framework: number;
  newTask: () => Promise<string>;
  newVendor: () => Promise<string>;
}

let acme: TestCompany;
let target: TestTarget;
/** A server whose database has lost its tables, and one whose database cannot be reached. */
let brokenTarget: TestTarget & { database: Database };
let unreachableUrl: string;
/** A server that has answered all that the key may ask it. */
let limitedApp: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  acme = await createCompany();
  target = targetFor(url, acme.key, acme.framework);
  const apart = await openPglite();
  await apart.migrate();
  const demo = await createDemoData(apart);
  brokenTarget = { ...targetFor(await startServer(apart), demo?.key ?? '', demo?.framework ?? 0), database: apart };
  unreachableUrl = await startServer(await openPostgreSql('postgresql://nobody@127.0.0.1:1/nothing'));
  limitedApp = await startApp({ rateLimits: await openTestRateLimits(1, 3600) });
  await http('GET', '/external/api-key/whoami', { baseUrl: limitedApp.url, key: acme.key });
  // Making a database holds up this thread, in which the server is too: let it close what was idle meanwhile.
  await wait(200);
});

afterAll(async () => {
  await limitedApp.stop();
  await brokenTarget.database.close();
});

function targetFor(baseUrl: string, key: string, framework: number): TestTarget {
  const create = async (path: string, body: object) => {
    const { body: made } = await http('POST', path, { baseUrl, key, body });
    return String(Reflect.get(Object(made), 'uniqueId'));
  };
  return {
    baseUrl,
    key,
    framework,
    newTask: () => create(`/external/task/framework/${framework}/new`, { title: 'Review' }),
    newVendor: () => create('/external/smart-inventory/vendor/new', { name: 'Cloud Ltd' }),
  };
}

const operations = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ method: verb.toUpperCase(), template, operation })),
);
type ListedOperation = (typeof operations)[number];

/** A request that succeeds: the parameters of the path, and the body that the document shows. */
async function validRequest(
  { template, operation }: ListedOperation,
  { framework, newTask, newVendor }: TestTarget,
): Promise<RequestInput> {
  return {
    parameters: {
      framework,
      ...(template.includes('{taskUniqueId}') && { taskUniqueId: await newTask() }),
      ...(template.includes('{vendor}') && { vendor: await newVendor() }),
    },
    body: operation.requestBody?.content['application/json']?.example,
  };
}

function sendOperation(
  { method, template }: ListedOperation,
  { parameters, query = '', body, key = target.key, baseUrl, headers }: RequestInput,
) {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  return http(method, path + query, { ...(key !== '' && { key }), body, baseUrl, ...(headers && { headers }) });
}

type StatusRecipe = (asked: RequestInput, listed: ListedOperation) => Promise<HttpResponse>;

/** How each status of an error is reached, whatever the operation. */
const statusRecipes: Record<number, StatusRecipe> = {
  400: (asked, listed) => sendOperation(listed, { ...asked, query: '?colour=red' }),
  401: (asked, listed) => sendOperation(listed, { ...asked, key: '' }),
  403: async (asked, listed) => {
    const { key } = await acme.manage.apiKey.create({ name: 'Elsewhere', cidrs: ['192.0.2.0/24'] });
    return sendOperation(listed, { ...asked, key });
  },
  404: (asked, listed) =>
    sendOperation(listed, {
      ...asked,
      parameters: { framework: UNKNOWN_FRAMEWORK, taskUniqueId: UNKNOWN_ID, vendor: UNKNOWN_ID },
    }),
  413: (asked, listed) => sendOperation(listed, { ...asked, body: { description: 'x'.repeat(300_000) } }),
  415: (asked, listed) =>
    sendOperation(listed, { ...asked, headers: { ...asked.headers, 'Content-Type': 'text/plain' } }),
  304: (asked, listed) => sendOperation(listed, { ...asked, headers: { 'If-None-Match': '*' } }),
  409: (asked, listed) => whileInProgress(randomUUID(), (headers) => sendOperation(listed, { ...asked, headers })),
  412: (asked, listed) => sendOperation(listed, { ...asked, headers: { ...asked.headers, 'If-Match': '"0-0"' } }),
  422: async (asked, listed) => {
    const headers = { ...asked.headers, 'Idempotency-Key': randomUUID() };
    await sendOperation(listed, { ...asked, headers });
    const { parameters, body } = await validRequest(listed, target);
    return sendOperation(listed, {
      ...asked,
      parameters,
      headers,
      body: body && { ...Object(body), description: 'Another' },
    });
  },
  429: (asked, listed) => sendOperation(listed, { ...asked, baseUrl: limitedApp.url }),
  503: (asked, listed) => sendOperation(listed, { ...asked, baseUrl: unreachableUrl }),
  500: async ({ headers }, listed) => {
    const asked = { ...(await validRequest(listed, brokenTarget)), ...(headers && { headers }) };
    return withoutTables(OPERATION_TABLES[listed.operation.operationId] ?? ['task', 'vendor', 'audit_event'], () =>
      sendOperation(listed, { ...asked, key: brokenTarget.key, baseUrl: brokenTarget.baseUrl }),
    );
  },
};

/** Asks under a name that a transaction elsewhere has claimed, or, in the embedded database, holds up. */
async function whileInProgress(
  idempotencyKey: string,
  sendWith: (headers: Record<string, string>) => Promise<HttpResponse>,
) {
  const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const claimed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await http('GET', '/external/api-key/whoami', { key: acme.key }); // the key is known, and need not be asked for below
  const elsewhere = new Session(database, principal, 'elsewhere').transaction(async (inside) => {
    await inside.run(lockIdempotencyKey, { keyHash: hash('sha256', idempotencyKey, 'buffer') });
    claimed.resolve();
    await ended.promise;
  });
  await claimed.promise;
  const responses = [1, 2].map(() => sendWith({ 'Idempotency-Key': idempotencyKey }));
  const first = await Promise.race(responses);
  ended.resolve();
  await Promise.all([...responses, elsewhere]);
  return first;
}

/** What an operation works on, where it is not what the others do. */
const OPERATION_TABLES: Record<string, string[]> = { getOwnApiKey: ['api_key'], listTasks: ['task_count'] };

/** Where a status needs more than a turn of a request that succeeds. */
const operationRecipes: Record<string, StatusRecipe> = {
  'createTask 422': (asked, listed) =>
    sendOperation(listed, { ...asked, body: { title: 'x', departmentId: UNKNOWN_FRAMEWORK } }),
  'updateTask 422': (asked, listed) => sendOperation(listed, { ...asked, body: { departmentId: UNKNOWN_FRAMEWORK } }),
  'updateVendor 200': (asked, listed) =>
    sendOperation(listed, { ...asked, headers: { Prefer: 'return=representation' } }),
  'updateTask 409': async (asked, listed) => {
    await acme.task.update({ taskUniqueId: String(asked.parameters['taskUniqueId']), status: 'done' });
    return sendOperation(listed, { ...asked, body: { status: 'in_review' } });
  },
};

async function withoutTables<T>(tables: string[], work: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) =>
    brokenTarget.database.transaction(async (runner) => {
      const changes = tables.map((table) => `alter table ${table}${from} rename to ${table}${to}`);
      for (const change of ['set local role postgres', ...changes])
        await runner.run(defineStatement(change, change), {}, {});
    });
  await rename('', '_gone');
  try {
    return await work();
  } finally {
    await rename('_gone', '');
  }
}

const cases = operations.flatMap((listed) =>
  Object.keys(listed.operation.responses).map(
    (status) => [listed.operation.operationId, Number(status), listed] as const,
  ),
);

test.for(cases)('%s answers %i', async ([operationId, status, listed]) => {
  expect(await reachStatus(operationId, status, listed)).toMatchObject({ status });
});

test.for(cases.filter(([operationId, status]) => operationId === 'updateTask' && status >= 400))(
  '%s answers %i as a problem too',
  async ([operationId, status, listed]) => {
    const answer = await reachStatus(operationId, status, listed, { Accept: PROBLEM_MEDIA_TYPE });
    expect(answer).toMatchObject({ status, headers: { 'content-type': PROBLEM_MEDIA_TYPE } });
  },
);

async function reachStatus(
  operationId: string,
  status: number,
  listed: ListedOperation,
  headers?: Record<string, string>,
) {
  const recipe =
    operationRecipes[`${operationId} ${status}`] ??
    statusRecipes[status] ??
    (status < 400 ? (asked: RequestInput) => sendOperation(listed, asked) : undefined);
  if (recipe === undefined)
    throw new Error(`the document lists ${status} for ${operationId}, and nothing here reaches it`);
  return recipe({ ...(await validRequest(listed, target)), ...(headers && { headers }) }, listed);
}
