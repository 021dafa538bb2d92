import type { IncomingHttpHeaders } from 'node:http';
import { CHALLENGE_MINUTES } from '../../entities/people/sign-in-challenge.ts';
import { readCookie } from '../auth/session-cookie.ts';

/** State of a sign-in that the browser keeps while it visits the identity provider. */
interface SignInState {
  /** 32 random bytes in base64url. The database has only their hash. */
  token: string;
  /** Path of this server to open after the sign-in. */
  returnPath: string;
}

const VALUE_PATTERN = /^([\w-]{43})\.([\w-]*)$/;

/** Name and attributes follow the session cookie. `__Host-` needs the path `/`, so it is not used here. */
const cookieName = ({ protocol, port }: URL) => (protocol === 'https:' ? '__Secure-sso' : `sso-${port || '80'}`);

/** Reads the cookie. @returns undefined without a valid one */
export function readSignInState({ cookie = '' }: IncomingHttpHeaders, appUrl: string): SignInState | undefined {
  const [, token, path = ''] = VALUE_PATTERN.exec(readCookie(cookie, cookieName(new URL(appUrl))) ?? '') ?? [];
  const returnPath = Buffer.from(path, 'base64url').toString();
  return token === undefined || !isLocalPath(returnPath) ? undefined : { token, returnPath };
}

/** `Set-Cookie` for the state of a sign-in; undefined clears the cookie. */
export function signInStateHeader(state: SignInState | undefined, appUrl: string): string {
  const url = new URL(appUrl);
  const value = state === undefined ? '' : `${state.token}.${Buffer.from(state.returnPath).toString('base64url')}`;
  const maxAge = state === undefined ? 0 : CHALLENGE_MINUTES * 60;
  const secure = url.protocol === 'https:' ? '; Secure' : '';
  return `${cookieName(url)}=${value}; Path=/session; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** Longest path that the cookie keeps. */
export const MAX_PATH_LENGTH = 500;

/** Returns true for a path that browsers open on the same origin. They treat `\` as `/`, and `//` begins a host name. */
export const isLocalPath = (text: string): boolean =>
  text.length <= MAX_PATH_LENGTH && /^\/(?![/\\])[!-[\]-~]*$/.test(text);
