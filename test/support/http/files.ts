import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { companyProcedure, router } from '../../../procedures/core/trpc.ts';
import { DEFAULT_MAX_FILE_BYTES } from '../../../procedures/core/storage.ts';
import { FileContent } from '../../../procedures/schemas/file-content.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import type { RateLimits } from '../../../server/auth/rate-limit.ts';
import { PageOrigins } from '../../../server/auth/same-origin.ts';
import { sessionCookie } from '../../../server/auth/cookies.ts';
import { createSessionAuthentication, onlySession } from '../../../server/auth/web-session.ts';
import { errorHandler, noSuchPath } from '../../../server/http/error-handler.ts';
import { LoadShedder } from '../../../server/http/load-shedding.ts';
import type { RequestState } from '../../../server/http/request-state.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { restHandler } from '../../../server/rest/handler.ts';
import { assignRequestId } from '../../../server/telemetry/request-id.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database } from '../database/database.ts';
import { OPERATOR_TOKEN } from '../tenants/company.ts';
import { services } from '../tenants/member.ts';

interface StoredFile {
  name: string;
  mediaType: string;
  content: Buffer;
  /** True after a resolver has used it. */
  isUsed: boolean;
}

/** Files of the server, by id. */
export const files = new Map<string, StoredFile>();

export const sha256Of = (content: string | Buffer, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(content).digest(encoding);

/** Ids of files that are read now. */
export const beingRead = new Set<string>();

const File = z.strictObject({ file: z.string() });
const Stored = z.object({ uniqueId: z.string(), name: z.string(), mediaType: z.string(), size: z.int() });

/** Procedures that keep files in memory. */
export const fileProcedures = router({
  file: router({
    create: companyProcedure('vendor:write')
      .meta({
        openapi: { method: 'POST', path: '/external/folder/{folder}/file/new', summary: 'Creates a file' },
        body: {
          kind: 'file',
          formats: 'any',
          maxBytes: ({ storage } = {}) => storage?.maxBytes ?? DEFAULT_MAX_FILE_BYTES,
          queryFields: ['name'],
          store: async (_session, { mediaType }, content) => {
            const parts = await Array.fromAsync(content);
            const uniqueId = newUniqueId();
            const whole = Buffer.concat(parts);
            files.set(uniqueId, { name: '', mediaType, content: whole, isUsed: false });
            return { uniqueId, bytes: whole.length, sha256: sha256Of(whole), mediaType };
          },
          discard: async (_session, { uniqueId }) => {
            if (files.get(uniqueId)?.isUsed === false) files.delete(uniqueId);
          },
        },
        response: { kind: 'json', location: '/external/file/{uniqueId}/item' },
        session: true,
      })
      .input(z.strictObject({ folder: z.string(), name: z.string() }))
      .output(Stored)
      .mutation(({ ctx: { upload }, input: { name } }) => {
        const uniqueId = upload?.file?.uniqueId ?? '';
        const file = files.get(uniqueId);
        if (file === undefined) throw new Error('upload: expected a file');
        if (name === 'taken') throw new ApiError('conflict', 'name: taken');
        Object.assign(file, { name, isUsed: true });
        return { uniqueId, name, mediaType: file.mediaType, size: file.content.length };
      }),
    get: companyProcedure('vendor:read')
      .meta({ openapi: { method: 'GET', path: '/external/file/{file}/item', summary: 'Reads a file' } })
      .input(File)
      .output(Stored)
      .query(({ input }) => {
        const { name, mediaType, content } = fileOf(input.file);
        return { uniqueId: input.file, name, mediaType, size: content.length };
      }),
    content: companyProcedure('vendor:read')
      .meta({
        openapi: { method: 'GET', path: '/external/file/{file}/content', summary: 'Reads the content of a file' },
        response: { kind: 'bytes' },
        session: true,
      })
      .input(File)
      .output(FileContent)
      .query(({ input }) => {
        const { name, mediaType, content } = fileOf(input.file);
        return {
          name,
          mediaType,
          size: content.length,
          sha256: sha256Of(content),
          async *read({ start, end }) {
            if (name === 'broken') throw new ApiError('unavailable', 'The storage does not respond.');
            beingRead.add(input.file);
            try {
              if (name === 'slow') await wait(500);
              for (let from = start; from <= end; from += 65_536)
                yield await Promise.resolve(content.subarray(from, Math.min(from + 65_536, end + 1)));
            } finally {
              beingRead.delete(input.file);
            }
          },
        };
      }),
  }),
});

function fileOf(uniqueId: string): StoredFile {
  const file = files.get(uniqueId);
  if (file === undefined) throw new ApiError('not_found', 'file: not found');
  return file;
}

/** Stores a file directly. @returns its id */
export function addFile(content: string | Buffer, name = 'Report.txt'): string {
  const uniqueId = newUniqueId();
  files.set(uniqueId, { name, mediaType: 'text/plain', content: Buffer.from(content), isUsed: true });
  return uniqueId;
}

/** Starts a server with these procedures, for keys below `/external` and for members below `/session`. */
export async function startFileServer(limits?: RateLimits) {
  const cookie = sessionCookie(services.appUrl);
  const origins = new PageOrigins({ appUrl: services.appUrl, corsOrigins: [], host: '127.0.0.1' });
  const sessions = createSessionAuthentication(database, cookie, origins);
  const loadShedder = new LoadShedder(createLog('silent'), []);
  const options = { router: fileProcedures, services, limits };
  const external = restHandler(createAuthentication(database, OPERATOR_TOKEN, sessions).apiKey, options);
  const forSessions = restHandler(onlySession(sessions), { ...options, forSessions: true });
  const app = new Koa<RequestState>();
  app.silent = true;
  app.use(assignRequestId((text) => text));
  app.use(errorHandler(createLog('silent')));
  app.use(loadShedder.middleware);
  app.use((ctx, next) => (ctx.path.startsWith('/session') ? forSessions : external)(ctx, next));
  app.use(() => {
    throw noSuchPath();
  });
  const server = new HttpServer(app.callback());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const stop = async () => {
    loadShedder.stop();
    await server.stop(0);
  };
  return { url, stop, cookieOf: (token: string) => cookie.header(token).split(';', 1).join('') };
}

/** Opens a connection, sends these bytes, and collects the response. */
export function sendBytes(url: string, ...parts: (string | Buffer)[]) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const client = { socket, text: '', isOpen: true };
  socket.on('data', (chunk) => (client.text += String(chunk)));
  socket.on('error', () => {}).on('close', () => (client.isOpen = false));
  for (const part of parts) socket.write(part);
  return client;
}
