import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import './record.css';
import { plainText } from './values.ts';

/** Maximum number of changed words that are compared. Larger changes are shown as a whole. */
const MAX_CHANGES = 1000;
/** Length of unchanged text that is shown around a change, in characters. */
const CONTEXT = 80;

interface Part {
  value: string;
  added?: boolean;
  removed?: boolean;
}

interface DifferenceProps {
  from: string;
  to: string;
  /** Shows all of the new text and nothing else, with its new words marked. */
  isVersion?: boolean;
}

/** Words that were removed and added between two texts or descriptions. */
export function Difference({ from, to, isVersion = false }: DifferenceProps) {
  const all = useMemo(() => differenceOf(from, to), [from, to]);
  const parts = isVersion ? all.filter(({ removed }) => removed !== true) : all;
  return (
    <div className="difference">
      {parts.map(({ value, added, removed }, index) => {
        const key = `${index}-${value.length}`;
        if (added === true) return <ins key={key}>{value}</ins>;
        if (removed === true) return <del key={key}>{value}</del>;
        return <span key={key}>{isVersion ? value : shorten(value, index === 0, index === parts.length - 1)}</span>;
      })}
    </div>
  );
}

/** Compares the texts; their markup only if the texts are equal. */
function differenceOf(from: string, to: string): Part[] {
  const [before, after] = [plainText(from), plainText(to)];
  const [left, right] = before === after ? [from, to] : [before, after];
  const parts = diffWordsWithSpace(left, right, { maxEditLength: MAX_CHANGES });
  return (
    parts ?? [
      { value: left, removed: true },
      { value: `\n${right}`, added: true },
    ]
  );
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * CONTEXT) return text;
  const start = isFirst ? '' : text.slice(0, CONTEXT);
  const end = isLast ? '' : text.slice(-CONTEXT);
  return `${start} … ${end}`;
}
