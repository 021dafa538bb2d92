import { isVoid } from './tags.ts';

/** An element of stored HTML. Attributes are kept as they are written, with a leading space. */
export interface MarkupElement {
  tag: string;
  attributes: string;
  children: Markup[];
}
export type Markup = string | MarkupElement;

const TOKEN = /([^<]+)|<([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>|<\/([a-z][a-z0-9]*)>/gy;

/**
 * Reads HTML as the server writes it: lower-case tags, properly nested.
 * @returns undefined for other HTML
 */
export function readMarkup(html: string): Markup[] | undefined {
  const root: MarkupElement = { tag: '', attributes: '', children: [] };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < html.length) {
    const token = TOKEN.exec(html);
    const parent = open.at(-1);
    if (token === null || parent === undefined) return undefined;
    const [, text, tag, attributes = '', endTag] = token;
    if (text !== undefined) parent.children.push(unescapeText(text));
    if (tag !== undefined) {
      const element = { tag, attributes, children: [] };
      parent.children.push(element);
      if (!isVoid(tag)) open.push(element);
    }
    if (endTag !== undefined && open.pop()?.tag !== endTag) return undefined;
  }
  return open.length === 1 ? root.children : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

const unescapeText = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * Reads a stored text without tags. One with `&lt;` was sent with a `<`, which the server escaped with the rest of it; any other is
 * stored as it was sent.
 */
export const readPlainText = (stored: string): string => (stored.includes('&lt;') ? unescapeText(stored) : stored);

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Reads attributes: ` href="x" reversed` is `[['href', 'x'], ['reversed', '']]`. */
export const readAttributes = (text: string): [name: string, value: string][] =>
  [...text.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
    name,
    value.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity),
  ]);

/** Writes attributes as the server does. */
export const writeAttributes = (attributes: readonly (readonly [name: string, value: string])[]): string =>
  attributes
    .map(([name, value]) => (value === '' ? ` ${name}` : ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`))
    .join('');
