import { z } from 'zod';
import type { Middleware } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import { unsubscribe } from '../../procedures/mail/unsubscribe.ts';
import { AuthenticationResponseInput } from '../../procedures/passkey/schemas.ts';
import { beginPasskeySignIn, signInWithPasskey } from '../../procedures/passkey/sign-in.ts';
import { describeSession, endSession, switchSession, SwitchInput } from '../../procedures/sign-in/web-sessions.ts';
import type { CurrentSession } from '../../procedures/sign-in/web-sessions.ts';
import type { SignedIn, SignInRequest } from '../../procedures/sign-in/attempts.ts';
import {
  acceptInvitation,
  InvitationInput,
  InvitationToken,
  lookAtInvitation,
} from '../../procedures/sign-in/invitation.ts';
import { deleteAccount } from '../../procedures/sign-in/deletion.ts';
import { EmailInput, useEmailLink } from '../../procedures/sign-in/email.ts';
import { ForgotInput, ResetInput, mailForgottenPassword, resetPassword } from '../../procedures/sign-in/reset.ts';
import { readServiceFacts } from '../../procedures/sign-in/service-facts.ts';
import type { ServiceFacts } from '../../procedures/sign-in/service-facts.ts';
import { SignInInput, signInWithPassword } from '../../procedures/sign-in/sign-in.ts';
import { readBody } from '../http/body/json-body.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { isSafeMethod, methodNotAllowed, noSuchPath } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { CALLBACK_PATH, OpenIdClient } from './openid.ts';
import { anonymousSession, authenticateSession, readInput, sendJson, signInRequest } from './route.ts';
import type { Context, SessionDependencies, SessionRoute, SessionOptions } from './route.ts';
import { Recent } from './recent.ts';
import { recordAttempt, recordSignIn } from './sign-in-log.ts';
import type { Method } from './sign-in-log.ts';
import { endSingleSignOn, startSingleSignOn, linkAccount } from './single-sign-on.ts';

/** Maximum size of the body of a mail client, in bytes. Contract, section 18. */
const MAX_UNSUBSCRIBE_BYTES = 1024;

/** Routes below `/session`. Contract, section 16. */
export const ROUTES: readonly SessionRoute[] = [
  signInRoute('/session', 'password', SignInInput, signInWithPassword),
  signInRoute('/session/invitation', 'invitation', InvitationInput, acceptInvitation),
  { method: 'POST', path: '/session/invitation/look', handle: look },
  { method: 'POST', path: '/session/reset', handle: reset },
  { method: 'POST', path: '/session/forgot', handle: forgot },
  { method: 'POST', path: '/session/email', handle: changeEmail },
  { method: 'POST', path: '/session/delete', handle: deleteOwnAccount },
  { method: 'POST', path: '/session/passkey/begin', handle: beginPasskey },
  signInRoute(
    '/session/passkey',
    'passkey',
    z.strictObject({ response: AuthenticationResponseInput }),
    (request, { response }, { services }) => signInWithPasskey(request, services, response),
  ),
  { method: 'GET', path: '/session/service', handle: sendServiceFacts },
  { method: 'GET', path: '/session/sso', isCrossOrigin: true, hasEffects: true, handle: startSingleSignOn },
  { method: 'GET', path: CALLBACK_PATH, isCrossOrigin: true, hasEffects: true, handle: endSingleSignOn },
  { method: 'POST', path: '/session/sso/link', handle: linkAccount },
  { method: 'POST', path: '/session/unsubscribe/{token}', isCrossOrigin: true, handle: turnMailsOff },
  currentSessionRoute('GET', async (ctx, current) => sendJson(ctx, await describeSession(current))),
  currentSessionRoute('PATCH', async (ctx, current) => {
    await switchSession(current, await readInput(ctx, SwitchInput));
    ctx.status = 204;
  }),
  currentSessionRoute('DELETE', async (ctx, current, { log, cookie }) => {
    await endSession(current);
    const { person, uniqueId } = current.webSession;
    log.info({ requestId: ctx.state.requestId, person, session: uniqueId }, 'session: signed out');
    ctx.set('Set-Cookie', cookie.header(undefined));
    ctx.status = 204;
  }),
];

/** A route that signs a person in with the input of its body. */
function signInRoute<Input>(
  path: string,
  method: Method,
  schema: z.ZodType<Input>,
  signIn: (request: SignInRequest, input: Input, dependencies: SessionDependencies) => Promise<SignedIn>,
): SessionRoute {
  return {
    method: 'POST',
    path,
    handle: async (ctx, dependencies) => {
      const input = await readInput(ctx, schema);
      const request = signInRequest(ctx, dependencies);
      const signedIn = await recordSignIn(ctx, dependencies, method, () => signIn(request, input, dependencies));
      ctx.set('Set-Cookie', dependencies.cookie.header(signedIn.token));
      ctx.status = 204;
    },
  };
}

/** A route of a browser that is signed in. */
function currentSessionRoute(
  method: SessionRoute['method'],
  handle: (ctx: Context, current: CurrentSession, dependencies: SessionDependencies) => Promise<void>,
): SessionRoute {
  return {
    method,
    path: '/session',
    handle: async (ctx, dependencies) => handle(ctx, await authenticateSession(ctx, dependencies), dependencies),
  };
}

async function sendServiceFacts(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { facts, services } = dependencies;
  sendJson(ctx, await facts.get(() => readServiceFacts(anonymousSession(ctx, dependencies), services)));
}

