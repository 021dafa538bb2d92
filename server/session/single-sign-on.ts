import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { parseInput } from '../../procedures/core/errors.ts';
import type { Services } from '../../procedures/core/services.ts';
import { expected } from '../../procedures/schemas/fields.ts';
import { emailInput } from '../../procedures/schemas/people.ts';
import { SignInError } from '../../procedures/sign-in/attempts.ts';
import { beginSingleSignOn, signInWithClaims, useChallenge } from '../../procedures/sign-in/single-sign-on.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { withoutSlot } from '../http/load-shedding.ts';
import { processCounters } from '../http/process-counters.ts';
import { CALLBACK_PATH, OpenIdClient, isStateOf } from './openid.ts';
import { anonymousSession, signInRequest } from './route.ts';
import type { SessionDependencies, SessionRoute } from './route.ts';
import { recordSignIn } from './sign-in-log.ts';
import { MAX_PATH_LENGTH, isLocalPath, readSignInState, signInStateHeader } from './single-sign-on-cookie.ts';

type Context = Parameters<SessionRoute['handle']>[0];

const EXPECTED_PATH = `a path of this server that begins with / and has at most ${MAX_PATH_LENGTH} characters`;

const StartQuery = z.strictObject({
  email: emailInput,
  return: z.string(expected(EXPECTED_PATH)).refine(isLocalPath, `expected ${EXPECTED_PATH}`).default('/'),
});

const EXPIRED = 'This sign-in has expired, was used before, or began in another browser. Start again.';

/** Clients by the services of their server. */
const clients = new WeakMap<Services, OpenIdClient>();

function clientOf({ services }: SessionDependencies): OpenIdClient {
  let client = clients.get(services);
  if (client === undefined) clients.set(services, (client = new OpenIdClient(services.appUrl)));
  return client;
}

/** Sends the browser to the identity provider of the company that has the domain of the email. */
async function start(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { services, log } = dependencies;
  requireOwnPage(ctx, dependencies);
  const { email, return: returnPath } = parseInput(StartQuery, { ...ctx.query });
  const { client, token } = await beginSingleSignOn(anonymousSession(ctx, dependencies), services, email);
  try {
    const url = await withoutSlot(ctx, () => clientOf(dependencies).authorizationUrl(client, token, email));
    redirect(ctx, url.href, [signInStateHeader({ token, returnPath }, services.appUrl())]);
  } catch (error) {
    log.warn({ requestId: ctx.state.requestId, company: client.company, reason: reasonOf(error) }, FAILED);
    throw error;
  }
}

/** Signs in the person whom the identity provider names. */
async function callback(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { services, cookie, log } = dependencies;
  const { requestId } = ctx.state;
  const appUrl = services.appUrl();
  let company: number | undefined;
  try {
    const state = readSignInState(ctx.req.headers, appUrl);
    // Before the challenge is used, so that no other page can use it up.
    if (state === undefined || !isStateOf(state.token, String(ctx.query['state'])))
      throw new ApiError('unprocessable', EXPIRED);
    const client = await useChallenge(anonymousSession(ctx, dependencies), services, state.token);
    if (client === undefined) throw new ApiError('unprocessable', EXPIRED);
    ({ company } = client);
    const claims = await withoutSlot(ctx, () => clientOf(dependencies).claims(client, state.token, ctx.search));
    // Another database session: the deadline of the first one passed while the provider responded.
    const request = signInRequest(ctx, dependencies);
    const { token } = await recordSignIn(ctx, dependencies, 'sso', () =>
      signInWithClaims(request, client.company, claims),
    );
    redirect(ctx, `${appUrl}${state.returnPath}`, [cookie.header(token), signInStateHeader(undefined, appUrl)]);
  } catch (error) {
    log.warn({ requestId, company, reason: reasonOf(error) }, FAILED);
    if (!isCounted(error)) processCounters.signIns.failed += 1;
    throw error;
  }
}

const FAILED = 'sign-in: single sign-on failed';

/** True for an error that `recordSignIn` counts. */
const isCounted = (error: unknown): boolean =>
  error instanceof SignInError || (error instanceof ApiError && error.reason === 'rate_limited');

/**
 * Rejects a start by a page of another site, which could sign the browser in with an account of its own (login CSRF).
 * A bookmark or an address that the person typed may start it: browsers send `none`.
 */
function requireOwnPage(ctx: Context, { origins }: SessionDependencies): void {
  if (ctx.get('Sec-Fetch-Site') !== 'none')
    origins.rejectCrossOrigin({ headers: ctx.req.headers, requestOrigin: requestOrigin(ctx) });
}

/** The addresses have values that other sites must not see, so that no `Referer` may carry them. */
function redirect(ctx: Context, url: string, cookies: string[]): void {
  ctx.set({ Location: url, 'Set-Cookie': cookies, 'Referrer-Policy': 'no-referrer' });
  ctx.status = 302;
}

/** Messages and codes of an error and its causes. Bodies of responses, which have tokens, are not errors. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Code of an error response: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
    const code =
      'error' in cause && typeof cause.error === 'string' && /^\w{1,50}$/.test(cause.error) ? cause.error : '';
    messages.push(code === '' ? cause.message : `${cause.message} (${code})`);
  }
  return messages.join(': ');
}

/** Routes of single sign-on. Contract, section 16. */
export const singleSignOnRoutes: readonly SessionRoute[] = [
  { method: 'GET', path: '/session/sso', isCrossOrigin: true, handle: start },
  { method: 'GET', path: CALLBACK_PATH, isCrossOrigin: true, handle: callback },
];
