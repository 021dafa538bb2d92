import type { Mark, Node } from '@tiptap/pm/model';
import { escapeText, readPlainText } from './markup.ts';
import { isVoid } from './tags.ts';

/** Reads a text attribute of a node or a mark. */
export function textOf({ attrs }: Node | Mark, name: string): string {
  const value: unknown = attrs[name];
  return typeof value === 'string' ? value : '';
}

/** Writes a document of the editor as a description. Parts that a person did not change are written as they were stored. */
export function writeDocument(document: Node): string {
  return plainTextOf(document) ?? writeChildren(document);
}

/** The text of a document without any formatting: one line of text, or what was stored without HTML. */
function plainTextOf({ childCount, firstChild }: Node): string | undefined {
  if (childCount !== 1 || firstChild?.type.name !== 'bare') return undefined;
  let text = '';
  let isPlain = true;
  firstChild.forEach((child) => {
    const part = child.isText ? (child.text ?? '') : textOf(child, 'newline');
    isPlain &&= child.marks.length === 0 && part !== '';
    text += part;
  });
  const stored = text.includes('<') ? escapeText(text) : text;
  return isPlain && readPlainText(stored) === text ? stored : undefined;
}

const children = (node: Node): Node[] => Array.from({ length: node.childCount }, (_, index) => node.child(index));

const isBare = (node: Node | undefined) => node?.type.name === 'bare';

function writeChildren(parent: Node): string {
  const blocks = children(parent);
  const isDocument = parent.type.name === 'doc';
  const html = blocks.map((block, index) => {
    if (!isBare(block)) return writeBlock(block);
    // Texts of neighbours would become one, and escaped text alone would be shown with its entities.
    const isParagraph =
      isBare(blocks[index - 1]) || isBare(blocks[index + 1]) || (isDocument && needsTag(block, blocks));
    return isParagraph ? `<p>${writeInline(block)}</p>` : writeInline(block);
  });
  return html.join('') + textOf(parent, 'tail');
}

const needsTag = (block: Node, { length }: readonly Node[]): boolean =>
  length === 1 && !/<[a-z]/.test(writeInline(block));

function writeBlock(block: Node): string {
  const tag = textOf(block, 'tag');
  const start = `${textOf(block, 'lead')}<${tag}${textOf(block, 'attributes')}>`;
  if (isVoid(tag)) return start;
  return `${start}${block.isTextblock ? writeInline(block) : writeChildren(block)}</${tag}>`;
}

/** Writes text with its inline elements: closes those that end before a text, and opens those that start at it. */
function writeInline(block: Node): string {
  let html = '';
  let open: readonly Mark[] = [];
  for (const child of children(block)) {
    const kept = commonStart(open, child.marks);
    html += endTags(open.slice(kept)) + startTags(child.marks.slice(kept));
    html += child.isText ? escapeText(child.text ?? '') : writePoint(child);
    open = child.marks;
  }
  return html + endTags(open);
}

function commonStart(left: readonly Mark[], right: readonly Mark[]): number {
  const end = left.findIndex((mark, index) => right[index]?.eq(mark) !== true);
  return end === -1 ? left.length : end;
}

const startTag = (node: Node | Mark) => `<${textOf(node, 'tag')}${textOf(node, 'attributes')}>`;
const startTags = (marks: readonly Mark[]) => marks.map(startTag).join('');
const endTags = (marks: readonly Mark[]) =>
  marks
    .toReversed()
    .map((mark) => `</${textOf(mark, 'tag')}>`)
    .join('');

function writePoint(point: Node): string {
  const tag = textOf(point, 'tag');
  return isVoid(tag) ? startTag(point) : `${startTag(point)}</${tag}>`;
}
