import { diffArrays } from 'diff';
import { isInline } from '../../editor/tags.ts';
import { formatChange } from './formats.ts';
import type { Leaf } from './leaves.ts';
import { readLeaves } from './leaves.ts';

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
