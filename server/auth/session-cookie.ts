import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_DAYS } from '../../entities/sign-in/web-session.ts';
import { cookieName, isSecure, readCookie, setCookie } from './cookie.ts';

/** Cookie with the token of a browser session. */
export interface SessionCookie {
  /** Returns the token; undefined without the cookie. */
  read: (headers: IncomingHttpHeaders) => string | undefined;
  /** `Set-Cookie` for a token; undefined clears the cookie. */
  header: (token: string | undefined) => string;
}

const NAME = 'session';
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;

/**
 * The session cookie of a server. Over http without its own cookie, the server reads that of another port, because processes
 * of one service may listen on several.
 * @param appUrl public origin
 */
export function sessionCookie(appUrl: () => string): SessionCookie {
  return {
    read: ({ cookie }) => {
      if (cookie === undefined) return undefined;
      const url = new URL(appUrl());
      return readCookie(cookie, cookieName(url, NAME)) ?? (isSecure(url) ? undefined : OTHER_PORT.exec(cookie)?.[1]);
    },
    header: (token) => {
      const url = new URL(appUrl());
      return setCookie(url, cookieName(url, NAME), token ?? '', token === undefined ? 0 : MAX_AGE_SECONDS);
    },
  };
}

const OTHER_PORT = /(?:^|;\s*)session-\d{1,5}=([^;\s]*)/;
