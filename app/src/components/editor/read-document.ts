import type { JSONContent } from '@tiptap/core';
import { readMarkup, readPlainText } from './markup.ts';
import type { Markup, MarkupElement } from './markup.ts';
import { blockType, hasOnlyElements, isInline } from './tags.ts';

type Marks = { type: string; attrs: Record<string, unknown> }[];

/** Counter of inline elements, so that neighbours with the same tag stay apart. 0 is for new ones. */
let instances = 0;

/**
 * Reads a stored description as a document of the editor.
 * @returns undefined if the editor cannot represent its structure
 */
export function readDocument(stored: string): JSONContent | undefined {
  if (!stored.includes('<'))
    return { type: 'doc', content: [{ type: 'bare', content: readLines(readPlainText(stored)) }] };
  const markup = readMarkup(stored);
  if (markup === undefined) return undefined;
  try {
    return { type: 'doc', ...readChildren(markup) };
  } catch (error) {
    if (error instanceof StructureError) return undefined;
    throw error;
  }
}

class StructureError extends Error {}

/** Text of a description without tags. Its line breaks are kept as they are. */
const readLines = (text: string): JSONContent[] =>
  text
    .split(/(\r\n|\r|\n)/)
    .filter((part) => part !== '')
    .map((part) =>
      /^[\r\n]/.test(part) ? { type: 'point', attrs: { tag: 'br', newline: part } } : { type: 'text', text: part },
    );

const isBlock = (markup: Markup): markup is MarkupElement => typeof markup !== 'string' && !isInline(markup.tag);
const isSpace = (text: string) => /^\s*$/.test(text);

/** Children of a container: blocks, and text between them as `bare`. White space between blocks belongs to the next one. */
function readChildren(children: readonly Markup[], tag = ''): JSONContent {
  if (!children.some(isBlock) && !hasOnlyElements(tag)) return { content: [bare(children)] };
  const content: JSONContent[] = [];
  let run: Markup[] = [];
  let lead = '';
  const endRun = () => {
    const texts = run.filter((one) => typeof one === 'string');
    if (texts.length === run.length && texts.every(isSpace)) lead = texts.join('');
    else content.push(bare(run));
    run = [];
  };
  for (const child of children) {
    if (!isBlock(child)) {
      run.push(child);
      continue;
    }
    endRun();
    content.push(readBlock(child, lead));
    lead = '';
  }
  endRun();
  return { attrs: { tail: lead }, content };
}

const bare = (children: readonly Markup[]): JSONContent => ({ type: 'bare', content: readInline(children, []) });

function readBlock({ tag, attributes, children }: MarkupElement, lead: string): JSONContent {
  const type = blockType(tag);
  if (type === undefined) throw new StructureError(tag);
  const attrs = { tag, attributes, lead };
  if (type === 'paragraph') return { type, attrs, content: readInline(children, []) };
  if (type === 'rule' || type === 'column') return { type, attrs };
  const { attrs: tail, content } = readChildren(children, tag);
  return { type, attrs: { ...attrs, ...tail }, ...(content !== undefined && { content }) };
}

function readInline(children: readonly Markup[], marks: Marks): JSONContent[] {
  return children.flatMap((child): JSONContent[] => {
    if (typeof child === 'string') return [{ type: 'text', text: child, marks }];
    const { tag, attributes } = child;
    if (!isInline(tag)) throw new StructureError(tag);
    if (child.children.length === 0) return [{ type: 'point', attrs: { tag, attributes }, marks }];
    instances += 1;
    const mark = { type: 'inline', attrs: { tag, attributes, instance: instances } };
    return readInline(child.children, [...marks, mark]);
  });
}