async function look(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const input = await readInput(ctx, InvitationToken);
  const request = signInRequest(ctx, dependencies);
  sendJson(ctx, await recordAttempt(ctx, dependencies, 'invitation', () => lookAtInvitation(request, input)));
}

async function reset(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const input = await readInput(ctx, ResetInput);
  const request = signInRequest(ctx, dependencies);
  const person = await recordAttempt(ctx, dependencies, 'reset', () => resetPassword(request, input));
  dependencies.log.info({ requestId: request.requestId, person, address: ctx.ip }, 'password: reset');
  ctx.status = 204;
}

/**
 * Mails a reset link. The response comes first, because neither it nor its time may reveal who has an account. Each request counts as a failed
 * sign-in, so that nobody fills mailboxes.
 */
async function forgot(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { attempts, log } = dependencies;
  const input = await readInput(ctx, ForgotInput);
  const request = signInRequest(ctx, dependencies);
  await recordAttempt(ctx, dependencies, 'reset', () => attempts.countRequest({ address: ctx.ip }));
  ctx.status = 204;
  ctx.res.once('close', () => {
    mailForgottenPassword(request, input).catch((err: unknown) => {
      log.warn({ requestId: request.requestId, err }, 'password: a link was not mailed');
    });
  });
}

async function changeEmail(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { cookie, log } = dependencies;
  const input = await readInput(ctx, EmailInput);
  const request = signInRequest(ctx, dependencies);
  const current = cookie.read(ctx.req.headers) === undefined ? undefined : await currentPerson(ctx, dependencies);
  const person = await recordAttempt(ctx, dependencies, 'email', () => useEmailLink(request, current, input));
  log.info({ requestId: request.requestId, person, address: ctx.ip }, 'email: changed');
  ctx.status = 204;
}

/** Person of the session of a browser; undefined if it has ended. */
const currentPerson = (ctx: Context, dependencies: SessionDependencies): Promise<string | undefined> =>
  authenticateSession(ctx, dependencies).then(
    ({ webSession }) => webSession.person,
    (error: unknown) => {
      if (error instanceof ApiError && error.reason === 'unauthorized') return undefined;
      throw error;
    },
  );

async function deleteOwnAccount(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { cookie, log } = dependencies;
  const input = await readInput(ctx, SignInInput);
  const request = signInRequest(ctx, dependencies);
  const { person, isSignedOut } = await recordAttempt(ctx, dependencies, 'deletion', () =>
    deleteAccount(request, input),
  );
  log.info({ requestId: request.requestId, person, address: ctx.ip }, 'account: deleted');
  if (isSignedOut && cookie.read(ctx.req.headers) !== undefined) ctx.set('Set-Cookie', cookie.header(undefined));
  ctx.status = 204;
}

/** Turns mails off without a session: the mail client sends the request, with any body. https://www.rfc-editor.org/rfc/rfc8058 */
async function turnMailsOff(ctx: Context, dependencies: SessionDependencies, token: string): Promise<void> {
  await readBody(ctx, MAX_UNSUBSCRIBE_BYTES);
  await unsubscribe(anonymousSession(ctx, dependencies), token);
  ctx.type = 'text/plain';
  ctx.body = 'You will not get emails of this kind any more.\n';
}

async function beginPasskey(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  await readInput(ctx, z.strictObject({}));
  sendJson(ctx, await beginPasskeySignIn(anonymousSession(ctx, dependencies), dependencies.services));
}

/** Seconds after which the name of the only company is read again. */
const MAX_FACTS_AGE_SECONDS = 5;

/** Serves the routes with which browsers sign in and out. Contract, section 16. */
export function sessionHandler(options: SessionOptions): Middleware<RequestState> {
  const facts = new Recent<ServiceFacts>(MAX_FACTS_AGE_SECONDS);
  const openId = new OpenIdClient(options.services.appUrl, undefined, options.takesLocalProviders);
  const dependencies = { ...options, openId, facts };
  return async (ctx) => {
    const routes = ROUTES.filter(({ path }) => parameterOf(path, ctx.path) !== undefined);
    const [first] = routes;
    if (first === undefined) throw noSuchPath();
    ctx.state.route = first.path;
    const route = routes.find((candidate) => methodsOf(candidate).includes(ctx.method));
    if (route === undefined) throw methodNotAllowed(ctx, routes.flatMap(methodsOf));
    if (route.isCrossOrigin !== true) checkOrigin(ctx, dependencies);
    await route.handle(ctx, dependencies, parameterOf(route.path, ctx.path) ?? '');
  };
}

/**
 * Matches a path with the pattern of a route.
 * @returns value of the parameter at its end, empty without one; undefined for another path
 */
function parameterOf(pattern: string, path: string): string | undefined {
  const [prefix = '', parameter] = pattern.split('{');
  if (parameter === undefined) return path === pattern ? '' : undefined;
  const value = path.slice(prefix.length);
  return path.startsWith(prefix) && /^[\w-]+$/.test(value) ? value : undefined;
}

const methodsOf = ({ method, hasEffects }: SessionRoute): string[] =>
  method === 'GET' && hasEffects !== true ? ['GET', 'HEAD'] : [method];

/** @throws ApiError 403 */
function checkOrigin(ctx: Context, { sessions, origins }: SessionDependencies): void {
  const { headers } = ctx.req;
  const request = { headers, requestOrigin: requestOrigin(ctx), isSafe: isSafeMethod(ctx.method) };
  if (sessions.hasCookie(headers)) origins.requireSameOrigin(request);
  else origins.rejectCrossOrigin(request);
}
