import { createRequire } from 'node:module';
import type sanitizeHtml from 'sanitize-html';
import { isPlainHtml } from './plain-html.ts';

/** Formatting, links and tables; what is not listed goes: scripts, styles, embeds, event handlers, script URLs. */
const allowedBy = ({ defaults }: typeof sanitizeHtml): sanitizeHtml.IOptions => ({
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
let loaded: { sanitize: typeof sanitizeHtml; allowed: sanitizeHtml.IOptions } | undefined;

/** Loaded for the first text that is not plain: most is, and a start need not wait for it. */
function sanitizer(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded;
  const sanitize: typeof sanitizeHtml = require('sanitize-html');
  return (loaded = { sanitize, allowed: allowedBy(sanitize) });
}

/** Misnested tags are moved into place by one pass and come to rest within a few; property-tested. */
const PASSES = 10;

/** HTML with only what is allowed left; text without a `<` is returned as it is. Doing it twice changes nothing. Contract, section 4. */
export const sanitise = (text: string): string => (!text.includes('<') || isPlainHtml(text) ? text : clean(text));

/** The same without the short way for plain HTML. */
export function clean(text: string): string {
  const { sanitize, allowed } = sanitizer();
  let cleaned = text;
  for (let pass = 0; pass < PASSES && cleaned.includes('<'); pass++) {
    const before = cleaned;
    // In text and attributes `>` is escaped, so ` />` only ever ends a void element: written as HTML does, `<br>`.
    cleaned = sanitize(before, allowed).replaceAll(' />', '>');
    if (cleaned === before) break;
  }
  return cleaned;
}
