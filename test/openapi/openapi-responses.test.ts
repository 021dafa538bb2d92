import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { MAX_IMPORT_BYTES } from '../../entities/import/import.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lockIdempotencyKey } from '../../entities/idempotency-record/idempotency-record.ts';
import { PROBLEM_MEDIA_TYPE } from '../../server/http/error-handler.ts';
import {
  sendExample,
  changedBody,
  exampleBody,
  headersOf,
  makeParameters,
  pathOf,
  requiredQueryOf,
  routes,
  targetOf,
} from '../support/fixtures/objects.ts';
import type { PathParameters, Target } from '../support/fixtures/objects.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { moveAway } from '../support/cells/moved.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { loseEvents, seal } from '../support/tenants/feed.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { database } from '../support/database/database.ts';
import { http, startServer } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

// Produces every status that the document lists for each operation. test/support/openapi/conformance.ts compares every
// response of every test with the document.

const UNKNOWN_ID = '0199aaaa-0000-7000-8000-000000000000';
const UNKNOWN_FRAMEWORK = 2_147_483_647;

/** Parts of a request that a recipe may replace. */
interface RequestInput {
  parameters: PathParameters;
  body: unknown;
  query?: string;
  headers?: Record<string, string>;
  key?: string | undefined;
  baseUrl?: string | undefined;
}

let acme: TestCompany;
let moved: TestCompany;
let target: Target;
/** A server whose database has lost its tables. */
let brokenTarget: Target & { database: Database };
/** A server whose database is unreachable. */
let unreachableUrl: string;
/** A server on which the API key has reached its rate limit. */
let limitedApp: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  acme = await createCompany();
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: [...SCOPES] });
  target = acme;
  moved = await createCompany('Moved');
  await moveAway(moved);
  const brokenDatabase = await openPglite();
  await brokenDatabase.migrate();
  brokenTarget = {
    ...(await targetOf(await createCompanyIn(brokenDatabase))),
    baseUrl: await startServer(brokenDatabase),
    database: brokenDatabase,
  };
  unreachableUrl = await startServer(await openPostgreSql('postgresql://nobody@127.0.0.1:1/nothing'));
  limitedApp = await startApp({ rateLimits: await openTestRateLimits(1) });
  await http('GET', '/external/api-key/whoami', { baseUrl: limitedApp.url, key: target.key });
  // Creating a database blocks the thread of the server. This pause lets the server close idle connections.
  await wait(200);
});

afterAll(async () => {
  await limitedApp.stop();
  await brokenTarget.database.close();
});

const operations = routes.map(({ procedure, method, template }) => {
  const operation = openApi.paths[template]?.[method.toLowerCase()];
  return operation === undefined
    ? expect.fail(`${procedure}: not in the document`)
    : { procedure, method, template, operation };
});
type ListedOperation = (typeof operations)[number];

/** Creates a valid request with path parameters and the example body of the document. */
async function validRequest(listedOperation: ListedOperation, at: Target): Promise<RequestInput> {
  return {
    parameters: await makeParameters(listedOperation.template, at),
    query: requiredQueryOf(listedOperation),
    body: exampleBody(listedOperation, at),
    headers: headersOf(listedOperation),
  };
}

const sendOperation = (
  { method, template }: ListedOperation,
  { parameters, query = '', body, key = target.key, baseUrl, headers = {} }: RequestInput,
) => http(method, pathOf(template, parameters) + query, { ...(key !== '' && { key }), body, baseUrl, headers });

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
  // Declares more than the allowed bytes of any body.
  413: (valid, listedOperation) =>
    sendOperation(listedOperation, {
      ...valid,
      body: '',
      headers: { ...valid.headers, 'Content-Length': String(MAX_IMPORT_BYTES + 1), Connection: 'close' },
    }),
  415: (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, 'Content-Type': 'text' } }),
  206: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, headers: { Range: 'bytes=0-0' } }),
  416: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, headers: { Range: 'bytes=-0' } }),
  304: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, headers: { 'If-None-Match': '*' } }),
  409: (valid, listedOperation) =>
    whileInProgress((headers) =>
      sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, ...headers } }),
    ),
  412: (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, headers: { ...valid.headers, 'If-Match': '"0-0"' } }),
  // A key that was used for another resource or body.
  422: async (valid, listedOperation) => {
    const headers = { ...valid.headers, 'Idempotency-Key': randomUUID() };
    await sendOperation(listedOperation, { ...valid, headers });
    const { parameters } = await validRequest(listedOperation, target);
    return sendOperation(listedOperation, {
      ...valid,
      parameters,
      headers,
      body: changedBody(listedOperation.procedure, valid.body),
    });
  },
  421: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, key: moved.key }),
  429: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, baseUrl: limitedApp.url }),
  503: (valid, listedOperation) => sendOperation(listedOperation, { ...valid, baseUrl: unreachableUrl }),
  500: async ({ headers = {} }, listedOperation) => {
    const { parameters, query = '', body, headers: own } = await validRequest(listedOperation, brokenTarget);
    const { key, baseUrl } = brokenTarget;
    return withoutTables(listedOperation.operation.operationId === 'getOwnApiKey', () =>
      sendOperation(listedOperation, { parameters, query, body, key, baseUrl, headers: { ...own, ...headers } }),
    );
  },
  // An operation that returns nothing by default returns the object on request.
  200: (valid, listedOperation) =>
    sendOperation(listedOperation, {
      ...valid,
      ...('204' in listedOperation.operation.responses && { headers: { Prefer: 'return=representation' } }),
    }),
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

