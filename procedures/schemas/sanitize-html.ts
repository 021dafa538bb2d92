import { createRequire } from 'node:module';
import type SanitizeHtmlLibrary from 'sanitize-html';
import { isSimpleHtml } from './simple-html.ts';

/** Formatting, links and tables; what is not listed goes: scripts, styles, embeds, event handlers, script URLs. */
const sanitizerOptions = ({ defaults }: typeof SanitizeHtmlLibrary): SanitizeHtmlLibrary.IOptions => ({
  allowedTags: [...defaults.allowedTags, 'del', 'ins'],
  allowedAttributes: {
    a: ['href', 'name', 'target', 'rel', 'title'],
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
});

const require = createRequire(import.meta.url);
let cachedSanitizer: { sanitize: typeof SanitizeHtmlLibrary; options: SanitizeHtmlLibrary.IOptions } | undefined;

/** Loaded for the first text that is not plain: most is, and a start need not wait for it. */
function loadSanitizer(): NonNullable<typeof cachedSanitizer> {
  if (cachedSanitizer !== undefined) return cachedSanitizer;
  const sanitize: typeof SanitizeHtmlLibrary = require('sanitize-html');
  return (cachedSanitizer = { sanitize, options: sanitizerOptions(sanitize) });
}

/** Misnested tags are moved into place by one pass and come to rest within a few; property-tested. */
const MAX_PASSES = 10;

/** HTML with only what is allowed left; text without a `<` is returned as it is. Doing it twice changes nothing. Contract, section 4. */
export const sanitizeHtml = (text: string): string =>
  !text.includes('<') || isSimpleHtml(text) ? text : sanitizeFully(text);

/** The same without the short way for plain HTML. */
export function sanitizeFully(text: string): string {
  const { sanitize, options } = loadSanitizer();
  let sanitized = text;
  for (let pass = 0; pass < MAX_PASSES && sanitized.includes('<'); pass++) {
    const before = sanitized;
    // In text and attributes `>` is escaped, so ` />` only ever ends a void element: written as HTML does, `<br>`.
    sanitized = sanitize(before, options).replaceAll(' />', '>');
    if (sanitized === before) break;
  }
  return sanitized;
}
