import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_DAYS } from '../../entities/people/web-session.ts';

/** Cookie with the token of a browser session. */
export interface SessionCookie {
  /** Returns the token; undefined without the cookie. */
  read: (headers: IncomingHttpHeaders) => string | undefined;
  /** `Set-Cookie` for a token; undefined clears the cookie. */
  header: (token: string | undefined) => string;
}

const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;

/**
 * The session cookie of a server. Over https it has the prefix `__Host-`, which ties it to this host. Over http, which is for
 * development, its name has the port: browsers send cookies to every port of a host. Without its own cookie, the server reads
 * that of another port, because processes of one service may listen on several.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie
 * @param appUrl public origin
 */
export function sessionCookie(appUrl: () => string): SessionCookie {
  return {
    read: ({ cookie }) => {
      if (cookie === undefined) return undefined;
      const url = new URL(appUrl());
      return readCookie(cookie, cookieName(url)) ?? (isSecure(url) ? undefined : OTHER_PORT.exec(cookie)?.[1]);
    },
    header: (token) => {
      const url = new URL(appUrl());
      const secure = isSecure(url) ? '; Secure' : '';
      const maxAge = token === undefined ? 0 : MAX_AGE_SECONDS;
      return `${cookieName(url)}=${token ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
    },
  };
}

const isSecure = ({ protocol }: URL) => protocol === 'https:';
const cookieName = (url: URL) => (isSecure(url) ? '__Host-session' : `session-${url.port || '80'}`);
const OTHER_PORT = /(?:^|;\s*)session-\d{1,5}=([^;\s]*)/;

/** Returns the value of the first cookie with this name. */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const text = pair.trim();
    if (text.startsWith(`${name}=`)) return text.slice(name.length + 1);
  }
  return undefined;
}
