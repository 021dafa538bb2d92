/** Returns true for a PostgreSQL URL that names a database. */
export function isPostgreSqlUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
}

/**
 * Returns false for a PostgreSQL URL with several hosts, as libpq accepts them: `//one,two/` or `?host=one,two`.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-MULTIPLE-HOSTS
 */
export function hasOneHost(text: string): boolean {
  const [, host = '', query = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*\??([^#]*)/.exec(text) ?? [];
  const hosts = new URLSearchParams(query).getAll('host');
  return hosts.length < 2 && ![host, ...hosts].some((name) => /,|%2c/i.test(name));
}

export function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

export function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^(\/\d*)?$/.test(url.pathname);
}

export function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
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
