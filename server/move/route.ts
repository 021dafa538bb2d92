import type { Middleware } from 'koa';
import { Session } from '../../database/session.ts';
import type { Database } from '../../database/database.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { lockPlace } from '../../entities/company/moving.ts';
import { findStoredFile } from '../../entities/file/statements.ts';
import { requireOperator } from '../../procedures/core/trpc.ts';
import type { Services } from '../../procedures/core/services.ts';
import { verifiedBytes } from '../../procedures/core/storage.ts';
import { storageOf } from '../../procedures/evidence/upload.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { readSlowly } from '../http/body/slow-uploads.ts';
import { sendChunks } from '../rest/response/stream.ts';

/** Path of the files of a company that is being moved: `/operator/files/<company>/<uniqueId>`. */
export const FILES_PATH = '/operator/files';
const PATTERN = /^\/operator\/files\/([1-9]\d{0,9})\/([0-9a-f-]{36})$/;

/** Sends the bytes of a file of a frozen company to the operator, and receives those of a company that arrives. */
export function movedFilesRoute(
  authenticate: Authentication['anyCredential'],
  database: Database,
  services: Services,
): Middleware<RequestState> {
  return async (ctx) => {
    const { context } = await authenticate({
      headers: ctx.req.headers,
      address: ctx.ip,
      requestId: ctx.state.requestId,
      requestOrigin: () => requestOrigin(ctx),
    });
    requireOperator(context);
    const [, id, uniqueId = ''] = PATTERN.exec(ctx.path) ?? [];
    if (id === undefined || !isUniqueId(uniqueId)) throw notFound('file');
    if (ctx.method !== 'GET' && ctx.method !== 'PUT') throw methodNotAllowed(ctx, ['GET', 'PUT']);
    const company = Number(id);
    const session = new Session(database, null, ctx.state.requestId).asOperator(company);
    const file = await session.first(findStoredFile, { uniqueId });
    const place = await session.first(lockPlace, {});
    if (file === undefined || place === undefined) throw notFound('file');
    const storage = storageOf(services);
    const key = { company, uniqueId };
    if (ctx.method === 'GET') {
      if (!place.isFrozen) throw new ApiError('conflict', `company: ${company} is not frozen`);
      ctx.type = 'application/octet-stream';
      ctx.length = file.size;
      const bytes = storage.store(file.store, file.place).read(key, { start: 0, end: file.size - 1 });
      await sendChunks(ctx, () => verifiedBytes(bytes, file.sha256));
      return;
    }
    if (!place.isArriving) throw new ApiError('conflict', `company: ${company} does not arrive here`);
    const spooled = await storage.spool(readSlowly(ctx, file.size), file.size);
    try {
      if (spooled.sha256 !== file.sha256 || spooled.size !== file.size)
        throw new ApiError('unprocessable', `file: ${uniqueId} has other bytes than its row says`);
      await storage.store(file.store, file.place).put(key, spooled);
    } finally {
      await storage.discard(spooled);
    }
    ctx.status = 204;
  };
}
