import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '../entities/refusal.ts';
import type { IfMatch } from '../entities/statements/tag.ts';
import { isOfNow } from './query.ts';
import type { Route } from './routes.ts';

/** What the headers of a request ask beside what its path and body do. Contract, section 2. */
export interface Wishes {
  ifMatch: IfMatch;
  /** Whether a tag is one that the client has already. */
  isKnown: (tag: string) => boolean;
  /** `return` of `Prefer`, where the route can do either. */
  prefers: 'representation' | 'minimal' | undefined;
  /** `Idempotency-Key`. */
  once: string | undefined;
  /** Why they cannot be understood; told when it is their turn. */
  malformed: Refusal | undefined;
}

const NONE: Wishes = {
  ifMatch: null,
  isKnown: () => false,
  prefers: undefined,
  once: undefined,
  malformed: undefined,
};

/** Reads the headers that this route heeds with this query; others do not matter. */
export function wishesOf(route: Route, request: IncomingMessage, querystring = ''): Wishes {
  const { headers } = request;
  if (route.type === 'query') {
    if (!route.isTagged || headers['if-none-match'] === undefined || !isOfNow(querystring)) return NONE;
    return understood(() => ({ isKnown: knownBy(headers['if-none-match'] ?? '') }));
  }
  const isPlain =
    headers['if-match'] === undefined && headers['idempotency-key'] === undefined && headers['prefer'] === undefined;
  if (isPlain) return NONE;
  return understood(() => ({
    ifMatch: route.isOfOne ? ifMatchOf(headers) : null,
    prefers: route.shows !== undefined ? preferenceOf(String(headers['prefer'] ?? '')) : undefined,
    once: nameOf(request),
  }));
}

function understood(read: () => Partial<Wishes>): Wishes {
  try {
    return { ...NONE, ...read() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...NONE, malformed: error };
  }
}

const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR = /[ \t]*(?:,[ \t]*)+|[ \t]*$/y;

interface EntityTag {
  isWeak: boolean;
  opaque: string;
}

/** The tags of a list; null for `*`. @throws Refusal 400 that names the header */
function tagsOf(header: string, text: string): EntityTag[] | null {
  if (text.trim() === '*') return null;
  const tags: EntityTag[] = [];
  let at = /^[ \t,]*/.exec(text)?.[0].length ?? 0;
  do {
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    SEPARATOR.lastIndex = TAG.lastIndex;
    if (tag === null || !SEPARATOR.test(text)) {
      throw new Refusal('invalid_request', `${header}: expected * or a list of tags in double quotes`);
    }
    at = SEPARATOR.lastIndex;
    tags.push({ isWeak: tag[1] !== undefined, opaque: tag[2] ?? '' });
  } while (at < text.length);
  return tags;
}

/** Compared strongly: a weak tag is none of a resource's. */
function ifMatchOf({ 'if-match': text }: IncomingHttpHeaders): IfMatch {
  if (text === undefined) return null;
  const tags = tagsOf('If-Match', text);
  return tags === null ? null : tags.filter(({ isWeak }) => !isWeak).map(({ opaque }) => opaque);
}

/** Compared weakly: it does not matter whether a tag is. */
function knownBy(text: string): Wishes['isKnown'] {
  const tags = tagsOf('If-None-Match', text);
  return (tag) => tags === null || tags.some(({ opaque }) => opaque === tag);
}

/** One preference of RFC 7240 that matters here, between others of which quoted text may hold a comma. */
const PREFERENCES = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;
const RETURN = /^\s*return\s*=\s*"?(representation|minimal)"?\s*(?:;|$)/i;

/** The first one counts, and what is not understood does not. */
function preferenceOf(text: string): Wishes['prefers'] {
  for (const [preference] of text.matchAll(PREFERENCES)) {
    const wanted = RETURN.exec(preference)?.[1]?.toLowerCase();
    if (wanted === 'representation' || wanted === 'minimal') return wanted;
  }
  return undefined;
}

const NAME = /^[\x20-\x7e]{1,255}$/;

/** @throws Refusal 400 for what is no name, or more than one */
function nameOf({ headers, headersDistinct }: IncomingMessage): string | undefined {
  const name = headers['idempotency-key'];
  if (name === undefined) return undefined;
  if (headersDistinct['idempotency-key']?.length !== 1 || typeof name !== 'string' || !NAME.test(name)) {
    throw new Refusal('invalid_request', 'Idempotency-Key: expected 1 to 255 printable ASCII characters, once');
  }
  return name;
}
