/** A generator of clients, and a program that makes one call with its client. */
export interface Generator {
  name: string;
  /** Command of the package and its arguments, which write the client to the folder `client`. */
  command: readonly [bin: string, ...args: string[]];
  /** Content of files that the command needs, by name. */
  files?: Readonly<Record<string, string>>;
  /** A function `call` that reads the import `importUniqueId` of `server` with the API key `key`, and returns its `uniqueId`. */
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

async function call(): Promise<string | undefined> {
  const { GET } = createClient<paths, 'application/json'>({ baseUrl: server, headers: { 'X-API-Key': key } });
  const { data } = await GET('/external/import/{importUniqueId}/item', { params: { path: { importUniqueId } } });
  return data?.uniqueId;
}`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', DOCUMENT, '--output', 'client', '--no-log-file', '--silent'],
    program: `
import { client } from './client/client.gen';
import { getImport } from './client/sdk.gen';

async function call(): Promise<string | undefined> {
  client.setConfig({ baseUrl: server, auth: () => key });
  const { data } = await getImport({ path: { importUniqueId } });
  return data?.uniqueId;
}`,
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
import { getImport } from './client/api';

async function call(): Promise<string | undefined> {
  const response = await getImport(importUniqueId, { headers: { 'X-API-Key': key } });
  return response.status === 200 ? response.data.uniqueId : undefined;
}`,
  },
  {
    name: 'openapi-zod-client',
    command: ['openapi-zod-client', DOCUMENT, '--output', 'client/api.ts'],
    program: `
import { createApiClient } from './client/api';

async function call(): Promise<string | undefined> {
  const client = createApiClient(server, { axiosConfig: { headers: { 'X-API-Key': key } } });
  const item = await client.getImport({ params: { importUniqueId } });
  return item.uniqueId;
}`,
  },
  {
    name: 'swagger-typescript-api',
    command: ['swagger-typescript-api', 'generate', '--path', DOCUMENT, '--output', 'client', '--name', 'api.ts'],
    program: `
import { Api } from './client/api';

async function call(): Promise<string | undefined> {
  const { external } = new Api({ baseUrl: server, baseApiParams: { headers: { 'X-API-Key': key } } });
  const { data } = await external.getImport(importUniqueId);
  return data.uniqueId;
}`,
  },
];
