import { MAX_PLACE_LENGTH } from '../../entities/file/file.ts';
import { isHttpUrl } from './urls.ts';

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

/** The bucket and prefix as one text, which a row of a file has: `bucket/prefix/`. The endpoint is always that of today. */
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
