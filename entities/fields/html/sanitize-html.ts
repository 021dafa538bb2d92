import { createRequire } from 'node:module';
import type SanitizeHtmlLibrary from 'sanitize-html';
import { escapeText } from './escape-text.ts';
import { isSimpleHtml } from './simple-html.ts';

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
