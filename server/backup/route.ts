import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Middleware } from 'koa';
import type { Database } from '../../entities/database/database.ts';
import { Refusal } from '../../entities/refusal.ts';
import { requireOperator } from '../../procedures/trpc.ts';
import type { Authentication } from '../context.ts';
import { draftFolder } from '../data-folder.ts';
import { isGone } from '../parts.ts';
import type { State } from '../refuse.ts';
import { atClientsPace } from '../shedding.ts';

/** Where the operator asks for a backup. */
export const BACKUP = '/operator/backup';

/** Where PostgreSQL is concerned, of which no backup is made here. */
export const NOT_HERE = 'PostgreSQL is backed up with pg_dump or pg_basebackup: docs/backups.md';

/**
 * Sends a backup of the embedded database to the operator: docs/decisions/0032-backups.md. Other requests wait while the
 * files are copied, not while the copy is sent.
 */
export function backup(authenticate: Authentication['any'], database: Database, dataDir: string): Middleware<State> {
  let busy = false;
  return async (ctx) => {
    const { context } = await authenticate({
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId: ctx.state.requestId,
    });
    requireOperator(context);
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new Refusal('method_not_allowed', 'This path takes POST.');
    }
    if (database.files === undefined) throw new Refusal('unprocessable', NOT_HERE);
    if (busy) throw new Refusal('conflict', 'A backup is being made.');
    busy = true;
    const folder = await draftFolder(dataDir);
    try {
      // Loaded when it is needed: a start need not wait for that.
      const { archiveOf } = await import('./archive.ts');
      const archive = await archiveOf(database.files, folder);
      ctx.type = 'application/gzip';
      ctx.status = 200;
      ctx.respond = false;
      await atClientsPace(ctx, () => pipeline(archive, ctx.res));
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      busy = false;
      await rm(folder, { recursive: true, force: true });
    }
  };
}
