const INLINE = ['b', 'code', 'em', 'i', 's', 'strong', 'sub', 'sup', 'u'];
const AT_TOP = ['p', 'ol', 'ul'];

/** Text without anything that HTML could read into it, or one tag without attributes. */
const TOKEN = new RegExp(String.raw`[^<>&]+|<br>|<(/?)(${[...INLINE, ...AT_TOP, 'li'].join('|')})>`, 'y');

/**
 * Whether HTML is only text in paragraphs, lists and simple formatting, without attributes and properly nested: what can act
 * cannot be written in it, and sanitising changes nothing (test/html.test.ts). That is what most editors make of most texts, and to
 * tell takes a fiftieth of what the sanitiser takes.
 */
export function isPlainHtml(html: string): boolean {
  const open: string[] = [];
  for (let at = 0; at < html.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(html);
    if (token === null) return false;
    const [, slash, tag] = token;
    if (tag === undefined) continue;
    if (slash === '/') {
      if (open.pop() !== tag) return false;
    } else {
      if (!fits(tag, open.at(-1))) return false;
      open.push(tag);
    }
  }
  return open.length === 0;
}

function fits(tag: string, parent: string | undefined): boolean {
  if (AT_TOP.includes(tag)) return parent === undefined;
  const isInList = parent === 'ol' || parent === 'ul';
  return tag === 'li' ? isInList : !isInList;
}
