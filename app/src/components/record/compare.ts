import { diffArrays } from 'diff';
import { readPlainText } from '../editor/markup.ts';
import { blockType, hasOnlyElements, isInline } from '../editor/tags.ts';

/** A word of a description with its elements, or an element without content. */
interface Leaf {
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
function readLeaves(stored: string): Leaf[] {
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

/** Formats as people call them, by tag. */
const NAMES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  mark: 'highlight',
  sub: 'subscript',
  sup: 'superscript',
  small: 'small text',
  h1: 'heading 1',
  h2: 'heading 2',
  h3: 'heading 3',
  h4: 'heading 4',
  h5: 'heading 5',
  h6: 'heading 6',
  pre: 'preformatted text',
  blockquote: 'quote',
  ul: 'bulleted list',
  menu: 'bulleted list',
  ol: 'numbered list',
  table: 'table',
  th: 'table heading',
};

const nameOf = (element: Element): string | undefined =>
  element.localName === 'a' ? `link to ${element.getAttribute('href') ?? 'nothing'}` : NAMES[element.localName];

const namesOf = (path: readonly Element[]) => new Set(path.map(nameOf).filter((name) => name !== undefined));

/** Words for the formats that a text got or lost: "bold added". Undefined if people see no difference. */
function formatChange(before: readonly Element[], after: readonly Element[]): string | undefined {
  const [old, next] = [namesOf(before), namesOf(after)];
  const changes = [
    ...[...next.difference(old)].map((name) => `${name} added`),
    ...[...old.difference(next)].map((name) => `${name} removed`),
  ];
  return changes.length === 0 ? undefined : changes.join(', ');
}

export interface MarkedLeaf extends Leaf {
  mark: 'added' | 'removed' | 'same';
  /** Words for a change of the format only: "bold added". */
  note?: string | undefined;
}

/** Maximum number of changed words that are compared. Larger changes are shown as a whole. */
const MAX_CHANGES = 1000;

/** The words of two descriptions in one order. Removed words are within the elements of the new description if they exist. */
export function compareDescriptions(from: string, to: string): MarkedLeaf[] {
  const [before, after] = [readLeaves(from), readLeaves(to)];
  const steps = diffArrays(before, after, {
    comparator: (one, other) => one.key === other.key,
    maxEditLength: MAX_CHANGES,
  });
  if (steps === undefined) return [...marked(before, 'removed'), ...marked(after, 'added')];

  const newElements = new Map<Element, Element>();
  const blocks: { removed: Leaf[]; added: Leaf[]; same: MarkedLeaf[] }[] = [];
  let [oldIndex, newIndex] = [0, 0];
  let [removed, added]: [Leaf[], Leaf[]] = [[], []];
  for (const { added: isAdded, removed: isRemoved, count } of steps) {
    const olds = isAdded ? [] : before.slice(oldIndex, oldIndex + count);
    const news = isRemoved ? [] : after.slice(newIndex, newIndex + count);
    oldIndex += olds.length;
    newIndex += news.length;
    if (isRemoved) removed = olds;
    else if (isAdded) added = news;
    else {
      for (const [index, old] of olds.entries()) pairElements(newElements, old.path, news[index]?.path ?? []);
      blocks.push({ removed, added, same: news.map((leaf, index) => unchanged(olds[index] ?? leaf, leaf)) });
      [removed, added] = [[], []];
    }
  }
  blocks.push({ removed, added, same: [] });
  return blocks.flatMap(({ removed: old, added: next, same }) => changedLeaves(old, next, newElements).concat(same));
}

const marked = (leaves: readonly Leaf[], mark: MarkedLeaf['mark']): MarkedLeaf[] =>
  leaves.map(({ key, text, path }) => ({ key, text, path, mark }));

/** A word of both descriptions. It keeps the longer space, so that it does not touch a removed word. */
function unchanged(old: Leaf, leaf: Leaf): MarkedLeaf {
  const text = old.text.length > leaf.text.length ? old.text : leaf.text;
  return { ...leaf, text, mark: 'same', note: formatChange(old.path, leaf.path) };
}

/** Remembers the elements around a word of both descriptions. */
function pairElements(pairs: Map<Element, Element>, old: readonly Element[], next: readonly Element[]): void {
  for (const [depth, element] of old.entries()) {
    const other = next[depth];
    if (other?.localName !== element.localName) return;
    if (!pairs.has(element)) pairs.set(element, other);
    if (pairs.get(element) !== other) return;
  }
}

/** The paragraph, item or cell of a word. */
const blockOf = ({ path }: Leaf) => path.findLast(({ localName }) => !isInline(localName));

/** Removed words, then the words at their place, block by block. */
function changedLeaves(removed: readonly Leaf[], added: readonly Leaf[], pairs: Map<Element, Element>): MarkedLeaf[] {
  const known = new Set(pairs.values());
  const newBlocks = [...new Set(added.map(blockOf))].filter((block) => block !== undefined && !known.has(block));
  const oldBlocks = [...new Set(removed.map(blockOf))].filter((block) => block !== undefined && !pairs.has(block));
  for (const [index, block] of oldBlocks.entries()) {
    const other = newBlocks[index];
    if (block !== undefined && block.localName === other?.localName) pairs.set(block, other);
  }
  const moved = removed.map(({ key, text, path }) => ({ key, text, path: newPath(path, pairs) }));
  const leaves = [...marked(moved, 'removed'), ...marked(added, 'added')];
  return [...Map.groupBy(leaves, blockOf).values()].flat();
}

/** Elements of the new description for as long as they exist, then those of the old one. */
function newPath(path: readonly Element[], pairs: ReadonlyMap<Element, Element>): Element[] {
  const end = path.findIndex((element) => !pairs.has(element));
  const depth = end === -1 ? path.length : end;
  return path.map((element, index) => (index < depth ? (pairs.get(element) ?? element) : element));
}
