import sanitizeHtml from 'sanitize-html';

/** Formatting, links and tables; what is not listed goes: scripts, styles, embeds, event handlers, script URLs. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: sanitizeHtml.defaults.allowedTags,
  allowedAttributes: {
    a: ['href', 'name', 'target', 'rel', 'title'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'type'],
    abbr: ['title'],
    time: ['datetime'],
    '*': ['dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
};

/**
 * HTML with only what is allowed left; text without a `<` is returned as it is. Doing it twice changes nothing.
 * Decisions, section 4.
 */
export function sanitise(text: string): string {
  if (!text.includes('<')) return text;
  // In text and attributes `>` is escaped, so ` />` only ever ends a void element: written as HTML does, `<br>`.
  return sanitizeHtml(text, ALLOWED).replaceAll(' />', '>');
}
