import type { Outputs } from '../../api/client.ts';

export type Day = Outputs['overview']['taskHistory'][number];
type Status = keyof Day['counts'];

/** Layers of the chart from the bottom: two hues and grey. */
export const SERIES = [
  { name: 'Open', color: '#4c6ef5', statuses: ['todo', 'in_progress', 'in_review'] },
  { name: 'Done', color: '#37a35c', statuses: ['done'] },
  { name: 'Closed otherwise', color: '#868e96', statuses: ['not_applicable', 'canceled'] },
] as const satisfies readonly { name: string; color: string; statuses: readonly Status[] }[];

/** Columns of the table beside the chart. */
export const STATUSES = SERIES.flatMap(({ statuses }): readonly Status[] => statuses);

/** Number of tasks in a layer on a day. */
export const countOf = ({ counts }: Day, statuses: readonly Status[]): number =>
  statuses.reduce((total, status) => total + counts[status], 0);
