/** A database on PostgreSQL, by its name. */
export function isPostgreSqlUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
}

export function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

export function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^(\/\d*)?$/.test(url.pathname);
}

/** As a browser writes it: scheme and host in lower case, no default port, nothing behind. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:\/\/[^*]+$/.test(text) && url.origin === text;
}

export function isContactUri(text: string): boolean {
  const url = /^[!-~]{1,1000}$/.test(text) ? URL.parse(text) : null;
  if (url === null) return false;
  return url.protocol === 'mailto:' ? /^[^@]+@[^@]+$/.test(url.pathname) : url.protocol === 'https:';
}

/** Whether what is fetched there comes from the host that the address names: over TLS, or from this machine. */
export function isTrustedUrl(url: string): boolean {
  const { protocol, hostname, username, password } = URL.parse(url) ?? {};
  return (
    username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1'))
  );
}
