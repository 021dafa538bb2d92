import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '../../entities/api-error.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { hasEntityTag, jsonOf } from './route.ts';
import type { Route } from './route.ts';

/** @throws ApiError 400 if the query contains percent-encoded bytes that are not UTF-8, which decoding would replace */
export function requireUtf8(querystring: string): void {
  if (!querystring.includes('%')) return;
  for (const pair of querystring.split('&')) {
    try {
      decodeURIComponent(pair);
    } catch (cause) {
      const [name = ''] = pair.split('=');
      throw new ApiError('invalid_request', `${name.slice(0, 100)}: expected UTF-8, percent-encoded`, { cause });
    }
  }
}

/** Returns true if the query requests the current state of an item, not a past one (`asOf`). */
export const isCurrentState = (querystring: string): boolean =>
  querystring === '' || !new URLSearchParams(querystring).has('asOf');

/** Parsed `If-Match`, `If-None-Match`, `Prefer` and `Idempotency-Key` headers. Contract, section 2. */
export interface RequestHeaders {
  ifMatch: IfMatch;
  /** True for any `If-Match` on PUT, also `*`: the resource must exist. */
  mustExist: boolean;
  /** True for `If-None-Match: *` on PUT. */
  createOnly: boolean;
  /** Returns true if `If-None-Match` contains this entity tag. */
  matchesIfNoneMatch: (entityTag: string) => boolean;
  /** `return` preference of `Prefer`, if the route supports it. */
  prefer: 'representation' | 'minimal' | undefined;
  /** Value of `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** Error of a malformed header. The caller throws it after the errors of the body. */
  error: ApiError | undefined;
}

const NO_HEADERS: RequestHeaders = {
  ifMatch: null,
  mustExist: false,
  createOnly: false,
  matchesIfNoneMatch: () => false,
  prefer: undefined,
  idempotencyKey: undefined,
  error: undefined,
};

/** Parses the headers that this route supports for this query, and ignores the others. */
export function parseRequestHeaders(route: Route, request: IncomingMessage, querystring = ''): RequestHeaders {
  const { headers } = request;
  if (route.type === 'query') {
    if (!hasEntityTag(route) || headers['if-none-match'] === undefined || !isCurrentState(querystring))
      return NO_HEADERS;
    return parseOrError(() => ({ matchesIfNoneMatch: parseIfNoneMatch(headers['if-none-match'] ?? '') }));
  }
  const isUpsert = route.response.kind === 'upsert';
  const hasNoHeaders =
    headers['if-match'] === undefined &&
    headers['idempotency-key'] === undefined &&
    headers['prefer'] === undefined &&
    (!isUpsert || headers['if-none-match'] === undefined);
  if (hasNoHeaders) return NO_HEADERS;
  return parseOrError(() => ({
    ifMatch:
      route.targetsItem && headers['if-match'] !== undefined ? parseEntityTags('If-Match', headers['if-match']) : null,
    mustExist: isUpsert && headers['if-match'] !== undefined,
    createOnly: isUpsert && parseCreateOnly(headers),
    prefer: jsonOf(route)?.representation !== undefined ? parsePrefer(String(headers['prefer'] ?? '')) : undefined,
    idempotencyKey: parseIdempotencyKey(request),
  }));
}

function parseOrError(parse: () => Partial<RequestHeaders>): RequestHeaders {
  try {
    return { ...NO_HEADERS, ...parse() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...NO_HEADERS, error };
  }
}

const ENTITY_TAG_PATTERN = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR_PATTERN = /[ \t]*(?:,[ \t]*)+|[ \t]*$/y;

/**
 * Parses a list of entity tags; `*` is null. Drops `W/`: a proxy that compresses a response makes its tag weak, and the client knows no
 * other one. For `If-Match` this departs from RFC 9110, section 13.1.1, on purpose (decision 0002).
 * @throws ApiError 400 that names the header
 */
function parseEntityTags(header: string, text: string): IfMatch {
  if (text.trim() === '*') return null;
  const tags: string[] = [];
  let position = /^[ \t,]*/.exec(text)?.[0].length ?? 0;
  do {
    ENTITY_TAG_PATTERN.lastIndex = position;
    const tag = ENTITY_TAG_PATTERN.exec(text);
    SEPARATOR_PATTERN.lastIndex = ENTITY_TAG_PATTERN.lastIndex;
    if (tag === null || !SEPARATOR_PATTERN.test(text)) {
      throw new ApiError('invalid_request', `${header}: expected * or a list of entity tags in double quotes`);
    }
    position = SEPARATOR_PATTERN.lastIndex;
    tags.push(tag[1] ?? '');
  } while (position < text.length);
  return tags;
}

function parseIfNoneMatch(text: string): RequestHeaders['matchesIfNoneMatch'] {
  const tags = parseEntityTags('If-None-Match', text);
  return (entityTag) => tags === null || tags.includes(entityTag);
}

/** @throws ApiError 400 for any other value than `*`: a PUT cannot depend on the state of another representation */
function parseCreateOnly({ 'if-none-match': text }: IncomingHttpHeaders): boolean {
  if (text === undefined) return false;
  if (text.trim() !== '*') throw new ApiError('invalid_request', 'If-None-Match: expected *, which only creates');
  return true;
}

/** One preference of a `Prefer` list (RFC 7240). Its quoted strings may contain commas. */
const PREFERENCE_PATTERN = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;
const RETURN_PATTERN = /^\s*return\s*=\s*"?(representation|minimal)"?\s*(?:;|$)/i;

/** Returns the first `return` preference, and ignores all other preferences. */
function parsePrefer(text: string): RequestHeaders['prefer'] {
  for (const [preference] of text.matchAll(PREFERENCE_PATTERN)) {
    const value = RETURN_PATTERN.exec(preference)?.[1]?.toLowerCase();
    if (value === 'representation' || value === 'minimal') return value;
  }
  return undefined;
}

const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** @throws ApiError 400 if the header is malformed or sent more than once */
function parseIdempotencyKey({ headers, headersDistinct }: IncomingMessage): string | undefined {
  const idempotencyKey = headers['idempotency-key'];
  if (idempotencyKey === undefined) return undefined;
  if (
    headersDistinct['idempotency-key']?.length !== 1 ||
    typeof idempotencyKey !== 'string' ||
    !KEY_PATTERN.test(idempotencyKey)
  ) {
    throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 printable ASCII characters, once');
  }
  return idempotencyKey;
}

/**
 * Rejects headers that only REST supports. In a batch of calls, they would not belong to a particular call. Ignoring them
 * would mislead a client that relies on them.
 * @throws ApiError 400
 */
export function rejectRestHeaders(headers: IncomingHttpHeaders): void {
  for (const name of ['If-Match', 'Idempotency-Key'])
    if (headers[name.toLowerCase()] !== undefined) {
      throw new ApiError('invalid_request', `${name}: supported only below /external`);
    }
}
