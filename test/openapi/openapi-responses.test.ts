import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { auditedResources } from '../../entities/index.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import type { Principal } from '../../entities/principal.ts';
import { appRouter, createCaller } from '../../procedures/index.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lockIdempotencyKey } from '../../entities/idempotency-record/statements.ts';
import { createDemoData } from '../../procedures/demo/demo-data.ts';
import { PROBLEM_MEDIA_TYPE } from '../../server/http/problem-details.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';
import { loseEvents, seal } from '../support/tenants/feed.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { database } from '../support/database/database.ts';
import { http, startServer, url } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

// Produces every status that the document lists for each operation. test/support/openapi/conformance.ts compares every
// response of every test with the document.

const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';
const UNKNOWN_FRAMEWORK = 2_147_483_647;
const WEBHOOK_PATH = '/external/webhook/new';
const FILE_HEADERS = { 'Content-Type': 'text/csv' };

/** Parts of a request that a recipe may replace. */
interface RequestInput {
  parameters: Record<string, string | number>;
  body: unknown;
  query?: string;
  headers?: Record<string, string>;
  key?: string | undefined;
  baseUrl?: string;
}

/** A company on one server. */
interface TestTarget {
  baseUrl: string;
  key: string;
  framework: number;
  newTask: () => Promise<string>;
  /** Creates a resource with the example body of the document, for example at `/external/smart-inventory/vendor/new`. */
  newResource: (path: string) => Promise<string>;
  /** Uploads the example file of the document. */
  newImport: () => Promise<string>;
  /** Creates an object by external id with the example body of the document. */
  newExternalId: (template: string) => Promise<{ source: string; externalId: string }>;
}

let acme: TestCompany;
let target: TestTarget;
/** A server whose database has lost its tables. */
let brokenTarget: TestTarget & { database: Database };
/** A server whose database is unreachable. */
let unreachableUrl: string;
/** A server on which the API key has reached its rate limit. */
let limitedApp: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  acme = await createCompany();
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: [...SCOPES] });
  target = targetFor(url, acme.key, acme.framework);
  const brokenDatabase = await openPglite();
  await brokenDatabase.migrate();
  const demo = await createDemoData(brokenDatabase, services);
  brokenTarget = {
    ...targetFor(await startServer(brokenDatabase), await newKey(brokenDatabase), demo?.framework ?? 0),
    database: brokenDatabase,
  };
  unreachableUrl = await startServer(await openPostgreSql('postgresql://nobody@127.0.0.1:1/nothing'));
  limitedApp = await startApp({ rateLimits: await openTestRateLimits(1, 3600) });
  await http('GET', '/external/api-key/whoami', { baseUrl: limitedApp.url, key: acme.key });
  // Creating a database blocks the thread of the server. This pause lets the server close idle connections.
  await wait(200);
});

afterAll(async () => {
  await limitedApp.stop();
  await brokenTarget.database.close();
});

const withParameters = (template: string, parameters: Record<string, string | number>) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));

/** Creates a key with all scopes in the only company of a database. */
async function newKey(ofDatabase: Database): Promise<string> {
  const session = (principal: Principal | null) => new Session(ofDatabase, principal, 'new-key');
  const operatorOf = (principal: Principal | null) =>
    createCaller({ requestId: 'new-key', caller: 'operator', address: null, session: session(principal) }).management;
  const [company] = await operatorOf(null).company.list();
  const { key } = await operatorOf(operatorPrincipal(company?.id ?? 0)).apiKey.create({
    name: 'All scopes',
    scopes: [...SCOPES],
  });
  return key;
}

function targetFor(baseUrl: string, key: string, framework: number): TestTarget {
  const create = async (path: string, body: object) => {
    const created = await http('POST', path, { baseUrl, key, body });
    return String(Reflect.get(Object(created.body), 'uniqueId'));
  };
  let previousWebhook: string | undefined;
  return {
    baseUrl,
    key,
    framework,
    newTask: () => create(`/external/task/framework/${framework}/new`, { title: 'Review' }),
    newResource: async (path) => {
      const isWebhook = path === WEBHOOK_PATH;
      // A company has at most 20 endpoints.
      if (isWebhook && previousWebhook !== undefined)
        await http('DELETE', `/external/webhook/${previousWebhook}/delete`, { baseUrl, key });
      const example: unknown = openApi.paths[path]?.['post']?.requestBody?.content['application/json']?.example;
      const uniqueId = await create(path, Object(example));
      if (isWebhook) previousWebhook = uniqueId;
      return uniqueId;
    },
    newImport: async () => {
      const path = '/external/smart-inventory/vendor/import';
      const body = openApi.paths[path]?.['post']?.requestBody?.content['text/csv']?.example;
      const created = await http('POST', path, { baseUrl, key, body, headers: FILE_HEADERS });
      return String(Reflect.get(Object(created.body), 'uniqueId'));
    },
    newExternalId: async (template) => {
      const reference = { source: 'servicenow', externalId: randomUUID() };
      const path = withParameters(template, { framework, ...reference });
      const body = openApi.paths[template]?.['put']?.requestBody?.content['application/json']?.example;
      await http('PUT', path, { baseUrl, key, body });
      return reference;
    },
  };
}

