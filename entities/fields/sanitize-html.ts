import { createRequire } from 'node:module';
import type SanitizeHtmlLibrary from 'sanitize-html';

/**
 * Elements of HTML, and those of the past that programs still write.
 * https://html.spec.whatwg.org/multipage/indices.html#elements-3, https://html.spec.whatwg.org/multipage/obsolete.html
 */
export const ELEMENTS: ReadonlySet<string> = new Set(
  `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
  canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
  figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd
  keygen label legend li link main map mark marquee math menu meta meter nav nobr noembed noframes noscript object ol optgroup
  option output p param picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small
  source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt
  u ul var video wbr xmp`.split(/\s+/),
);

/** Elements of which a browser, or the sanitizer, reads everything until the end tag as their own. */
const RAW_ELEMENTS: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp'.split(' '),
);

/** Elements whose content has names of another vocabulary. */
const FOREIGN_ELEMENTS: ReadonlySet<string> = new Set(['math', 'svg']);

// The white space of HTML is less than that of JavaScript. https://infra.spec.whatwg.org/#ascii-whitespace
const TAG_START = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const BETWEEN_ATTRIBUTES = /[\t\n\f\r /]*/y;
const ATTRIBUTE_NAME = /=?[^\t\n\f\r />=]*[\t\n\f\r ]*/y;
const VALUE_START = /=[\t\n\f\r ]*/y;
const VALUE_END = /[^\t\n\f\r >]*/y;

/**
 * Escapes each `<` that begins neither a tag of HTML that ends, nor a comment that ends, nor a doctype, nor a tag of an element
 * that would take all the text behind it. The sanitizer would remove it with the text that follows. Takes time in proportion to
 * the length of the text.
 */
export function escapeText(html: string): string {
  const scanner = new Scanner(html);
  let escaped = '';
  let copied = 0;
  for (let start = html.indexOf('<'); start !== -1;) {
    const end = scanner.endOfMarkup(start);
    if (end === undefined) {
      escaped += `${html.slice(copied, start)}&lt;`;
      copied = start + 1;
    }
    start = html.indexOf('<', end ?? start + 1);
  }
  return escaped + html.slice(copied);
}

/** Finds the ends of markup. It does not repeat a search that has found nothing. */
class Scanner {
  readonly #html: string;
  /** Positions between attributes from which no tag ends. */
  readonly #endless = new Set<number>();
  readonly #unclosed = new Set<string>();
  #foreignEnd = 0;

  constructor(html: string) {
    this.#html = html;
  }