/** An atomic batch of one item, which responds with the status of the item. */
const batchOf =
  (item: () => object): StatusRecipe =>
  (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { atomic: true, items: [item()] } });
const unknownTarget = () => ({ op: 'delete', uniqueId: UNKNOWN_ID });
const unknownUpsert = { op: 'upsert', source: 'jira', externalId: UNKNOWN_ID, ifMatch: '0-0' };
const newExternalId: StatusRecipe = (valid, listedOperation) =>
  sendOperation(listedOperation, { ...valid, parameters: { ...valid.parameters, externalId: randomUUID() } });

/** Recipes for a status of one operation that needs a special request. */
const operationRecipes: Record<string, StatusRecipe> = {
  'createTask 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { title: 'x', departmentId: UNKNOWN_FRAMEWORK } }),
  'updateTask 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { departmentId: UNKNOWN_FRAMEWORK } }),
  'createRequirement 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { ref: randomUUID(), title: 'x', applicable: false } }),
  'updateRequirement 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { applicable: false } }),
  'createProof 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, body: { asOf: '2999-01-01T00:00:00Z' } }),
  'getFrameworkReport 422': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, query: '?since=2999-01-01' }),
  'listChanges 410': async (valid, listedOperation) => {
    const { id, key } = await createCompany();
    await seal({ id });
    const { cursor } = await (await callerForKey(key)).changes.list();
    await loseEvents({ id }, 1);
    return sendOperation(listedOperation, { ...valid, key, query: `?cursor=${cursor}` });
  },
  // The limited server has no signing key. Its limit counts this key anew.
  'getAuditCheckpoint 422': async (valid, listedOperation) => {
    const { key } = await createCompany();
    return sendOperation(listedOperation, { ...valid, key, baseUrl: limitedApp.url });
  },
  'updateTask 409': async (valid, listedOperation) => {
    await acme.task.update({ taskUniqueId: String(valid.parameters['taskUniqueId']), status: 'done' });
    return sendOperation(listedOperation, { ...valid, body: { status: 'canceled' } });
  },
  'listAllTasks 404': (valid, listedOperation) =>
    sendOperation(listedOperation, { ...valid, query: `?framework=${UNKNOWN_FRAMEWORK}` }),
  'putVendorByExternalId 201': newExternalId,
  'putTaskByExternalId 201': newExternalId,
  'putVendorByExternalId 404': (valid, listedOperation) =>
    newExternalId({ ...valid, query: '?create=false' }, listedOperation),
  'batchVendors 404': batchOf(unknownTarget),
  'batchTasks 404': batchOf(unknownTarget),
  'batchRequirements 404': batchOf(unknownTarget),
  'batchRequirements 412': async (valid, listedOperation) => {
    const created = Object(await sendExample('requirement.create', target));
    const item = { op: 'delete', uniqueId: String(Reflect.get(created, 'uniqueId')), ifMatch: '0-0' };
    return batchOf(() => item)(valid, listedOperation);
  },
  'batchVendors 412': batchOf(() => ({ ...unknownUpsert, body: { name: 'x' } })),
  'batchTasks 412': batchOf(() => ({ ...unknownUpsert, framework: target.framework, body: { title: 'x' } })),
};

/** Runs work while the broken server has no tables, except those that authenticate its key; or while it has no keys. */
async function withoutTables<T>(isForKeys: boolean, work: () => Promise<T>): Promise<T> {
  const tables = await brokenTarget.database.query<{ name: string }>(
    'test.tables',
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
     and (relname = 'api_key') = $1 and relname not in ('company', 'company_user')`,
    [isForKeys],
  );
  const rename = (from: string, to: string) =>
    brokenTarget.database.transaction(async (runner) => {
      await runner.run(defineStatement('test.owner', 'set local role postgres'), {}, {});
      for (const { name } of tables) {
        const change = `alter table ${name}${from} rename to ${name}${to}`;
        await runner.run(defineStatement(`test.${name}${to}`, change), {}, {});
      }
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
