import { escapeHtml, oneLine } from '../../../../core/html.ts';

/** Text that is HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(({ text }) => text).join('') : escapeHtml(oneLine(String(part)));
};

/** Makes HTML. Values are escaped, except HTML. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, index) => text + textOf(parts[index] ?? '')).join(''));

export const NOTHING = new Html('');

/** A paragraph in quiet type. */
export const note = (text: string): Html => markup`<p class="note">${text}</p>\n`;

// A document without the end tags of cells and rows is valid, and a fifth smaller.
// https://html.spec.whatwg.org/multipage/syntax.html#optional-tags

/** A table whose head is repeated on each printed page. Rows are written as they are made. @param kind its class */
export const tableStart = (heads: readonly string[], kind: string): Html =>
  markup`<table class="${kind}"><thead><tr>${heads.map((head) => markup`<th>${head}`)}<tbody>\n`;
export const TABLE_END = new Html('</table>\n');

export const tableRow = (cells: readonly Part[]): Html => markup`<tr>${cells.map((cell) => markup`<td>${cell}`)}\n`;

/** A text, cut at a number of characters. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${Array.from(text.slice(0, length)).slice(0, -1).join('')}…`;
}
