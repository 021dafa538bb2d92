import type { Inputs } from '../../api/client.ts';
import type { Column } from '../table/data-table.tsx';
import { oneOf } from '../table/filters.tsx';

/** The filter for evidence of a list. */
export const evidenceFilter = oneOf<NonNullable<Inputs['task']['listAll']['evidence']>>('Evidence', 'Any evidence', [
  { value: 'none', label: 'No evidence' },
  { value: 'some', label: 'With evidence' },
  { value: 'expiring', label: 'Expiring evidence' },
]);

/**
 * The column with the number of pieces of evidence.
 * @param leaves order in which it leaves a narrow table
 * @param countOf null or undefined if the number is not known
 */
export const countColumn = <Row,>(leaves: number, countOf: (row: Row) => number | null | undefined): Column<Row> => ({
  id: 'evidenceCount',
  header: 'Evidence',
  width: 80,
  leaves,
  render: (row) => {
    const count = countOf(row);
    return count === 0 ? <span className="none">0</span> : count?.toLocaleString('en');
  },
});