const operations = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ method: verb.toUpperCase(), template, operation })),
);
type ListedOperation = (typeof operations)[number];

/** Returns the example body. A link gets another external id each time, and a batch the framework of the target. */
function exampleBody({ operationId, requestBody }: ListedOperation['operation'], framework: number): unknown {
  const content = requestBody?.content['application/json'] ?? requestBody?.content['text/csv'];
  const body: unknown = content?.example;
  if (operationId.startsWith('link')) return { ...Object(body), externalId: randomUUID() };
  return operationId === 'batchTasks' ? newTaskBatch(framework) : body;
}

const newTaskBatch = (framework: number) => ({ items: [{ op: 'create', framework, body: { title: 'Review' } }] });

/** Creates a valid request with path parameters and the example body of the document. */
async function validRequest(
  { template, operation }: ListedOperation,
  { framework, newTask, newResource, newExternalId, newImport }: TestTarget,
): Promise<RequestInput> {
  const [prefix = '', name = ''] = template.split(/[{}]/);
  const isOtherResource = !['', 'framework', 'taskUniqueId', 'source', 'importUniqueId'].includes(name);
  return {
    parameters: {
      framework,
      ...(name === 'importUniqueId' && { importUniqueId: await newImport() }),
      ...(name === 'taskUniqueId' && { taskUniqueId: await newTask() }),
      ...(template.includes('{externalId}') && (await newExternalId(template))),
      ...(isOtherResource && { [name]: await newResource(`${prefix}new`) }),
    },
    body: exampleBody(operation, framework),
    ...(operation.requestBody?.content['text/csv'] !== undefined && { headers: FILE_HEADERS }),
  };
}

function sendOperation(
  { method, template }: ListedOperation,
  { parameters, query = '', body, key = target.key, baseUrl, headers }: RequestInput,
) {
  return http(method, withParameters(template, parameters) + query, {
    ...(key !== '' && { key }),
    body,
    baseUrl,
    ...(headers && { headers }),
  });
}

type StatusRecipe = (valid: RequestInput, listedOperation: ListedOperation) => Promise<HttpResponse>;

/** Recipes that produce each status, for any operation. */
const statusRecipes: Record<number, StatusRecipe> = {
  400: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, query: '?colour=red' }),
  401: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, key: '' }),
  403: async (valid, listedOperation) => {
    const { key } = await acme.manage.apiKey.create({ name: 'Elsewhere', cidrs: ['192.0.2.0/24'] });
    return sendOperation(listedOperation, { ...valid, key });
  },
  404: (valid, listedOperation) =>
    sendOperation(listedOperation, {
      ...valid,
      parameters: Object.fromEntries(
        Object.keys(valid.parameters).map((name) => [name, name === 'framework' ? UNKNOWN_FRAMEWORK : UNKNOWN_ID]),
      ),
    }),
  413: (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { description: 'x'.repeat(300_000) } }),
  415: (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, 'Content-Type': 'text/plain' } }),
  304: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, headers: { 'If-None-Match': '*' } }),
  409: (valid, listedOperation) =>
    whileInProgress((headers) =>
      sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, ...headers } }),
    ),
  412: (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, 'If-Match': '"0-0"' } }),
  422: async (valid, listedOperation) => {
    const headers = { ...valid.headers, 'Idempotency-Key': randomUUID() };
    await sendOperation(listedOperation, { ...valid, headers });
    const { parameters, body } = await validRequest(listedOperation, target);
    return sendOperation(listedOperation, {
      ...valid,
      parameters,
      headers,
      body: body && { ...Object(body), description: 'Another' },
    });
  },
  429: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, baseUrl: limitedApp.url }),
  503: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, baseUrl: unreachableUrl }),
  500: async ({ headers }, listedOperation) => {
    const valid = { ...(await validRequest(listedOperation, brokenTarget)), ...(headers && { headers }) };
    return withoutTables(OPERATION_TABLES[listedOperation.operation.operationId] ?? DEFAULT_TABLES, () =>
      sendOperation(listedOperation, { ...valid, key: brokenTarget.key, baseUrl: brokenTarget.baseUrl }),
    );
  },
};

