import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_DAYS } from '../../entities/sign-in/web-session.ts';

/**
 * Name of a cookie of this server. Over https it has the prefix `__Host-`, which ties it to this host. Over http, which is for
 * development, it has the port: browsers send cookies to every port of a host.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie
 * @param url public origin of the server
 */
export const cookieName = (url: URL, name: string): string =>
  isSecure(url) ? `__Host-${name}` : `${name}-${url.port || '80'}`;

/** Returns true if the cookies of a server are sent over https only. */
export const isSecure = ({ protocol }: URL): boolean => protocol === 'https:';

/** `Set-Cookie` of a cookie that pages do not read. An age of 0 clears it. */
export function setCookie(url: URL, name: string, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(url) ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the value of the first cookie with this name. */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const text = pair.trim();
    if (text.startsWith(`${name}=`)) return text.slice(name.length + 1);
  }
  return undefined;
}

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
