import { Marked, Renderer } from 'marked';
import type { Token, Tokens } from 'marked';
import { escapeHtml } from '../../procedures/core/html.ts';

/** A heading with the text up to the next one, for the search. */
interface Section {
  /** Id of the heading; empty for the title of the page. */
  id: string;
  title: string;
  text: string;
}

export interface Heading {
  id: string;
  title: string;
  depth: number;
}

interface RenderedPage {
  title: string;
  html: string;
  headings: Heading[];
  sections: Section[];
}

/** The target of a link: an address, or a file of the source code that the service does not show. */
export type LinkTarget = { href: string } | { source: string };

const COMMENT = /<!--.*?-->/gs;
const PICTURE_ADDRESS = /\b(src|srcset)="([^"]+)"/g;

/**
 * Renders a page of Markdown. Headings have the ids that GitHub gives them, so that links work on both.
 * @param resolve finds where a link of the page leads
 */
export function renderMarkdown(markdown: string, resolve: (target: string) => LinkTarget): RenderedPage {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const ids = new Map<Token, string>();
  const headings: Heading[] = [];
  const sections: Section[] = [];
  for (const token of tokens) {
    if (isHeading(token)) {
      const title = plainText(token);
      const id = freeId(token.text, ids);
      ids.set(token, id);
      headings.push({ id, title, depth: token.depth });
      sections.push({ id: sections.length === 0 ? '' : id, title, text: '' });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text = `${section.text} ${plainText(token)}`.trim();
    }
  }
  const addressOf = (target: string) => {
    const found = resolve(target);
    return escapeHtml('href' in found ? found.href : target);
  };
  marked.use({
    renderer: {
      heading(token) {
        const id = ids.get(token) ?? '';
        const text = this.parser.parseInline(token.tokens);
        if (token.depth === 1) return `<h1 id="${id}">${text}</h1>\n`;
        return `<h${token.depth} id="${id}"><a href="#${id}">${text}</a></h${token.depth}>\n`;
      },
      link({ href, tokens: content }) {
        const text = this.parser.parseInline(content);
        const target = resolve(href);
        if ('href' in target) return `<a href="${escapeHtml(target.href)}">${text}</a>`;
        const path = `<code>${escapeHtml(target.source)}</code>`;
        return text === path ? text : `${text} (${path} in the source code)`;
      },
      image: ({ href, text }) => `<img src="${addressOf(href)}" alt="${escapeHtml(text)}">`,
      // A keyboard can scroll what has the focus.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
      table(token) {
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      html: ({ text }) =>
        text
          .replaceAll(COMMENT, '')
          .replaceAll(PICTURE_ADDRESS, (_, name: string, target: string) => `${name}="${addressOf(target)}"`),
    },
  });
  return { title: headings[0]?.title ?? '', html: marked.parser(tokens), headings, sections };
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

const isList = (token: Token): token is Tokens.List => token.type === 'list';
const isTable = (token: Token): token is Tokens.Table => token.type === 'table';
const isCode = (token: Token): token is Tokens.Code => token.type === 'code';

/** Languages of examples of data, which the search leaves out. */
const DATA = new Set(['json', 'csv']);

/** The text of a token, without marks. */
function plainText(token: Token): string {
  const textOf = (tokens: readonly Token[], separator: string) => tokens.map(plainText).join(separator);
  if (isList(token)) return token.items.map(({ tokens }) => textOf(tokens, ' ')).join(' ');
  if (isTable(token))
    return [token.header, ...token.rows]
      .flat()
      .map(({ tokens }) => textOf(tokens, ''))
      .join(' ');
  if (token.type === 'html' || (isCode(token) && DATA.has(token.lang ?? ''))) return '';
  const tokens: Token[] | undefined = 'tokens' in token ? token.tokens : undefined;
  if (tokens !== undefined) return textOf(tokens, token.type === 'blockquote' ? ' ' : '');
  return 'text' in token ? String(token.text).replaceAll(/\s+/g, ' ') : '';
}

/** An id that no other heading has: the second of the same text gets the suffix `-1`. */
function freeId(text: string, ids: ReadonlyMap<Token, string>): string {
  const id = headingId(text);
  const taken = new Set(ids.values());
  let count = 0;
  while (taken.has(count === 0 ? id : `${id}-${count}`)) count += 1;
  return count === 0 ? id : `${id}-${count}`;
}

/** Id of a heading as GitHub makes it. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
