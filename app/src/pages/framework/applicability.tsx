import { useMemo } from 'react';
import { client } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { RequirementTitle } from '../../components/requirement/title.tsx';
import { outlineOf } from '../../components/requirement/outline.ts';
import { useRequirements } from '../../components/requirement/use-requirements.ts';
import type { ListedRequirement } from '../../components/requirement/use-requirements.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { MAX_EXPORTED, useExportMenu } from '../../components/table/use-export-menu.tsx';
import { Time } from '../../components/time.tsx';
import type { Framework } from '../frameworks/kinds.ts';
import { FrameworkFrame } from './frame.tsx';

const UNIT = ['requirement', 'requirements'] as const;

/** The status of a requirement with the note of its assessment. */
const Assessed = ({ requirement: { status, assessment } }: { requirement: ListedRequirement }) => (
  <>
    {status !== null && <StatusDot status={status} />}
    {assessment !== null && (
      <div className="applicability-note">
        {assessment.by.name}, <Time value={assessment.at} />
        {assessment.note !== '' && <p dir="auto">{assessment.note}</p>}
      </div>
    )}
  </>
);

const COLUMNS: readonly Column<ListedRequirement>[] = [
  {
    id: 'title',
    header: 'Requirement',
    className: 'wrap',
    render: (row) => <RequirementTitle requirement={row} />,
  },
  {
    id: 'applicable',
    header: 'Applies',
    width: 80,
    render: ({ assessable, applicable }) => assessable && (applicable ? 'Yes' : 'No'),
  },
  {
    id: 'justification',
    header: 'Justification',
    width: 230,
    className: 'wrap',
    render: ({ justification }) => justification !== '' && <span dir="auto">{justification}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 230,
    className: 'wrap',
    render: (row) => <Assessed requirement={row} />,
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 120,
    className: 'wrap',
    render: ({ owner }) => owner?.name,
  },
];

/** The statement of applicability: what applies, why, and how far it is met. It prints as a document. */
export function Applicability({ framework }: { framework: Framework }) {
  const { id, name } = framework;
  const { data, error, refetch } = useRequirements(id);
  const rows = useMemo(() => data && outlineOf(data).map(({ item }) => item), [data]);
  const fileName = `${name} statement of applicability`;
  const [exportMenu, exportStatus] = useExportMenu({
    fileName: `${fileName}.csv`,
    unit: UNIT,
    load: (options, signal) => client.requirement.exportCsv.query({ framework: id, ...options }, { signal }),
    other: {
      label: 'NDJSON for programs',
      job: {
        fileName: `${fileName}.ndjson`,
        type: 'application/x-ndjson',
        maxRows: MAX_EXPORTED,
        load: async (cursor, signal) => {
          const input = { framework: id, ...(cursor !== undefined && { cursor }) };
          const { items, nextCursor } = await client.requirement.export.query(input, { signal });
          return { content: items.map((item) => `${JSON.stringify(item)}\n`).join(''), rows: items.length, nextCursor };
        },
      },
    },
  });
  return (
    <FrameworkFrame framework={framework} part="applicability" action={rows?.length !== 0 && exportMenu}>
      {exportStatus}
      {error !== null && (
        <ErrorMessage title="The requirements could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || rows !== undefined) && (
        <div className="applicability">
          <DataTable
            label="Statement of applicability"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ uniqueId }) => uniqueId}
            empty={
              <EmptyState text="The statement of applicability lists the requirements of the framework. This framework has none yet." />
            }
          />
        </div>
      )}
    </FrameworkFrame>
  );
}
