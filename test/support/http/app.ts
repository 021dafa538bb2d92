import type { AnyTRPCRouter } from '@trpc/server';
import Koa from 'koa';
import { createApp } from '../../../server/app.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import { openRateLimits } from '../../../server/auth/rate-limit.ts';
import type { RateLimits } from '../../../server/auth/rate-limit.ts';
import { errorHandler } from '../../../server/http/error-handler.ts';
import type { RequestState } from '../../../server/http/request-state.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { restHandler } from '../../../server/rest/handler.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database } from '../database/database.ts';
import { assertConforms } from '../openapi/conformance.ts';
import { OPERATOR_TOKEN } from '../tenants/company.ts';
import { untilServed } from './client.ts';

interface AppOptions extends NonNullable<Parameters<typeof createApp>[3]> {
  log?: Parameters<typeof createApp>[2];
}

/** Starts a separate server with these options. `ask` sends a request and checks that the response conforms to the document. */
export async function startApp({ log = createLog('silent'), ...options }: AppOptions, appDatabase = database) {
  const server = new HttpServer(createApp(appDatabase, OPERATOR_TOKEN, log, options).callback());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const { response, ...received } = await untilServed(async () => {
      const sent = await fetch(`${url}${path}`, { ...init, headers });
      const text = await sent.clone().text();
      return { response: sent, status: sent.status, headers: Object.fromEntries(sent.headers), text };
    });
    assertConforms(init.method ?? 'GET', path, received);
    return response;
  };
  return { url, ask, stop: () => server.stop(0) };
}

/** Starts a server that has only these procedures, over REST. */
export async function startRest(router: AnyTRPCRouter) {
  const app = new Koa<RequestState>();
  app.use(async (ctx, next) => {
    ctx.state.requestId = 'a-request';
    await next();
  });
  app.use(errorHandler(createLog('silent')));
  app.use(restHandler(createAuthentication(database, OPERATOR_TOKEN).apiKey, { router }));
  const server = new HttpServer(app.callback());
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), stop: () => server.stop(0) };
}

interface LimitOptions extends NonNullable<Parameters<typeof openRateLimits>[2]> {
  companyRateLimitPerMinute?: number;
  redisUrl?: string;
  log?: Parameters<typeof openRateLimits>[1];
}

/** Opens rate limits whose clock stands still, so that nothing comes back, unless the test moves it. */
export async function openTestRateLimits(
  rateLimitPerMinute: number,
  { companyRateLimitPerMinute = 0, redisUrl, log = createLog('silent'), ...options }: LimitOptions = {},
): Promise<RateLimits> {
  const settings = { rateLimitPerMinute, companyRateLimitPerMinute, redisUrl };
  const limits = await openRateLimits(settings, log, { now: () => 0, ...options });
  if (limits === undefined) throw new Error('rateLimitPerMinute: expected a positive integer');
  return limits;
}
