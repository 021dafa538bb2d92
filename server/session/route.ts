import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { parseInput } from '../../procedures/core/errors.ts';
import type { Services } from '../../procedures/core/services.ts';
import type { Browser, SignInRequest } from '../../procedures/sign-in/attempts.ts';
import type { CurrentSession } from '../../procedures/sign-in/web-sessions.ts';
import type { ServiceFacts } from '../../procedures/sign-in/service-facts.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import type { PageOrigins } from '../auth/same-origin.ts';
import type { SessionCookie } from '../auth/cookies.ts';
import { onlySession } from '../auth/web-session.ts';
import type { SessionAuthentication } from '../auth/web-session.ts';
import { isSafeMethod } from '../http/error-handler.ts';
import { identify } from '../http/load-shedding.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import type { RequestState } from '../http/request-state.ts';
import type { OpenIdClient } from './openid.ts';
import type { Recent } from './recent.ts';
import type { SignInLimits } from './sign-in-limits.ts';

/** Dependencies of the routes below `/session`. */
export interface SessionDependencies {
  database: Database;
  services: Services;
  cookie: SessionCookie;
  sessions: SessionAuthentication;
  origins: PageOrigins;
  attempts: SignInLimits;
  log: Logger;
  openId: OpenIdClient;
  /** Facts for the sign-in page, which everybody may ask for. */
  facts: Recent<ServiceFacts>;
}

/** Dependencies that a server gives. */
export interface SessionOptions extends Omit<SessionDependencies, 'openId' | 'facts'> {
  /** Returns true if identity providers may be on this machine; by default if APP_URL is. */
  takesLocalProviders?: (() => boolean) | undefined;
}

export type Context = ParameterizedContext<RequestState>;

/** A route below `/session`. Contract, section 16. */
export interface SessionRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Exact path, or one that ends with a parameter, such as `/session/unsubscribe/{token}`. */
  path: string;
  /** True for a route that takes requests of other origins: the redirect of an identity provider, and mail clients. */
  isCrossOrigin?: true;
  /** True for a GET that changes something, which a HEAD must not do (RFC 9110, section 9.2.1). */
  hasEffects?: true;
  handle: (ctx: Context, dependencies: SessionDependencies, parameter: string) => Promise<void>;
}

/** Database session of a request that has no principal yet. */
export const anonymousSession = (ctx: Context, { database }: SessionDependencies): Session<null> =>
  new Session(database, null, ctx.state.requestId, { timeoutMs: TIMEOUTS_MS.request });

/** Reads and validates a JSON body. @throws ApiError 400, 413, 415 */
export const readInput = async <Input>(ctx: Context, schema: z.ZodType<Input>): Promise<Input> =>
  parseInput(schema, await readJsonBody(ctx));

const browserOf = (ctx: Context): Browser => ({ userAgent: ctx.get('User-Agent'), address: ctx.ip });

/** Dependencies of a sign-in, and the browser that sends it. */
export const signInRequest = (ctx: Context, dependencies: SessionDependencies): SignInRequest => ({
  session: anonymousSession(ctx, dependencies),
  requestId: ctx.state.requestId,
  services: dependencies.services,
  attempts: dependencies.attempts,
  browser: browserOf(ctx),
  currentToken: dependencies.cookie.read(ctx.req.headers),
});

/** Authenticates the session of a browser. @throws ApiError 401, 403 */
export async function authenticateSession(ctx: Context, { sessions }: SessionDependencies): Promise<CurrentSession> {
  const { headers } = ctx.req;
  const { requestId } = ctx.state;
  const readOnly = isSafeMethod(ctx.method);
  const result = await onlySession(sessions)({
    headers,
    address: ctx.ip,
    requestId,
    requestOrigin: () => requestOrigin(ctx),
    readOnly,
  });
  const { session, webSession } = result.context;
  if (!session.hasPrincipal() || webSession === undefined) throw new Error('session: expected a member');
  await identify(ctx, session.principal);
  return { session, webSession, browser: browserOf(ctx) };
}

/** Redirects a browser. The addresses have values that other sites must not see, so that no `Referer` may carry them. */
export function redirect(ctx: Context, url: string, cookies: string[]): void {
  ctx.set({ Location: url, 'Referrer-Policy': 'no-referrer' });
  ctx.append('Set-Cookie', cookies);
  ctx.status = 302;
}

export function sendJson(ctx: Context, value: object): void {
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(value);
}
