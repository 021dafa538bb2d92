import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { FormattedDifference } from './formatted-difference.tsx';
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
