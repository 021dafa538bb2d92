import { rm } from 'node:fs/promises';
import type { Middleware } from 'koa';
import type { Database } from '../../database/database.ts';
import { ApiError } from '../../entities/api-error.ts';
import { requireOperator } from '../../procedures/core/trpc.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { stagingDir } from '../config/data-dir.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { sendChunks } from '../rest/response/stream.ts';

/** Path of the backup download. */
export const BACKUP_PATH = '/operator/backup';

/** Error message for PostgreSQL, which this service does not back up. */
export const POSTGRESQL_BACKUP_HINT = 'PostgreSQL is backed up with pg_dump or pg_basebackup: docs/operations.md';

/**
 * Sends a backup of the embedded database to the operator (decision 0032). Other requests wait while the files are
 * copied, but not while the copy is sent.
 */
export function backupRoute(
  authenticate: Authentication['anyCredential'],
  database: Database,
  dataDir: string,
): Middleware<RequestState> {
  let isRunning = false;
  return async (ctx) => {
    const { context } = await authenticate({
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId: ctx.state.requestId,
      requestOrigin: () => requestOrigin(ctx),
    });
    requireOperator(context);
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx, ['POST']);
    const { files } = database;
    if (files === undefined) throw new ApiError('unprocessable', POSTGRESQL_BACKUP_HINT);
    if (isRunning) throw new ApiError('conflict', 'Another backup is in progress.');
    isRunning = true;
    const folder = await stagingDir(dataDir);
    try {
      // Imported here, so that it does not delay the start of the service.
      const { createArchive } = await import('./archive.ts');
      const archive = await createArchive((copy) => files.copyTo(copy), folder);
      ctx.type = 'application/gzip';
      await sendChunks(ctx, () => archive);
    } finally {
      isRunning = false;
      await rm(folder, { recursive: true, force: true });
    }
  };
}
