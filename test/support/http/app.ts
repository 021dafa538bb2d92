import { createApp } from '../../../server/app.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { openRateLimits } from '../../../server/auth/rate-limit.ts';
import type { RateLimits } from '../../../server/auth/rate-limit.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { OPERATOR_TOKEN } from '../tenants/company.ts';
import { assertConforms } from '../openapi/conformance.ts';
import { database } from '../database/database.ts';

type AppOptions = NonNullable<Parameters<typeof createApp>[3]>;

/** A server of its own with these options: a function that asks it, and one that ends it. */
export async function startApp(options: AppOptions, appDatabase = database) {
  const server = new HttpServer(createApp(appDatabase, OPERATOR_TOKEN, createLog('silent'), options).callback());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { ...init, headers });
    assertConforms(init.method ?? 'GET', path, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.clone().text(),
    });
    return response;
  };
  return { url, ask, stop: () => server.stop() };
}

/** Limits with a window that a test can wait for. */
export async function openTestRateLimits(
  rateLimitPerMinute: number,
  windowSeconds = 60,
  redisUrl?: string,
  log = createLog('silent'),
): Promise<RateLimits> {
  const limits = await openRateLimits({ rateLimitPerMinute, redisUrl }, log, windowSeconds);
  if (limits === undefined) throw new Error('a limit of 0 is none');
  return limits;
}
