import sanitizeHtml from 'sanitize-html';
import { isPlainHtml } from './plain-html.ts';

/** Formatting, links and tables; what is not listed goes: scripts, styles, embeds, event handlers, script URLs. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags, 'del', 'ins'],
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
};

/** Misnested tags are moved into place by one pass and come to rest within a few; property-tested. */
const PASSES = 10;

/** HTML with only what is allowed left; text without a `<` is returned as it is. Doing it twice changes nothing. Contract, section 4. */
export const sanitise = (text: string): string => (!text.includes('<') || isPlainHtml(text) ? text : clean(text));

/** The same without the short way for plain HTML. */
export function clean(text: string): string {
  let cleaned = text;
  for (let pass = 0; pass < PASSES && cleaned.includes('<'); pass++) {
    const before = cleaned;
    // In text and attributes `>` is escaped, so ` />` only ever ends a void element: written as HTML does, `<br>`.
    cleaned = sanitizeHtml(before, ALLOWED).replaceAll(' />', '>');
    if (cleaned === before) break;
  }
  return cleaned;
}
