import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../database/database.ts';
import { DEFAULT_MAX_FILE_BYTES } from '../../../procedures/core/storage.ts';
import type { Storage } from '../../../procedures/core/storage.ts';
import { createApp } from '../../../server/app.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { openStorage } from '../../../server/storage/open.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database, databaseUrl } from '../database/database.ts';
import { assertConforms } from '../openapi/conformance.ts';
import { RAW_KEY_PATTERN } from '../database/stored-secrets.ts';
import { OPERATOR_TOKEN } from '../tenants/company.ts';
import { services } from '../tenants/member.ts';
import { sendRequest, untilServed } from './client.ts';
import type { HttpResponse as Response } from './client.ts';

/** Starts a server on a free port. It runs until the test worker exits. Webhooks may be on this machine. */
export async function startServer(serverDatabase: Database, storage?: Storage): Promise<string> {
  const app = createApp(serverDatabase, OPERATOR_TOKEN, createLog('silent'), {
    services: {
      ...services,
      storage: storage ?? (await openServerStorage(serverDatabase)),
      appUrl: () => 'http://localhost',
    },
  });
  return new HttpServer(app.callback()).listen({ host: '127.0.0.1', port: 0 });
}

/** Opens stores whose folder is deleted when the test worker exits. */
async function openServerStorage(serverDatabase: Database): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'test-server-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const settings = {
    s3: undefined,
    databaseUrl: serverDatabase.files === undefined ? databaseUrl : undefined,
    dataDir,
    evidenceMaxBytes: DEFAULT_MAX_FILE_BYTES,
    evidenceQuotaBytes: 1_000_000_000,
  };
  const storage = await openStorage(settings, serverDatabase, createLog('silent'));
  storage.stop();
  // All servers on one database read the same files. Those in the folder of another test are only removed.
  return { ...storage, current: serverDatabase.files === undefined ? 'database' : 'files' };
}

/** Stores of the server of this test worker. */
export const serverStorage = await openServerStorage(database);

/** URL of the server of this test worker. */
export const url = await startServer(database, serverStorage);

const { port } = new URL(url);

/** The two procedures whose responses contain a raw key. */
const RETURNS_RAW_KEY = /^\/trpc\/management\.apiKey\.(create|rotate)\b/;

export interface HttpResponse extends Response {
  /** The parsed JSON body; undefined if the response has none. */
  body: unknown;
}

interface RequestOptions {
  key?: string;
  headers?: Record<string, string>;
  /** URL of another server than the test worker's. */
  baseUrl?: string | undefined;
  /** Sent as JSON, except a string or buffer, which is sent unchanged. Sets the content type. */
  body?: unknown;
  /** False returns the 503 of a busy server instead of sending the request again. */
  repeats?: boolean;
}

/** Longer than the exports and waits of a test. */
const TIMEOUT_MS = 240_000;

/** Sends a request with `node:http`, because fetch normalizes some requests. Checks that the response conforms to the document. */
export async function http(
  method: string,
  path: string,
  { key, headers = {}, body, baseUrl = url, repeats = true }: RequestOptions = {},
): Promise<HttpResponse> {
  const allHeaders = { ...(key !== undefined && { 'X-API-Key': key }), ...headers };
  const send = () => sendRequest(baseUrl, { method, target: path, headers: allHeaders, body, timeoutMs: TIMEOUT_MS });
  const response = repeats ? await untilServed(send) : await send();
  if (RAW_KEY_PATTERN.test(response.text) && !RETURNS_RAW_KEY.test(path))
    throw new Error(`${method} ${path}: the response contains a raw key`);
  assertConforms(method, path, response);
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && response.text !== '';
  return { ...response, body: isJson ? JSON.parse(response.text) : undefined };
}

/** Sends raw bytes, for example malformed HTTP. Returns everything received until the server closes the connection. */
export function sendRaw(bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.on('end', () => socket.end());
  socket.on('close', () => resolve(text));
  socket.on('error', reject);
  return promise;
}
