/** Replaces control characters, line separators, and characters that override the direction of text. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();

/** Ends of blocks, after which a reader begins a line. */
const LINE_END =
  /<(?:br|hr|\/(?:p|div|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|section|article))(?=[\s/>])[^>]*>/gi;

/** The text of sanitized HTML, as people read it. Text without markup stays. */
export function htmlToText(html: string): string {
  if (!/<|&lt;/.test(html)) return html;
  const text = html.replaceAll(LINE_END, '\n').replaceAll(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim();
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
