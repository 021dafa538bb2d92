import type { Outputs } from '../../api/client.ts';
import { statusesOf } from '../../components/task/choices.ts';
import type { TaskStatus } from '../../components/task/choices.ts';

export type Day = Outputs['overview']['taskHistory'][number];

/** Layers of the chart from the bottom: two hues and grey. */
export const SERIES = [
  { name: 'Open', color: '#4c6ef5', statuses: statusesOf('Open') },
  { name: 'Done', color: '#37a35c', statuses: statusesOf('Done') },
  { name: 'Closed otherwise', color: '#868e96', statuses: statusesOf('Closed otherwise') },
];

/** Number of tasks in a layer on a day. */
export const countOf = ({ counts }: Day, statuses: readonly TaskStatus[]): number =>
  statuses.reduce((total, status) => total + counts[status], 0);
