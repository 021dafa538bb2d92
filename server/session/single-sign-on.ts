import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { expected, textInput } from '../../entities/fields/schemas.ts';
import { MAX_ISSUER_LENGTH } from '../../entities/single-sign-on/sso.ts';
import { parseInput } from '../../procedures/core/errors.ts';
import { emailInput } from '../../procedures/schemas/people.ts';
import { SignInError } from '../../procedures/sign-in/attempts.ts';
import type { SignInAttempts } from '../../procedures/core/context.ts';
import { beginSingleSignOn, useChallenge } from '../../procedures/single-sign-on/provider.ts';
import type { ProviderClient, SignInStart } from '../../procedures/single-sign-on/provider.ts';
import {
  PasswordRequiredError,
  signInWithClaims,
  LinkInput,
  beginLink,
  linkWithPassword,
} from '../../procedures/single-sign-on/sign-in.ts';
import { CHALLENGE_MINUTES } from '../../entities/sign-in/sign-in-challenge.ts';
import { requestOrigin } from '../auth/same-origin.ts';
import { withoutSlot } from '../http/load-shedding.ts';
import { processCounters } from '../http/process-counters.ts';
import { cookieName, readCookie, setCookie } from '../auth/cookies.ts';
import { anonymousSession, redirect, signInRequest, readInput } from './route.ts';
import type { Context, SessionDependencies } from './route.ts';
import { recordAttempt, recordSignIn } from './sign-in-log.ts';
import { isStateOf, stateOf } from './openid.ts';

/** State of a sign-in that the browser keeps while it visits the identity provider. */
interface SignInState {
  /** 32 random bytes in base64url. The database has only their hash. */
  token: string;
  /** Path of this server to open after the sign-in. */
  returnPath: string;
}

/** Sign-ins that one browser may have begun, for example in several tabs. */
export const MAX_SIGN_INS = 5;
/** Older cookies that one response clears. A browser of a person has at most one. */
const MAX_CLEARED = 20;
/** Characters of the state in the name of the cookie, so that each sign-in has its own. */
const NAME_LENGTH = 16;

const VALUE_PATTERN = /^([\w-]{43})\.([\w-]*)$/;

const prefixOf = (url: URL) => `${cookieName(url, 'sso')}-`;
const nameOf = (url: URL, state: string) => `${prefixOf(url)}${state.slice(0, NAME_LENGTH)}`;

/** Reads the cookie of the sign-in that has the state of a redirect. @returns undefined without a valid one */
export function readSignInState(
  { cookie = '' }: IncomingHttpHeaders,
  appUrl: string,
  state: string,
): SignInState | undefined {
  const [, token, path = ''] = VALUE_PATTERN.exec(readCookie(cookie, nameOf(new URL(appUrl), state)) ?? '') ?? [];
  const returnPath = Buffer.from(path, 'base64url').toString();
  return token === undefined || !isStateOf(token, state) || !isLocalPath(returnPath)
    ? undefined
    : { token, returnPath };
}

/**
 * `Set-Cookie` for the start of a sign-in. Clears the cookies of older ones, which browsers send first.
 * https://www.rfc-editor.org/rfc/rfc6265#section-5.4
 */
export function startHeaders(
  { cookie = '' }: IncomingHttpHeaders,
  appUrl: string,
  { token, returnPath }: SignInState,
): string[] {
  const url = new URL(appUrl);
  const name = nameOf(url, stateOf(token));
  const names = cookie
    .split(';')
    .map((pair) => pair.trim().split('=', 1)[0] ?? '')
    // The length leaves out the cookie of a link, which has this prefix too.
    .filter((other) => other.startsWith(prefixOf(url)) && other.length === name.length && /^[\w-]+$/.test(other));
  const old = names.slice(0, -(MAX_SIGN_INS - 1)).slice(0, MAX_CLEARED);
  const value = `${token}.${Buffer.from(returnPath).toString('base64url')}`;
  return [...old.map((oldName) => setCookie(url, oldName, '', 0)), setCookie(url, name, value, CHALLENGE_MINUTES * 60)];
}

/** `Set-Cookie` that clears the cookie of a sign-in. */
export function clearHeader(appUrl: string, { token }: SignInState): string {
  const url = new URL(appUrl);
  return setCookie(url, nameOf(url, stateOf(token)), '', 0);
}

/** Longest path that the cookie keeps. */
const MAX_PATH_LENGTH = 500;

/** Returns true for a path that browsers open on the same origin. They treat `\` as `/`, and `//` begins a host name. */
const isLocalPath = (text: string): boolean => text.length <= MAX_PATH_LENGTH && /^\/(?![/\\])[!-[\]-~]*$/.test(text);

