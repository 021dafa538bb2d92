import type { MarkedLeaf } from './compare.ts';

/** Words of one element that have the same mark. */
export interface Run {
  text: string;
  mark: MarkedLeaf['mark'];
  /** True for words whose format changed. */
  isReformatted: boolean;
  /** Words for that change, after the last of them. */
  note: string | undefined;
}

export interface Branch {
  element: Element;
  children: (Branch | Run)[];
}

const BREAK = '↵';

/** Builds the elements around the words again. */
export function buildTree(leaves: readonly MarkedLeaf[]): (Branch | Run)[] {
  const root: (Branch | Run)[] = [];
  let open: Branch[] = [];
  for (const [index, leaf] of leaves.entries()) {
    const isEndOfNote = leaves[index + 1]?.note !== leaf.note;
    const depth = commonDepth(open, leaf.path);
    open = open.slice(0, depth);
    if (isMarkedBreak(leaf)) add(childrenOf(root, open), { ...leaf, text: BREAK }, isEndOfNote);
    for (const element of leaf.path.slice(depth)) {
      // A removed line break does not break the line.
      if (isMarkedBreak(leaf) && leaf.mark === 'removed' && element.localName === 'br') continue;
      const branch = { element, children: [] };
      childrenOf(root, open).push(branch);
      open = [...open, branch];
    }
    if (leaf.text !== '') add(childrenOf(root, open), leaf, isEndOfNote);
  }
  return root;
}

const childrenOf = (root: (Branch | Run)[], open: readonly Branch[]) => open.at(-1)?.children ?? root;

const isMarkedBreak = ({ key, mark }: MarkedLeaf) => key === '<br>' && mark !== 'same';

function commonDepth(open: readonly Branch[], path: readonly Element[]): number {
  const end = open.findIndex(({ element }, depth) => path[depth] !== element);
  return end === -1 ? open.length : end;
}

/** Adds a word, to the last run if it has the same mark. The last word of a format shows its note. */
function add(children: (Branch | Run)[], { text, mark, note }: MarkedLeaf, isEndOfNote: boolean): void {
  const last = children.at(-1);
  const shown = note !== undefined && isEndOfNote ? note : undefined;
  if (last !== undefined && 'text' in last && last.mark === mark && last.isReformatted === (note !== undefined)) {
    last.text += text;
    last.note = shown;
  } else children.push({ text, mark, isReformatted: note !== undefined, note: shown });
}
