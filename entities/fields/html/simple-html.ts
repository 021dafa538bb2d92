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