const EXPECTED_PATH = `a path of this server that begins with / and has at most ${MAX_PATH_LENGTH} characters`;

const StartQuery = z.strictObject({
  email: emailInput,
  return: z.string(expected(EXPECTED_PATH)).refine(isLocalPath, `expected ${EXPECTED_PATH}`).default('/'),
});

/** Maximum characters of `login_hint`. Some providers send a token of their own in place of an email. */
const MAX_HINT_LENGTH = 1000;

/**
 * Parameters of a start by a third party, such as the tile of an identity provider. Others are ignored, as the standard demands.
 * https://openid.net/specs/openid-connect-core-1_0.html#ThirdPartyInitiatedLogin
 */
const ThirdPartyQuery = z.object({
  iss: textInput('the issuer of an identity provider', MAX_ISSUER_LENGTH),
  login_hint: textInput('an email address', MAX_HINT_LENGTH).optional(),
  target_link_uri: z.unknown().optional(),
});

const EXPIRED = 'This sign-in has expired, was used before, or began in another browser. Start again.';

/** A start of single sign-on. */
interface Start {
  by: SignInStart;
  /** Name of the person for the provider. */
  hint: string | undefined;
  returnPath: string;
}

/** Sends the browser to an identity provider: that of the company with the domain of an email, or the one that started the sign-in. */
export async function startSingleSignOn(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { services, attempts } = dependencies;
  const start = ctx.query['iss'] === undefined ? ownStart(ctx, dependencies) : thirdPartyStart(ctx, dependencies);
  const email = emailInput.safeParse(start.hint).data;
  const { url, token } = await recordAttempt(ctx, dependencies, 'sso', () =>
    attempts.limitStart({ address: ctx.ip, email }, () => begin(ctx, dependencies, start)),
  );
  const { returnPath } = start;
  redirect(ctx, url.href, startHeaders(ctx.req.headers, services.appUrl(), { token, returnPath }));
}

/** A start by a page of this server. @throws ApiError 400, 403 */
function ownStart(ctx: Context, dependencies: SessionDependencies): Start {
  requireOwnPage(ctx, dependencies);
  const { email, return: returnPath } = parseInput(StartQuery, { ...ctx.query });
  return { by: { email }, hint: email, returnPath };
}

/**
 * A start by any page, as a tile is one of the identity provider. Such a page chooses the provider, and nothing else: the provider decides
 * who signs in, and asks for the password of a person whom it does not know. State and nonce are bound to this browser, so no
 * page can complete a sign-in that began elsewhere. A session of the browser ends only when the provider has named a member of the company.
 * The remaining risk is a page that signs the browser in at a company whose provider it controls. The application always names the company.
 * @throws ApiError 400; 403 for a part of another page, such as a picture: many of them would use up the limit of the address
 */
function thirdPartyStart(ctx: Context, dependencies: SessionDependencies): Start {
  const destination = ctx.get('Sec-Fetch-Dest');
  if (destination !== '' && destination !== 'document') requireOwnPage(ctx, dependencies);
  const { iss: issuer, login_hint: hint, target_link_uri: target } = parseInput(ThirdPartyQuery, { ...ctx.query });
  return { by: { issuer, hint }, hint, returnPath: localPathOf(target, dependencies.services.appUrl()) };
}

/** Path of an address of this service; `/` for every other address, so that nobody can redirect a person elsewhere through this service. */
function localPathOf(target: unknown, appUrl: string): string {
  const url = typeof target === 'string' ? URL.parse(target) : null;
  if (url?.origin !== appUrl) return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  return isLocalPath(path) ? path : '/';
}

/** Begins a sign-in. @returns the address of the provider, and the token for the cookie of the browser */
async function begin(
  ctx: Context,
  dependencies: SessionDependencies,
  { by, hint }: Start,
): Promise<{ url: URL; token: string }> {
  const { services, log, openId } = dependencies;
  const { client, token } = await beginSingleSignOn(anonymousSession(ctx, dependencies), services, by);
  try {
    const count = requestCounter(ctx, dependencies, client);
    const url = await withoutSlot(ctx, () => openId.authorizationUrl(client, token, hint, count));
    return { url, token };
  } catch (error) {
    if (!isRateLimited(error))
      log.warn({ requestId: ctx.state.requestId, company: client.company, reason: reasonOf(error) }, FAILED);
    throw error;
  }
}

/** Page of the application that asks for the password. */
const PAGE = '/sign-in/link';

const COOKIE = 'sso-link';

/** `Set-Cookie` for an account that waits for a password; undefined clears the cookie. */
function cookieHeader(token: string | undefined, appUrl: string): string {
  const url = new URL(appUrl);
  return setCookie(url, cookieName(url, COOKIE), token ?? '', token === undefined ? 0 : CHALLENGE_MINUTES * 60);
}