  /** Position after the markup that begins at a `<`; undefined if none does. */
  endOfMarkup(start: number): number | undefined {
    if (this.#html.startsWith('<!--', start)) return this.#after(/--!?>/g, start + 2, '-->');
    if (/^<!doctype/i.test(this.#html.slice(start, start + 9))) return this.#after(/>/g, start, '>');
    const [tagStart, slash, tag] = this.#match(TAG_START, start);
    const name = tag?.toLowerCase();
    if (tagStart === undefined || name === undefined) return undefined;
    if (!ELEMENTS.has(name) && start >= this.#foreignEnd) return undefined;
    const end = this.#endOfTag(start + tagStart.length);
    if (end === undefined || slash === '/') return end;
    if (FOREIGN_ELEMENTS.has(name) && end > this.#foreignEnd) this.#foreignEnd = this.#endTag(name, end) ?? 0;
    return RAW_ELEMENTS.has(name) ? this.#endTag(name, end) : end;
  }

  /** Position after the end tag of an element. */
  #endTag(name: string, from: number): number | undefined {
    const start = this.#after(new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi'), from, name);
    const end = start && this.#endOfTag(start);
    if (end === undefined) this.#unclosed.add(name);
    return end;
  }

  #after(pattern: RegExp, from: number, key: string): number | undefined {
    if (this.#unclosed.has(key)) return undefined;
    pattern.lastIndex = from;
    if (pattern.test(this.#html)) return pattern.lastIndex;
    this.#unclosed.add(key);
    return undefined;
  }

  /** Position after the `>` of a tag, from behind its name. https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state */
  #endOfTag(from: number): number | undefined {
    const html = this.#html;
    const visited: number[] = [];
    for (let position = from; ;) {
      position += this.#match(BETWEEN_ATTRIBUTES, position)[0]?.length ?? 0;
      if (html[position] === '>') return position + 1;
      if (position >= html.length || this.#endless.has(position)) break;
      visited.push(position);
      position += this.#match(ATTRIBUTE_NAME, position)[0]?.length ?? 0;
      const value = this.#match(VALUE_START, position)[0];
      if (value === undefined) continue;
      position += value.length;
      const quote = html[position];
      if (quote === '"' || quote === "'") position = html.indexOf(quote, position + 1) + 1 || html.length;
      else position += this.#match(VALUE_END, position)[0]?.length ?? 0;
    }
    for (const position of visited) this.#endless.add(position);
    return undefined;
  }

  #match(pattern: RegExp, position: number): readonly (string | undefined)[] {
    pattern.lastIndex = position;
    return pattern.exec(this.#html) ?? [];
  }
}

const INLINE_TAGS = ['b', 'code', 'em', 'i', 's', 'strong', 'sub', 'sup', 'u'];
const BLOCK_TAGS = ['p', 'ol', 'ul'];

/** Text without `<`, `>` and `&`, or one tag without attributes. */
const TOKEN = new RegExp(String.raw`[^<>&]+|<br>|<(/?)(${[...INLINE_TAGS, ...BLOCK_TAGS, 'li'].join('|')})>`, 'y');

/**
 * Checks if HTML is only text in paragraphs, lists and simple formatting, properly nested and without attributes.
 * Such HTML contains no active content, and sanitizing does not change it (test/schemas/sanitize-html.test.ts).
 * Most editors write such HTML, and this check is much faster than the sanitizer (bench/README.md).
 */
export function isSimpleHtml(html: string): boolean {
  const openTags: string[] = [];
  for (let position = 0; position < html.length; position = TOKEN.lastIndex) {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(html);
    if (token === null) return false;
    const [, slash, tag] = token;
    if (tag === undefined) continue;
    if (slash === '/') {
      if (openTags.pop() !== tag) return false;
    } else {
      if (!isAllowedChild(tag, openTags.at(-1))) return false;
      openTags.push(tag);
    }
  }
  return openTags.length === 0;
}

function isAllowedChild(tag: string, parent: string | undefined): boolean {
  if (BLOCK_TAGS.includes(tag)) return parent === undefined;
  const isInList = parent === 'ol' || parent === 'ul';
  return tag === 'li' ? isInList : !isInList;
}

/**
 * Allows formatting, links, lists and tables. Scripts, styles, embeds, event handlers and script URLs are removed. A link with a target
 * has `rel="noopener"`, so that the page that it opens does not reach this one.
 */
export const sanitizerOptions = ({ defaults }: typeof SanitizeHtmlLibrary): SanitizeHtmlLibrary.IOptions => ({
  allowedTags: [...defaults.allowedTags, 'del', 'ins'],
  allowedAttributes: {
    a: ['href', 'target', 'rel', 'title'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'type', 'reversed'],
    abbr: ['title'],
    time: ['datetime'],
    '*': ['dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  nonTextTags: ['script', 'style', 'textarea'],
  transformTags: {
    a(tagName, attribs) {
      const { rel: _rel, ...others } = attribs;
      return { tagName, attribs: attribs['target'] === undefined ? others : { ...attribs, rel: 'noopener' } };
    },
  },
});

const require = createRequire(import.meta.url);
let cachedSanitizer: { sanitize: typeof SanitizeHtmlLibrary; options: SanitizeHtmlLibrary.IOptions } | undefined;

/** Loads the library at the first text that needs it, because few texts do and loading it delays startup. */
function loadSanitizer(): NonNullable<typeof cachedSanitizer> {
  if (cachedSanitizer !== undefined) return cachedSanitizer;
  const sanitize: typeof SanitizeHtmlLibrary = require('sanitize-html');
  return (cachedSanitizer = { sanitize, options: sanitizerOptions(sanitize) });
}

/** Maximum number of passes. Sanitizing misnested tags may need a few passes to reach a fixed point; property-tested. */
const MAX_PASSES = 10;

/**
 * Removes all HTML that is not allowed, and escapes each `<` that begins no HTML. Returns text without a `<` unchanged. Sanitizing is
 * idempotent. See docs/contract.md, section 4.
 */
export function sanitizeHtml(text: string): string {
  if (!text.includes('<') || isSimpleHtml(text)) return text;
  const html = sanitizeFully(text);
  // Without any HTML left it is read as text, in which `&` stands for itself.
  return /<|&lt;/.test(html) ? html : html.replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Sanitizes HTML without the fast path for simple HTML. */
export function sanitizeFully(text: string): string {
  const { sanitize, options } = loadSanitizer();
  let sanitized = text;
  for (let pass = 0; pass < MAX_PASSES && sanitized.includes('<'); pass++) {
    const before = sanitized;
    // The library escapes `>` in text and attributes, so ` />` only ends void elements. HTML writes them as `<br>`.
    sanitized = sanitize(escapeText(before), options).replaceAll(' />', '>');
    if (sanitized === before) break;
  }
  return sanitized;
}
