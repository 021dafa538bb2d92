import { MAX_PLACE_LENGTH } from '../../entities/file/file.ts';

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

/** Bucket of an S3-compatible storage. */
export interface StorageUrl {
  /** URL of the bucket, without a trailing slash. Path-style, because a bucket needs no DNS name and no certificate then. */
  bucketUrl: string;
  /** First part of every key, with a trailing slash; empty without one. */
  prefix: string;
  region: string;
  /** True if files are only read from it, so that new ones and those that are moved go elsewhere. */
  isReadOnly: boolean;
}

/** The bucket and prefix as one text, which a row of a file has: `bucket/prefix/`. The endpoint is always the present one. */
export const placeOf = ({ bucketUrl, prefix }: Pick<StorageUrl, 'bucketUrl' | 'prefix'>): string =>
  `${bucketUrl.slice(bucketUrl.lastIndexOf('/') + 1)}/${prefix}`;

/** URL of the server, without the bucket. */
export const endpointUrlOf = ({ bucketUrl }: Pick<StorageUrl, 'bucketUrl'>): string =>
  bucketUrl.slice(0, bucketUrl.lastIndexOf('/'));

/** The same storage with another bucket and prefix. */
export function atPlace<Url extends StorageUrl>(url: Url, place: string): Url {
  const [bucket = '', ...prefix] = place.split('/');
  return { ...url, bucketUrl: `${endpointUrlOf(url)}/${bucket}`, prefix: prefix.join('/') };
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
/** Characters that need no escape in a URL and in XML. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+){0,10}\/?$/;
const MAX_PREFIX_LENGTH = MAX_PLACE_LENGTH - 64;
const REGION = /^[A-Za-z0-9-]{1,40}$/;
/** Every S3-compatible server accepts it as its own. */
const DEFAULT_REGION = 'us-east-1';

/** Parses `s3://bucket/prefix?endpoint=https://host&region=name&readonly=true`. Returns undefined for any other text. */
export function parseStorageUrl(text: string): StorageUrl | undefined {
  const [, bucket = '', path = '', search = ''] = /^s3:\/\/([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/.exec(text) ?? [];
  const {
    endpoint,
    region = DEFAULT_REGION,
    readonly = 'false',
    ...others
  } = Object.fromEntries(new URLSearchParams(search));
  if (
    !BUCKET.test(bucket) ||
    !PREFIX.test(path) ||
    path.length > MAX_PREFIX_LENGTH ||
    !REGION.test(region) ||
    !/^(?:true|false)$/.test(readonly) ||
    Object.keys(others).length > 0
  )
    return undefined;
  const endpointUrl = endpointOf(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (endpointUrl === undefined) return undefined;
  const prefix = path.replaceAll(/^\/|\/$/g, '');
  return {
    bucketUrl: `${endpointUrl}/${bucket}`,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    isReadOnly: readonly === 'true',
  };
}

function endpointOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !isHttpUrl(text) || url.username !== '' || url.password !== '') return undefined;
  if (url.search !== '' || url.hash !== '' || !/^[\w./-]*$/.test(url.pathname)) return undefined;
  return url.href.replace(/\/+$/, '');
}