/** Milliseconds. Requests without a response by then wait for the embedded database. */
const CONFLICT_TIMEOUT = 2000;

/**
 * Sends a request twice while another transaction holds the lock on its idempotency key, and returns the first response. The
 * embedded database delays one of them. On a busy machine the cached API key can expire before both arrive. Its lookup then waits
 * for the transaction and ends with 503, so this tries again.
 */
async function whileInProgress(
  sendWith: (headers: Record<string, string>) => Promise<HttpResponse>,
  attempts = 5,
): Promise<HttpResponse> {
  const idempotencyKey = randomUUID();
  const principal = { ...operatorPrincipal(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const locked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await http('GET', '/external/api-key/whoami', { key: acme.key }); // caches the API key, so that the requests below need no lookup
  const transaction = new Session(database, principal, 'elsewhere').transaction(async (transactionSession) => {
    await transactionSession.run(lockIdempotencyKey, { keyHash: hash('sha256', idempotencyKey, 'buffer') });
    locked.resolve();
    await ended.promise;
  });
  await locked.promise;
  const responses = [1, 2].map(() => sendWith({ 'Idempotency-Key': idempotencyKey }));
  // An open transaction would block the embedded database for all later tests.
  const first = await Promise.race([...responses, wait(CONFLICT_TIMEOUT, undefined)]).finally(ended.resolve);
  await Promise.all([...responses, transaction]);
  if (first !== undefined && first.status !== 503) return first;
  if (attempts === 1) throw new Error('no request got a response while another was in progress');
  return whileInProgress(sendWith, attempts - 1);
}

/** Tables that most operations use. */
const DEFAULT_TABLES = [
  'audit_event',
  ...auditedResources
    .filter(({ type }) => type !== 'apiKey' && Object.hasOwn(appRouter, type))
    .map(({ table }) => table),
];

/** Tables of operations that do not use the default tables. */
const OPERATION_TABLES: Record<string, string[]> = {
  getOwnApiKey: ['api_key'],
  listTasks: ['task_count'],
  importTasks: ['import', 'task_count'],
  ...Object.fromEntries(
    ['importVendors', 'getImport', 'listImportErrors', 'cancelImport'].map((id) => [id, ['import']]),
  ),
};

/** Recipes for a status of one operation that needs a special request. */
const operationRecipes: Record<string, StatusRecipe> = {
  'createTask 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { title: 'x', departmentId: UNKNOWN_FRAMEWORK } }),
  'updateTask 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { departmentId: UNKNOWN_FRAMEWORK } }),
  'updateVendor 200': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, headers: { Prefer: 'return=representation' } }),
  'listChanges 410': async (valid, listedOperation) => {
    const { id, key } = await createCompany();
    await seal({ id });
    const { cursor } = await (await callerForKey(key)).changes.list();
    await loseEvents({ id }, 1);
    return sendOperation(listedOperation, { ...valid, key, query: `?cursor=${cursor}` });
  },
  'updateTask 409': async (valid, listedOperation) => {
    await acme.task.update({ taskUniqueId: String(valid.parameters['taskUniqueId']), status: 'done' });
    return sendOperation(listedOperation, { ...valid, body: { status: 'in_review' } });
  },
};

/** An atomic batch of one item, which responds with the status of the item. */
const batchOf =
  (item: object): StatusRecipe =>
  (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { atomic: true, items: [item] } });

/** A key that was used for another body. */
const reuseKey: StatusRecipe = async (valid, listedOperation) => {
  const headers = { ...valid.headers, 'Idempotency-Key': randomUUID() };
  await sendOperation(listedOperation, { ...valid, headers });
  const source = { source: 'another' };
  const isLink = listedOperation.template.endsWith('/link');
  return sendOperation(listedOperation, {
    ...valid,
    headers,
    body: { ...Object(valid.body), ...(isLink ? source : { atomic: true }) },
  });
};

/** A key that was used for another resource. */
const reuseKeyForOther: StatusRecipe = async (valid, listedOperation) => {
  const headers = { ...valid.headers, 'Idempotency-Key': randomUUID() };
  await sendOperation(listedOperation, { ...valid, headers });
  const { parameters } = await validRequest(listedOperation, target);
  return sendOperation(listedOperation, { ...valid, parameters, headers });
};

