import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../api/client.ts';
import { percentText } from './percent.ts';

/** Tasks and requirements of a framework in numbers. */
export type FrameworkCounts = Outputs['overview']['tasks'][number];

/** A number that is exact up to a maximum. */
type Bounded = FrameworkCounts['overdue'];

interface TaskCountProps {
  value: Bounded;
  /** Accessible name after the number. */
  of: string;
  /** Filters of the tasks that are counted. */
  search: Record<string, string>;
  /** After the number: "overdue". */
  word?: string;
}

/** A number that leads to its tasks. */
export function TaskCount({ value: { count, more }, of, search, word }: TaskCountProps) {
  const text = `${count.toLocaleString('en')}${more ? '+' : ''}`;
  const suffix = word === undefined ? '' : ` ${word}`;
  return count === 0 ? (
    `0${suffix}`
  ) : (
    <Link to="/tasks" search={search} aria-label={`${text} ${of}`}>
      {text}
      {suffix}
    </Link>
  );
}

/** Share of the applicable requirements that are met: "12 of 40 met (30 %)". */
export const MetShare = ({ requirements: { applicable, met } }: Pick<FrameworkCounts, 'requirements'>) =>
  applicable === 0 ? (
    <span className="none">None</span>
  ) : (
    `${met.toLocaleString('en')} of ${applicable.toLocaleString('en')} met (${percentText(met, applicable)})`
  );
