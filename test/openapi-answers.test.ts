import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../entities/database/database.ts';
import { openEmbedded } from '../entities/database/embedded.ts';
import { openPostgreSql } from '../entities/database/postgresql.ts';
import { Session } from '../entities/database/session.ts';
import { statement } from '../entities/database/statement.ts';
import { operatorOf } from '../entities/principal.ts';
import { claimName } from '../entities/statements/remembered-answer.ts';
import { createDemo } from '../server/demo.ts';
import { PROBLEM } from '../server/problem.ts';
import { limitsOf, startApp } from './support/app.ts';
import { company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { openApi } from './support/conformity.ts';
import { database } from './support/database.ts';
import { http, serverOn, url } from './support/server.ts';
import type { Answer } from './support/server.ts';

// Every status that the document lists for an operation is reached here, and each answer is what the document says of
// it: the latter is looked at wherever a test calls the server (support/conformity.ts).

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const NO_FRAMEWORK = 2_147_483_647;

/** A request that would succeed, and what to turn it into. */
interface Asked {
  parameters: Record<string, string | number>;
  body: unknown;
  query?: string;
  headers?: Record<string, string>;
  key?: string | undefined;
  at?: string;
}

/** The parts of a company, on one server. */
interface Place {
  at: string;
  key: string;
  framework: number;
  newTask: () => Promise<string>;
  newVendor: () => Promise<string>;
}

let acme: TestCompany;
let here: Place;
/** A server whose database has lost its tables, and one whose database cannot be reached. */
let broken: Place & { database: Database };
let unreached: string;
/** A server that has answered all that the key may ask it. */
let limited: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  acme = await company();
  here = placeOf(url, acme.key, acme.framework);
  const apart = await openEmbedded();
  await apart.migrate();
  const demo = await createDemo(apart);
  broken = { ...placeOf(await serverOn(apart), demo?.key ?? '', demo?.framework ?? 0), database: apart };
  unreached = await serverOn(await openPostgreSql('postgresql://nobody@127.0.0.1:1/nothing'));
  limited = await startApp({ limits: await limitsOf(1, 3600) });
  await http('GET', '/external/api-key/whoami', { at: limited.url, key: acme.key });
  // Making a database holds up this thread, in which the server is too: let it close what was idle meanwhile.
  await wait(200);
});

afterAll(async () => {
  await limited.stop();
  await broken.database.close();
});

function placeOf(at: string, key: string, framework: number): Place {
  const create = async (path: string, body: object) => {
    const { body: made } = await http('POST', path, { at, key, body });
    return String(Reflect.get(Object(made), 'uniqueId'));
  };
  return {
    at,
    key,
    framework,
    newTask: () => create(`/external/task/framework/${framework}/new`, { title: 'Review' }),
    newVendor: () => create('/external/smart-inventory/vendor/new', { name: 'Cloud Ltd' }),
  };
}

const operations = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ method: verb.toUpperCase(), template, operation })),
);
type Listed = (typeof operations)[number];

/** A request that succeeds: the parameters of the path, and the body that the document shows. */
async function wellAsked({ template, operation }: Listed, { framework, newTask, newVendor }: Place): Promise<Asked> {
  return {
    parameters: {
      framework,
      ...(template.includes('{taskUniqueId}') && { taskUniqueId: await newTask() }),
      ...(template.includes('{vendor}') && { vendor: await newVendor() }),
    },
    body: operation.requestBody?.content['application/json']?.example,
  };
}

function ask({ method, template }: Listed, { parameters, query = '', body, key = here.key, at, headers }: Asked) {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  return http(method, path + query, { ...(key !== '' && { key }), body, at, ...(headers && { headers }) });
}

type Recipe = (asked: Asked, listed: Listed) => Promise<Answer>;

