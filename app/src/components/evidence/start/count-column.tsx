import type { Column } from '../../table/data-table.tsx';

interface WithCount {
  evidenceCount: number | null;
}

/** The column with the number of pieces of evidence. @param leaves order in which it leaves a narrow table */
export const countColumn = (leaves: number): Column<WithCount> => ({
  id: 'evidenceCount',
  header: 'Evidence',
  width: 80,
  leaves,
  render: ({ evidenceCount }) =>
    evidenceCount === 0 ? <span className="none">0</span> : evidenceCount?.toLocaleString('en'),
});
