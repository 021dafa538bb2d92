import { CHALLENGE_MINUTES } from '../../entities/sign-in/sign-in-challenge.ts';
import { LinkInput, beginLink, linkWithPassword } from '../../procedures/single-sign-on/link.ts';
import type { PasswordRequiredError } from '../../procedures/single-sign-on/sign-in.ts';
import { cookieName, readCookie, setCookie } from '../auth/cookie.ts';
import { anonymousSession, readInput, redirect, signInRequest } from './route.ts';
import type { Context, SessionDependencies } from './route.ts';
import { recordSignIn } from './sign-in-log.ts';

/** Page of the application that asks for the password. */
const PAGE = '/sign-in/link';

const COOKIE = 'sso-link';

/** `Set-Cookie` for an account that waits for a password; undefined clears the cookie. */
function cookieHeader(token: string | undefined, appUrl: string): string {
  const url = new URL(appUrl);
  return setCookie(url, cookieName(url, COOKIE), token ?? '', token === undefined ? 0 : CHALLENGE_MINUTES * 60);
}

/** Keeps an account whose first link requires the password of the person, and opens the page that asks for it. */
export async function askPassword(
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
