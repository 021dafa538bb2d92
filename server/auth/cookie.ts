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