/** A key that was used for another file. */
const reuseKeyForFile: StatusRecipe = async (valid, listedOperation) => {
  const headers = { ...valid.headers, 'Idempotency-Key': randomUUID() };
  await sendOperation(listedOperation, { ...valid, headers });
  return sendOperation(listedOperation, { ...valid, headers, body: `${String(valid.body)}\n` });
};
/** Declares more than the allowed bytes. */
const largeFile: StatusRecipe = (valid, listedOperation) =>
  sendOperation(listedOperation, {
    ...valid,
    body: '',
    headers: { ...valid.headers, 'Content-Length': String(64 * 1024 * 1024 + 1), Connection: 'close' },
  });

const unknownTarget = { op: 'delete', uniqueId: UNKNOWN_ID };
const unknownUpsert = { op: 'upsert', source: 'jira', externalId: UNKNOWN_ID, ifMatch: '0-0' };
const largeBody: StatusRecipe = (valid, listedOperation) =>
  sendOperation(listedOperation, { ...valid, body: { description: 'x'.repeat(2_100_000) } });
const newExternalId: StatusRecipe = (valid, listedOperation) =>
  sendOperation(listedOperation, { ...valid, parameters: { ...valid.parameters, externalId: randomUUID() } });

Object.assign(operationRecipes, {
  'putVendorByExternalId 201': newExternalId,
  'putTaskByExternalId 201': newExternalId,
  'putVendorByExternalId 404': (valid, listedOperation) =>
    newExternalId({ ...valid, query: '?create=false' }, listedOperation),
  'linkVendor 422': reuseKey,
  'linkTask 422': reuseKey,
  'batchVendors 422': reuseKey,
  'batchTasks 422': reuseKey,
  'batchVendors 404': batchOf(unknownTarget),
  'batchTasks 404': batchOf(unknownTarget),
  'batchVendors 412': batchOf({ ...unknownUpsert, body: { name: 'x' } }),
  'batchTasks 412': (valid, listedOperation) =>
    batchOf({ ...unknownUpsert, framework: target.framework, body: { title: 'x' } })(valid, listedOperation),
  'batchVendors 413': largeBody,
  'batchTasks 413': largeBody,
  'deleteWebhook 422': reuseKeyForOther,
  'rotateWebhookSecret 422': reuseKeyForOther,
  'testWebhook 422': reuseKeyForOther,
  'replayWebhookEvents 422': reuseKeyForOther,
  'importVendors 413': largeFile,
  'importTasks 413': largeFile,
  'importVendors 422': reuseKeyForFile,
  'importTasks 422': reuseKeyForFile,
} satisfies Record<string, StatusRecipe>);

async function withoutTables<T>(tables: string[], work: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) =>
    brokenTarget.database.transaction(async (runner) => {
      const changes = tables.map((table) => `alter table ${table}${from} rename to ${table}${to}`);
      for (const change of ['set local role postgres', ...changes])
        await runner.run(defineStatement(change, change), {}, {});
    });
  await rename('', '_renamed');
  try {
    return await work();
  } finally {
    await rename('_renamed', '');
  }
}

const cases = operations.flatMap((listedOperation) =>
  Object.keys(listedOperation.operation.responses).map(
    (status) => [listedOperation.operation.operationId, Number(status), listedOperation] as const,
  ),
);

test.for(cases)('%s returns %i', async ([operationId, status, listedOperation]) => {
  expect(await produceStatus(operationId, status, listedOperation)).toMatchObject({ status });
});

test.for(cases.filter(([operationId, status]) => operationId === 'updateTask' && status >= 400))(
  '%s returns %i as problem details',
  async ([operationId, status, listedOperation]) => {
    const response = await produceStatus(operationId, status, listedOperation, { Accept: PROBLEM_MEDIA_TYPE });
    expect(response).toMatchObject({ status, headers: { 'content-type': PROBLEM_MEDIA_TYPE } });
  },
);

async function produceStatus(
  operationId: string,
  status: number,
  listedOperation: ListedOperation,
  headers?: Record<string, string>,
) {
  const recipe =
    operationRecipes[`${operationId} ${status}`] ??
    statusRecipes[status] ??
    (status < 400 ? (valid: RequestInput) => sendOperation(listedOperation, valid) : undefined);
  if (recipe === undefined)
    throw new Error(`${operationId} ${status}: expected a recipe that produces this documented status`);
  return recipe({ ...(await validRequest(listedOperation, target)), ...(headers && { headers }) }, listedOperation);
}
