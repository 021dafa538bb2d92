/** A generator of clients, and a program that makes one call with its client. */
export interface Generator {
  name: string;
  /** Command of the package and its arguments, which write the client to the folder `client`. */
  command: readonly [bin: string, ...args: string[]];
  /** Content of files that the command needs, by name. */
  files?: Readonly<Record<string, string>>;
  /**
   * A function `call` that asks `server` with the API key `key`. It reads the import `importUniqueId`, and counts the tasks with one of two
   * statuses. A third status, which has a typing error, must not compile.
   */
  program: string;
}

/** Path of the OpenAPI document in the folder of a generator. */
export const DOCUMENT = 'openapi.json';

/** @param server URL of the server; orval writes it into the client */
export const generators = (server: string): readonly Generator[] => [
  {
    name: 'openapi-typescript',
    command: ['openapi-typescript', DOCUMENT, '--output', 'client/api.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './client/api';

async function call(): Promise<Result> {
  const { GET } = createClient<paths, 'application/json'>({
    baseUrl: server,
    headers: { 'X-API-Key': key },
    querySerializer: { array: { style: 'form', explode: false } },
  });
  const { data } = await GET('/external/import/{importUniqueId}/item', { params: { path: { importUniqueId } } });
  const tasks = await GET('/external/task/list', { params: { query: { status: ['todo', 'done'] } } });
  return { uniqueId: data?.uniqueId, total: tasks.data?.total };
}
// @ts-expect-error
export const query: NonNullable<paths['/external/task/list']['get']['parameters']['query']> = { status: ['opne'] };`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', DOCUMENT, '--output', 'client', '--no-log-file', '--silent'],
    program: `
import { client } from './client/client.gen';
import { getImport, listAllTasks } from './client/sdk.gen';

async function call(): Promise<Result> {
  client.setConfig({ baseUrl: server, auth: () => key });
  const { data } = await getImport({ path: { importUniqueId } });
  const tasks = await listAllTasks({ query: { status: ['todo', 'done'] } });
  return { uniqueId: data?.uniqueId, total: tasks.data?.total };
}
// @ts-expect-error
export const misspelt = () => listAllTasks({ query: { status: ['opne'] } });`,
  },
  {
    name: 'orval',
    command: ['orval', '--config', 'orval.config.cjs'],
    files: {
      'orval.config.cjs': `module.exports = {
  api: { input: '${DOCUMENT}', output: { target: 'client/api.ts', client: 'fetch', baseUrl: '${server}' } },
};`,
    },
    program: `
import { getImport, listAllTasks } from './client/api';

async function call(): Promise<Result> {
  const options = { headers: { 'X-API-Key': key } };
  const item = await getImport(importUniqueId, options);
  const tasks = await listAllTasks({ status: ['todo', 'done'] }, options);
  return {
    uniqueId: item.status === 200 ? item.data.uniqueId : undefined,
    total: tasks.status === 200 && typeof tasks.data === 'object' ? tasks.data.total : undefined,
  };
}
// @ts-expect-error
export const misspelt = () => listAllTasks({ status: ['opne'] });`,
  },
  {
    name: 'openapi-zod-client',
    command: ['openapi-zod-client', DOCUMENT, '--output', 'client/api.ts'],
    program: `
import { createApiClient } from './client/api';

const client = createApiClient(server, {
  axiosConfig: {
    headers: { 'X-API-Key': key },
    paramsSerializer: { serialize: (query) => new URLSearchParams(query).toString() },
  },
});

async function call(): Promise<Result> {
  const { uniqueId } = await client.getImport({ params: { importUniqueId } });
  const { total } = await client.listAllTasks({ queries: { status: ['todo', 'done'] } });
  return { uniqueId, total };
}
// @ts-expect-error
export const misspelt = () => client.listAllTasks({ queries: { status: ['opne'] } });`,
  },
  {
    name: 'swagger-typescript-api',
    command: ['swagger-typescript-api', 'generate', '--path', DOCUMENT, '--output', 'client', '--name', 'api.ts'],
    program: `
import { Api } from './client/api';
import type { QueryParamsType } from './client/api';

class ListApi extends Api<unknown> {
  protected override addArrayQueryParam = (query: QueryParamsType, name: string) => this.encodeQueryParam(name, query[name].join());
}

const { external } = new ListApi({ baseUrl: server, baseApiParams: { headers: { 'X-API-Key': key } } });

async function call(): Promise<Result> {
  const { data } = await external.getImport(importUniqueId);
  const tasks = await external.listAllTasks({ status: ['todo', 'done'] });
  return { uniqueId: data.uniqueId, total: tasks.data.total };
}
// @ts-expect-error
export const misspelt = () => external.listAllTasks({ status: ['opne'] });`,
  },
];
