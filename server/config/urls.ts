/** Returns a test for URLs of a scheme. */
const isUrl =
  (scheme: RegExp, isValid: (url: URL) => boolean = () => true) =>
  (text: string): boolean => {
    const url = URL.parse(text);
    return url !== null && scheme.test(url.protocol) && hasDecodableUserInfo(url) && isValid(url);
  };

/** Clients decode the name and the password, and throw at a `%` that encodes nothing. */
function hasDecodableUserInfo({ username, password }: URL): boolean {
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const hasHost = ({ hostname }: URL) => hostname !== '';

/** Returns true for a PostgreSQL URL that names a database. */
export const isPostgreSqlUrl = isUrl(/^postgres(ql)?:$/, ({ pathname }) => pathname.length > 1);
export const isHttpUrl = isUrl(/^https?:$/);
export const isRedisUrl = isUrl(/^rediss?:$/, (url) => hasHost(url) && /^(\/\d*)?$/.test(url.pathname));
export const isSmtpUrl = isUrl(/^smtps?:$/, hasHost);

/**
 * Returns false for a PostgreSQL URL with several hosts, as libpq accepts them: `//one,two/` or `?host=one,two`.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-MULTIPLE-HOSTS
 */
export function hasOneHost(text: string): boolean {
  const [, host = '', query = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*\??([^#]*)/.exec(text) ?? [];
  const hosts = new URLSearchParams(query).getAll('host');
  return hosts.length < 2 && ![host, ...hosts].some((name) => /,|%2c/i.test(name));
}

/** Returns true for an origin as browsers send it: lower-case scheme and host, no default port, no path. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:\/\/[^*]+$/.test(text) && url.origin === text;
}

export function isContactUri(text: string): boolean {
  const url = /^[!-~]{1,1000}$/.test(text) ? URL.parse(text) : null;
  if (url === null) return false;
  return url.protocol === 'mailto:' ? /^[^@]+@[^@]+$/.test(url.pathname) : url.protocol === 'https:';
}

/** Returns true if a response from this URL is authentic: the URL uses TLS, or names this machine. */
export function isTrustedUrl(url: string): boolean {
  const { protocol, hostname, username, password } = URL.parse(url) ?? {};
  return (
    username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1'))
  );
}
