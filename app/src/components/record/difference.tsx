import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { safeElement } from '../editor/safe-html.tsx';
import { compareDescriptions } from './compare.ts';
import type { MarkedLeaf } from './compare.ts';
import './record.css';

/** Maximum number of changed words that are compared. Larger changes are shown as a whole. */
const MAX_CHANGES = 1000;
/** Length of unchanged text that is shown around a change, in characters. */
const CONTEXT = 80;

interface DifferenceProps {
  from: string;
  to: string;
  /** True for descriptions; by default of texts with markup. */
  isHtml?: boolean;
  /** Shows all of the new text, not only the surroundings of its changes. */
  isWhole?: boolean;
}

/** Words that were removed and added between two texts or descriptions, as people read them. */
export const Difference = ({ from, to, isHtml = `${from}${to}`.includes('<'), isWhole = false }: DifferenceProps) =>
  isHtml ? (
    <FormattedDifference from={from} to={to} isWhole={isWhole} />
  ) : (
    <TextDifference from={from} to={to} isWhole={isWhole} />
  );

function TextDifference({ from, to, isWhole }: Required<Omit<DifferenceProps, 'isHtml'>>) {
  const parts = useMemo(
    () =>
      diffWordsWithSpace(from, to, { maxEditLength: MAX_CHANGES }) ?? [
        { value: from, removed: true, added: false },
        { value: `\n${to}`, removed: false, added: true },
      ],
    [from, to],
  );
  // A short text reads best without the words that it replaces.
  const shown = isWhole ? parts.filter(({ removed }) => !removed) : parts;
  return (
    <div className="difference">
      {shown.map(({ value, added, removed }, index) => {
        const key = `${index}-${value.length}`;
        if (added) return <ins key={key}>{value}</ins>;
        if (removed) return <del key={key}>{value}</del>;
        return <span key={key}>{isWhole ? value : shorten(value, index === 0, index === parts.length - 1)}</span>;
      })}
    </div>
  );
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * CONTEXT) return text;
  const start = isFirst ? '' : text.slice(0, CONTEXT);
  const end = isLast ? '' : text.slice(-CONTEXT);
  return `${start} … ${end}`;
}

/** Words of one element that have the same mark. */
interface Run {
  text: string;
  mark: MarkedLeaf['mark'];
  /** True for words whose format changed. */
  isReformatted: boolean;
  /** Words for that change, after the last of them. */
  note: string | undefined;
}

interface Branch {
  element: Element;
  children: (Branch | Run)[];
}

const BREAK = '↵';

/** Builds the elements around the words again. */
function buildTree(leaves: readonly MarkedLeaf[]): (Branch | Run)[] {
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

/** Number of unchanged words that are shown before and after a change. */
const CONTEXT_WORDS = 14;

const isChanged = ({ mark, note }: MarkedLeaf) => mark !== 'same' || note !== undefined;

/** The changes with their surroundings. An ellipsis is in the place of other words. */
function excerptOf(leaves: readonly MarkedLeaf[]): MarkedLeaf[] {
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
    near.fill(true, Math.max(0, change - CONTEXT_WORDS), change + CONTEXT_WORDS + 1);
  return near;
}

interface FormattedDifferenceProps {
  /** Stored descriptions. */
  from: string;
  to: string;
  /** Shows all of the text, not only the surroundings of its changes. */
  isWhole: boolean;
}

/** A description as people read it, with the words and formats that changed. */
function FormattedDifference({ from, to, isWhole }: FormattedDifferenceProps) {
  const { tree, isInvisible } = useMemo(() => {
    const leaves = compareDescriptions(from, to);
    return {
      tree: buildTree(isWhole ? leaves : excerptOf(leaves)),
      isInvisible: from !== to && leaves.every(({ mark, note }) => mark === 'same' && note === undefined),
    };
  }, [from, to, isWhole]);
  return (
    <div className="difference rich-text">
      {tree.map(toNode)}
      {isInvisible && <p className="none">The texts differ only in details that do not change how they look.</p>}
    </div>
  );
}

/** Tags that mark changes here mean something else in a description. */
const SUBSTITUTES: Readonly<Record<string, string>> = { ins: 'u', del: 's' };

function toNode(part: Branch | Run, key: number): ReactNode {
  if ('text' in part) return <RunText key={key} run={part} />;
  const { element, children } = part;
  return safeElement(element, key, children.map(toNode), SUBSTITUTES[element.localName]);
}

function RunText({ run: { text, mark, isReformatted, note } }: { run: Run }) {
  if (mark === 'removed') return <del>{text}</del>;
  if (mark === 'added') return <ins>{text}</ins>;
  if (!isReformatted) return text;
  return (
    <>
      <ins>{text.trimEnd()}</ins>
      {note !== undefined && (
        <>
          {' '}
          <span className="difference-note">({note})</span>
        </>
      )}
      {/\s$/.test(text) && ' '}
    </>
  );
}
