import type { Outputs } from '../../api/client.ts';
import { statusesOf } from '../../components/task/choices.ts';
import type { TaskStatus } from '../../components/task/choices.ts';

export type Day = Outputs['overview']['taskHistory'][number];
export type FrameworkTasks = Outputs['overview']['tasks'][number];

/** Two hues and grey. */
export const COLORS = { open: '#4c6ef5', done: '#37a35c', other: '#868e96' } as const;

interface Series {
  name: string;
  color: string;
  statuses: readonly TaskStatus[];
  /** Tasks of a framework today. */
  today: (tasks: FrameworkTasks) => number;
}

/** Layers of the chart from the bottom. */
export const SERIES: readonly Series[] = [
  { name: 'Open', color: COLORS.open, statuses: statusesOf('Open'), today: ({ open }) => open },
  { name: 'Done', color: COLORS.done, statuses: statusesOf('Done'), today: ({ done }) => done },
  {
    name: 'Other closed',
    color: COLORS.other,
    statuses: statusesOf('Other closed'),
    today: ({ notApplicable, canceled }) => notApplicable + canceled,
  },
];

/** Number of tasks in a layer on a day. */
export const countOf = ({ counts }: Day, statuses: readonly TaskStatus[]): number =>
  statuses.reduce((total, status) => total + counts[status], 0);

/** Number of all tasks of a framework. */
export const totalOf = (tasks: FrameworkTasks): number => SERIES.reduce((sum, { today }) => sum + today(tasks), 0);
