import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { safeElement } from '../../editor/safe-html.tsx';
import { compareDescriptions } from './compare.ts';
import { excerptOf } from './excerpt.ts';
import { buildTree } from './tree.ts';
import type { Branch, Run } from './tree.ts';

interface FormattedDifferenceProps {
  /** Stored descriptions. */
  from: string;
  to: string;
  /** Shows all of the text, not only the surroundings of its changes. */
  isWhole: boolean;
}

/** A description as people read it, with the words and formats that changed. */
export function FormattedDifference({ from, to, isWhole }: FormattedDifferenceProps) {
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
      {isInvisible && <p className="none">Only details differ that do not change how the text looks.</p>}
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
