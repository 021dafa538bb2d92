import { percentOf, percentText } from '../../components/frameworks/percent.ts';

/** Numbers of a framework at a time, as the API has them. */
export interface Numbers {
  requirements: Record<'met' | 'partlyMet' | 'notMet' | 'notAssessed' | 'notApplicable', number>;
  tasks: Record<'todo' | 'in_progress' | 'in_review' | 'overdue' | 'closedOnTime' | 'closedLate', number>;
  evidence: Record<'total' | 'expiring' | 'expired' | 'closedTasksWithout', number>;
}

interface Measure {
  label: string;
  countOf: (numbers: Numbers) => number;
  /** The whole of a share; missing for a plain number. */
  wholeOf?: (numbers: Numbers) => number;
  /** Missing for a number that is neither good nor bad. */
  better?: 'more' | 'less';
}

/** Number of the requirements that apply. */
export const applicableOf = ({ requirements: { met, partlyMet, notMet, notAssessed } }: Numbers): number =>
  met + partlyMet + notMet + notAssessed;

/** What the report compares, in the order of its table. */
export const MEASURES: readonly Measure[] = [
  {
    label: 'Requirements met',
    countOf: ({ requirements }) => requirements.met,
    wholeOf: applicableOf,
    better: 'more',
  },
  { label: 'Requirements partly met', countOf: ({ requirements }) => requirements.partlyMet },
  { label: 'Requirements not met', countOf: ({ requirements }) => requirements.notMet, better: 'less' },
  { label: 'Requirements not assessed', countOf: ({ requirements }) => requirements.notAssessed, better: 'less' },
  { label: 'Open tasks', countOf: ({ tasks }) => tasks.todo + tasks.in_progress + tasks.in_review },
  { label: 'Overdue tasks', countOf: ({ tasks }) => tasks.overdue, better: 'less' },
  {
    label: 'Tasks closed on time',
    countOf: ({ tasks }) => tasks.closedOnTime,
    wholeOf: ({ tasks }) => tasks.closedOnTime + tasks.closedLate,
    better: 'more',
  },
  { label: 'Pieces of evidence', countOf: ({ evidence }) => evidence.total },
  { label: 'Expiring evidence', countOf: ({ evidence }) => evidence.expiring, better: 'less' },
  { label: 'Expired evidence', countOf: ({ evidence }) => evidence.expired, better: 'less' },
  {
    label: 'Closed tasks without evidence',
    countOf: ({ evidence }) => evidence.closedTasksWithout,
    better: 'less',
  },
];

/** "12 of 40 (30 %)", "7" */
export function valueText({ countOf, wholeOf }: Measure, numbers: Numbers): string {
  const count = countOf(numbers);
  const text = count.toLocaleString('en');
  if (wholeOf === undefined) return text;
  const whole = wholeOf(numbers);
  return whole === 0 ? 'None' : `${text} of ${whole.toLocaleString('en')} (${percentText(count, whole)})`;
}

/** The change of a number in words: "+5 points, better", "−2", "no change". */
export function changeText({ countOf, wholeOf, better }: Measure, before: Numbers, now: Numbers): string {
  const valueOf = (numbers: Numbers) =>
    wholeOf === undefined ? countOf(numbers) : percentOf(countOf(numbers), wholeOf(numbers));
  const change = valueOf(now) - valueOf(before);
  if (change === 0) return 'no change';
  const size = Math.abs(change).toLocaleString('en');
  const unit = wholeOf === undefined ? '' : size === '1' ? ' point' : ' points';
  const meaning = better === undefined ? '' : change > 0 === (better === 'more') ? ', better' : ', worse';
  return `${change > 0 ? '+' : '−'}${size}${unit}${meaning}`;
}
