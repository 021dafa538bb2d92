import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Middleware } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import { noSuchPath, requireSafeMethod } from './error-handler.ts';
import type { RequestState } from './request-state.ts';

/** Prefix of the packages for programs that call this server. */
export const PACKAGES_PATH = '/packages';

/** Files that `docs/clients/packages.ts` makes. */
const NAMES = ['client.tgz', 'api-types.tgz'] as const;

/** Directory of these files. */
const DEFAULT_DIRECTORY = new URL('../../dist/packages/', import.meta.url);

interface PackageFile {
  content: Buffer;
  entityTag: string;
}

/**
 * Serves the packages of this version, so that `npm install <address>/packages/client.tgz` works. They need no key, because they contain
 * nothing but the code of the client and the types of the public document. An upgrade changes the file at the same address, so caches
 * must ask again. Each file is read once and stays in memory.
 */
export function packages(directory: URL = DEFAULT_DIRECTORY): Middleware<RequestState> {
  const files = new Map<string, Promise<PackageFile>>();
  const read = async (name: string): Promise<PackageFile> => {
    const content = await readFile(new URL(name, directory)).catch((cause: unknown) => {
      files.delete(name); // the next request tries again
      throw isMissing(cause) ? notBuilt() : cause;
    });
    return { content, entityTag: `"${hash('sha256', content).slice(0, 16)}"` };
  };
  return async (ctx) => {
    requireSafeMethod(ctx);
    const name = NAMES.find((known) => ctx.path === `${PACKAGES_PATH}/${known}`);
    if (name === undefined) throw noSuchPath();
    const reading = files.get(name) ?? read(name);
    files.set(name, reading);
    const { content, entityTag } = await reading;
    ctx.set({ 'Cache-Control': 'public, no-cache', ETag: entityTag });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', 'application/gzip');
    ctx.body = content;
  };
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const notBuilt = () =>
  new ApiError('not_found', 'This installation does not have the packages. npm run build:packages makes them.');