/** How each status of an error is reached, whatever the operation. */
const recipes: Record<number, Recipe> = {
  400: (asked, listed) => ask(listed, { ...asked, query: '?colour=red' }),
  401: (asked, listed) => ask(listed, { ...asked, key: '' }),
  403: async (asked, listed) => {
    const { key } = await acme.manage.apiKey.create({ name: 'Elsewhere', cidrs: ['192.0.2.0/24'] });
    return ask(listed, { ...asked, key });
  },
  404: (asked, listed) =>
    ask(listed, { ...asked, parameters: { framework: NO_FRAMEWORK, taskUniqueId: NOBODY, vendor: NOBODY } }),
  413: (asked, listed) => ask(listed, { ...asked, body: { description: 'x'.repeat(300_000) } }),
  415: (asked, listed) => ask(listed, { ...asked, headers: { ...asked.headers, 'Content-Type': 'text/plain' } }),
  304: (asked, listed) => ask(listed, { ...asked, headers: { 'If-None-Match': '*' } }),
  409: (asked, listed) => whileCarriedOut(randomUUID(), (headers) => ask(listed, { ...asked, headers })),
  412: (asked, listed) => ask(listed, { ...asked, headers: { ...asked.headers, 'If-Match': '"0-0"' } }),
  422: async (asked, listed) => {
    const headers = { ...asked.headers, 'Idempotency-Key': randomUUID() };
    await ask(listed, { ...asked, headers });
    const { parameters, body } = await wellAsked(listed, here);
    return ask(listed, { ...asked, parameters, headers, body: body && { ...Object(body), description: 'Another' } });
  },
  429: (asked, listed) => ask(listed, { ...asked, at: limited.url }),
  503: (asked, listed) => ask(listed, { ...asked, at: unreached }),
  500: async ({ headers }, listed) => {
    const asked = { ...(await wellAsked(listed, broken)), ...(headers && { headers }) };
    return without(TABLES[listed.operation.operationId] ?? ['task', 'vendor', 'audit_event'], () =>
      ask(listed, { ...asked, key: broken.key, at: broken.at }),
    );
  },
};

/** Asks under a name that a transaction elsewhere has claimed, or, in the embedded database, holds up. */
async function whileCarriedOut(name: string, askWith: (headers: Record<string, string>) => Promise<Answer>) {
  const principal = { ...operatorOf(acme.id), user: acme.apiKey.user, key: acme.apiKey.uniqueId };
  const claimed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await http('GET', '/external/api-key/whoami', { key: acme.key }); // the key is known, and need not be asked for below
  const elsewhere = new Session(database, principal, 'elsewhere').transaction(async (inside) => {
    await inside.run(claimName, { name: hash('sha256', name, 'buffer') });
    claimed.resolve();
    await ended.promise;
  });
  await claimed.promise;
  const answers = [1, 2].map(() => askWith({ 'Idempotency-Key': name }));
  const first = await Promise.race(answers);
  ended.resolve();
  await Promise.all([...answers, elsewhere]);
  return first;
}

/** What an operation works on, where it is not what the others do. */
const TABLES: Record<string, string[]> = { getOwnApiKey: ['api_key'], listTasks: ['task_count'] };

/** Where a status needs more than a turn of a request that succeeds. */
const recipesOf: Record<string, Recipe> = {
  'createTask 422': (asked, listed) => ask(listed, { ...asked, body: { title: 'x', departmentId: NO_FRAMEWORK } }),
  'updateTask 422': (asked, listed) => ask(listed, { ...asked, body: { departmentId: NO_FRAMEWORK } }),
  'updateVendor 200': (asked, listed) => ask(listed, { ...asked, headers: { Prefer: 'return=representation' } }),
  'updateTask 409': async (asked, listed) => {
    await acme.task.update({ taskUniqueId: String(asked.parameters['taskUniqueId']), status: 'done' });
    return ask(listed, { ...asked, body: { status: 'in_review' } });
  },
};

async function without<T>(tables: string[], work: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) =>
    broken.database.transaction(async (runner) => {
      const changes = tables.map((table) => `alter table ${table}${from} rename to ${table}${to}`);
      for (const change of ['set local role postgres', ...changes]) await runner.run(statement(change, change), {}, {});
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
  expect(await reach(operationId, status, listed)).toMatchObject({ status });
});

test.for(cases.filter(([operationId, status]) => operationId === 'updateTask' && status >= 400))(
  '%s answers %i as a problem too',
  async ([operationId, status, listed]) => {
    const answer = await reach(operationId, status, listed, { Accept: PROBLEM });
    expect(answer).toMatchObject({ status, headers: { 'content-type': PROBLEM } });
  },
);

async function reach(operationId: string, status: number, listed: Listed, headers?: Record<string, string>) {
  const recipe =
    recipesOf[`${operationId} ${status}`] ??
    recipes[status] ??
    (status < 400 ? (asked: Asked) => ask(listed, asked) : undefined);
  if (recipe === undefined)
    throw new Error(`the document lists ${status} for ${operationId}, and nothing here reaches it`);
  return recipe({ ...(await wellAsked(listed, here)), ...(headers && { headers }) }, listed);
}
