import type { MarkedLeaf } from './compare.ts';

/** Number of unchanged words that are shown before and after a change. */
const CONTEXT = 14;

const isChanged = ({ mark, note }: MarkedLeaf) => mark !== 'same' || note !== undefined;

/** The changes with their surroundings. An ellipsis is in the place of other words. */
export function excerptOf(leaves: readonly MarkedLeaf[]): MarkedLeaf[] {
  const isNear = nearChanges(leaves);
  const first = isNear.indexOf(true);
  return leaves.flatMap((leaf, index) => {
    if (isNear[index] !== true) return [];
    const start = index > 0 && index === first ? '… ' : '';
    const end = index < leaves.length - 1 && isNear[index + 1] !== true ? ' … ' : '';
    return [{ ...leaf, text: leaf.text === '' || end === '' ? start + leaf.text : start + leaf.text.trimEnd() + end }];
  });
}

/** True for each word with a change nearby. Without any change the first words are shown. */
function nearChanges(leaves: readonly MarkedLeaf[]): boolean[] {
  const changes = leaves.flatMap((leaf, index) => (isChanged(leaf) ? [index] : []));
  const near = leaves.map(() => false);
  for (const change of changes.length === 0 ? [0] : changes)
    near.fill(true, Math.max(0, change - CONTEXT), change + CONTEXT + 1);
  return near;
}
