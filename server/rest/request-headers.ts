import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '../../entities/api-error.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { isCurrentState } from './query-string.ts';
import type { Route } from './routes.ts';

/** What the headers of a request ask beside what its path and body do. Contract, section 2. */
export interface RequestHeaders {
  ifMatch: IfMatch;
  /** Whether a tag is one that the client has already. */
  matchesIfNoneMatch: (tag: string) => boolean;
  /** `return` of `Prefer`, where the route can do either. */
  prefer: 'representation' | 'minimal' | undefined;
  /** `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** Why they cannot be understood; told when it is their turn. */
  error: ApiError | undefined;
}

const NO_HEADERS: RequestHeaders = {
  ifMatch: null,
  matchesIfNoneMatch: () => false,
  prefer: undefined,
  idempotencyKey: undefined,
  error: undefined,
};

/** Reads the headers that this route heeds with this query; others do not matter. */
export function parseRequestHeaders(route: Route, request: IncomingMessage, querystring = ''): RequestHeaders {
  const { headers } = request;
  if (route.type === 'query') {
    if (!route.hasEntityTag || headers['if-none-match'] === undefined || !isCurrentState(querystring))
      return NO_HEADERS;
    return parseOrError(() => ({ matchesIfNoneMatch: parseIfNoneMatch(headers['if-none-match'] ?? '') }));
  }
  const hasNoHeaders =
    headers['if-match'] === undefined && headers['idempotency-key'] === undefined && headers['prefer'] === undefined;
  if (hasNoHeaders) return NO_HEADERS;
  return parseOrError(() => ({
    ifMatch: route.targetsItem ? parseIfMatch(headers) : null,
    prefer: route.representation !== undefined ? parsePrefer(String(headers['prefer'] ?? '')) : undefined,
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

const ENTITY_TAG_PATTERN = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR_PATTERN = /[ \t]*(?:,[ \t]*)+|[ \t]*$/y;

interface EntityTag {
  isWeak: boolean;
  opaque: string;
}

/** The tags of a list; null for `*`. @throws Refusal 400 that names the header */
function parseEntityTags(header: string, text: string): EntityTag[] | null {
  if (text.trim() === '*') return null;
  const tags: EntityTag[] = [];
  let position = /^[ \t,]*/.exec(text)?.[0].length ?? 0;
  do {
    ENTITY_TAG_PATTERN.lastIndex = position;
    const tag = ENTITY_TAG_PATTERN.exec(text);
    SEPARATOR_PATTERN.lastIndex = ENTITY_TAG_PATTERN.lastIndex;
    if (tag === null || !SEPARATOR_PATTERN.test(text)) {
      throw new ApiError('invalid_request', `${header}: expected * or a list of tags in double quotes`);
    }
    position = SEPARATOR_PATTERN.lastIndex;
    tags.push({ isWeak: tag[1] !== undefined, opaque: tag[2] ?? '' });
  } while (position < text.length);
  return tags;
}

/** Compared strongly: a weak tag is none of a resource's. */
function parseIfMatch({ 'if-match': text }: IncomingHttpHeaders): IfMatch {
  if (text === undefined) return null;
  const tags = parseEntityTags('If-Match', text);
  return tags === null ? null : tags.filter(({ isWeak }) => !isWeak).map(({ opaque }) => opaque);
}

/** Compared weakly: it does not matter whether a tag is. */
function parseIfNoneMatch(text: string): RequestHeaders['matchesIfNoneMatch'] {
  const tags = parseEntityTags('If-None-Match', text);
  return (tag) => tags === null || tags.some(({ opaque }) => opaque === tag);
}

/** One preference of RFC 7240 that matters here, between others of which quoted text may hold a comma. */
const PREFERENCE_PATTERN = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;
const RETURN_PATTERN = /^\s*return\s*=\s*"?(representation|minimal)"?\s*(?:;|$)/i;

/** The first one counts, and what is not understood does not. */
function parsePrefer(text: string): RequestHeaders['prefer'] {
  for (const [preference] of text.matchAll(PREFERENCE_PATTERN)) {
    const value = RETURN_PATTERN.exec(preference)?.[1]?.toLowerCase();
    if (value === 'representation' || value === 'minimal') return value;
  }
  return undefined;
}

const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** @throws Refusal 400 for what is no name, or more than one */
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
