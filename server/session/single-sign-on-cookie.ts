import type { IncomingHttpHeaders } from 'node:http';
import { CHALLENGE_MINUTES } from '../../entities/sign-in/sign-in-challenge.ts';
import { cookieName, readCookie, setCookie } from '../auth/cookie.ts';
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
export const MAX_PATH_LENGTH = 500;

/** Returns true for a path that browsers open on the same origin. They treat `\` as `/`, and `//` begins a host name. */
export const isLocalPath = (text: string): boolean =>
  text.length <= MAX_PATH_LENGTH && /^\/(?![/\\])[!-[\]-~]*$/.test(text);
