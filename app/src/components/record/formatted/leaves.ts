import { readPlainText } from '../../editor/markup.ts';
import { blockType, hasOnlyElements, isInline } from '../../editor/tags.ts';

/** A word of a description with its elements, or an element without content. */
export interface Leaf {
  /** Word, or tag of an element without content. Leaves with equal keys are the same. */
  key: string;
  /** Word with the space beside it; empty for an element. */
  text: string;
  /** Elements around the word, the outermost first. */
  path: readonly Element[];
}

/** A word, or one other character, with the space after it. The first one also has the space before it. */
const WORD = /(?:^\s+)?(?:[\p{L}\p{N}\p{M}_'’-]+|\S)\s*|^\s+$/gu;

/** Reads a stored description as the words that people read. */
export function readLeaves(stored: string): Leaf[] {
  const { body } = new DOMParser().parseFromString(stored.includes('<') ? stored : '', 'text/html');
  if (!stored.includes('<'))
    for (const part of readPlainText(stored).split(/(\r\n|\r|\n)/))
      body.append(/[\r\n]/.test(part) ? body.ownerDocument.createElement('br') : part);
  return joinSpace(leavesOf(body, []));
}

/** Adds space of its own to the word before it. */
function joinSpace(leaves: readonly Leaf[]): Leaf[] {
  const joined: Leaf[] = [];
  for (const leaf of leaves) {
    const last = joined.at(-1);
    if (leaf.key !== '') joined.push(leaf);
    else if (last !== undefined && last.text !== '') joined.splice(-1, 1, { ...last, text: last.text + leaf.text });
  }
  return joined;
}

const isBlock = (node: Node) => node instanceof Element && !isInline(node.localName);

function leavesOf(parent: Element, path: readonly Element[]): Leaf[] {
  const nodes = [...parent.childNodes];
  const isBetweenBlocks = hasOnlyElements(parent.localName) || nodes.some(isBlock);
  return nodes.flatMap((node): Leaf[] => {
    if (node instanceof Element) return elementLeaves(node, path);
    const text = node.textContent ?? '';
    if (isBetweenBlocks && text.trim() === '') return [];
    return (text.match(WORD) ?? []).map((word) => ({ key: word.trim(), text: word, path }));
  });
}

function elementLeaves(element: Element, path: readonly Element[]): Leaf[] {
  const { localName } = element;
  // Tags that are not shown count as their content.
  if (!isInline(localName) && blockType(localName) === undefined) return leavesOf(element, path);
  const inner = [...path, element];
  const leaves = leavesOf(element, inner);
  const last = leaves.at(-1);
  if (last === undefined) return [{ key: `<${localName}>`, text: '', path: inner }];
  // Words of two blocks stay apart if a change joins the blocks.
  if (isInline(localName) || /^$|\s$/.test(last.text)) return leaves;
  return [...leaves.slice(0, -1), { ...last, text: `${last.text} ` }];
}