/** Keeps an account whose first link requires the password of the person, and opens the page that asks for it. */
async function askPassword(
  ctx: Context,
  dependencies: SessionDependencies,
  error: PasswordRequiredError,
  returnPath: string,
): Promise<void> {
  const appUrl = dependencies.services.appUrl();
  const token = await beginLink(anonymousSession(ctx, dependencies), error);
  const query = new URLSearchParams({ to: returnPath }).toString();
  redirect(ctx, `${appUrl}${PAGE}?${query}`, [cookieHeader(token, appUrl)]);
}

/** Links an account with the password of the person. */
export async function linkAccount(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { services, cookie } = dependencies;
  const input = await readInput(ctx, LinkInput);
  const appUrl = services.appUrl();
  const linkToken = readCookie(ctx.get('Cookie'), cookieName(new URL(appUrl), COOKIE));
  const request = signInRequest(ctx, dependencies);
  const { token } = await recordSignIn(ctx, dependencies, 'sso', () => linkWithPassword(request, linkToken, input));
  ctx.set('Set-Cookie', [cookie.header(token), cookieHeader(undefined, appUrl)]);
  ctx.status = 204;
}

/** Signs in the person whom the identity provider names. */
export async function endSingleSignOn(ctx: Context, dependencies: SessionDependencies): Promise<void> {
  const { services, attempts, cookie, log, openId } = dependencies;
  const { requestId } = ctx.state;
  const appUrl = services.appUrl();
  // Before the challenge is used, so that no other page can use it up.
  const state = readSignInState(ctx.req.headers, appUrl, String(ctx.query['state']));
  let company: number | undefined;
  const signIn = async () => {
    if (state === undefined) throw new ApiError('unprocessable', EXPIRED);
    const client = await useChallenge(anonymousSession(ctx, dependencies), services, state.token);
    ctx.append('Set-Cookie', clearHeader(appUrl, state));
    if (client === undefined) throw new ApiError('unprocessable', EXPIRED);
    ({ company } = client);
    const count = requestCounter(ctx, dependencies, client);
    const claims = await withoutSlot(ctx, () => openId.claims(client, state.token, ctx.search, count));
    // Another database session: the deadline of the first one passed while the provider responded.
    const request = { ...signInRequest(ctx, dependencies), attempts: COUNTED };
    return { ...(await signInWithClaims(request, client, claims)), returnPath: state.returnPath };
  };
  try {
    const { token, returnPath } = await recordSignIn(ctx, dependencies, 'sso', () =>
      attempts.limitCallback({ address: ctx.ip, isStarted: state !== undefined }, signIn),
    );
    redirect(ctx, `${appUrl}${returnPath}`, [cookie.header(token)]);
  } catch (error) {
    if (error instanceof PasswordRequiredError && state !== undefined) {
      await askPassword(ctx, dependencies, error, state.returnPath);
      return;
    }
    if (!isRateLimited(error)) log.warn({ requestId, company, reason: reasonOf(error) }, FAILED);
    // `recordSignIn` counts the other errors.
    if (!isRateLimited(error) && !(error instanceof SignInError)) processCounters.signIns.failed += 1;
    throw error;
  }
}

const FAILED = 'sign-in: single sign-on failed';

/** Limits inside of a callback, which is already counted. */
const COUNTED: SignInAttempts = { limit: (_, attempt) => attempt() };

const isRateLimited = (error: unknown): boolean => error instanceof ApiError && error.reason === 'rate_limited';

/** Counts the requests to a provider that this request causes. */
const requestCounter =
  (ctx: Context, { attempts }: SessionDependencies, { issuer }: ProviderClient) =>
  (): Promise<void> =>
    attempts.countProviderRequest({ address: ctx.ip, issuer });

/**
 * Rejects a start by a page of another site, which could sign the browser in with an account of its own (login CSRF).
 * A bookmark or an address that the person typed may start it: browsers send `none`.
 */
function requireOwnPage(ctx: Context, { origins }: SessionDependencies): void {
  if (ctx.get('Sec-Fetch-Site') !== 'none')
    origins.rejectCrossOrigin({ headers: ctx.req.headers, requestOrigin: requestOrigin(ctx), isSafe: true });
}

/** Messages and codes of an error and its causes. Bodies of responses, which have tokens, are not errors. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Code of an error response: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
    const code =
      'error' in cause && typeof cause.error === 'string' && /^\w{1,50}$/.test(cause.error) ? cause.error : '';
    // The message of a parser quotes the body.
    const message = cause instanceof SyntaxError ? 'malformed JSON' : cause.message;
    messages.push(code === '' ? message : `${message} (${code})`);
  }
  return messages.join(': ');
}
