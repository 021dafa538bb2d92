import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { PGlite, protocol } from '@electric-sql/pglite';
import { joinResponse } from './ready-for-query.ts';
import { SET_SERVICE_ROLE } from './service-role.ts';

// The thread of the embedded database. It runs the messages of PostgreSQL's protocol that a connection sends over its port, one
// after the other, so that no statement keeps the thread of the requests busy.

/** Data of the thread. */
export interface DatabaseThreadData {
  /** Data directory; undefined for a database in memory. */
  folder: string | undefined;
  /** Archive with the files of a new database; undefined for an empty one. */
  template: string | undefined;
}

/** Messages to the thread: a new connection, which replaces the previous one, or the end. */
export type DatabaseThreadMessage = { connection: MessagePort } | 'close';

/** Memory of PostgreSQL for pages of tables. The operating system caches the same files. */
const SHARED_BUFFERS = '32MB';

/** Commands that end the session of the previous connection. PGlite has one session, which outlives its connections. */
const NEW_SESSION = ['rollback', 'discard all', 'listen api_key_changed', 'listen audit_sealed', SET_SERVICE_ROLE];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- EmbeddedServer passes it
const { folder, template } = workerData as DatabaseThreadData;
const loadDataDir = await newDatabaseFiles();
const pglite = new PGlite({
  dataDir: folder ?? 'memory://',
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`, '-c', 'timezone=UTC'],
  ...(loadDataDir !== undefined && { loadDataDir }),
});
await pglite.waitReady;

let current: MessagePort | undefined;
parentPort?.on('message', (message: DatabaseThreadMessage) => {
  current?.close();
  if (message === 'close') void pglite.close().then(() => parentPort?.close());
  else {
    const { connection } = message;
    current = connection;
    for (const command of NEW_SESSION) run(protocol.serialize.query(command));
    connection.on('message', (request: Uint8Array) => {
      const response = run(request);
      connection.postMessage(response, [response.buffer]);
    });
  }
});
parentPort?.postMessage('ready', []);

/** Runs the messages of a request. PGlite runs them before it returns a promise, which concerns only other file systems. */
function run(request: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  // PGlite reuses the memory of a chunk.
  void pglite.execProtocolRawStream(request, { onRawData: (chunk) => chunks.push(chunk.slice()) });
  return joinResponse(chunks);
}

/**
 * Returns the files of a new database, which are two seconds faster than initdb; undefined if the folder has a database.
 * PG_VERSION is among the last files that PGlite writes, so after an interruption the next start writes all of them again.
 */
async function newDatabaseFiles(): Promise<Blob | undefined> {
  if (folder !== undefined && existsSync(join(folder, 'PG_VERSION'))) return undefined;
  if (template !== undefined) return new Blob([await readFile(template)]);
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs');
  return dataDir();
}
