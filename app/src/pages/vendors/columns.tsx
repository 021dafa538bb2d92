import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../api/client.ts';
import { countColumn } from '../../components/evidence/start/count-column.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { StatusDot } from '../../components/status-dot.tsx';

type Vendor = Outputs['vendor']['page']['items'][number];

export const columns: readonly Column<Vendor>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'title',
    render: ({ uniqueId, name }) => (
      <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 140, render: ({ status }) => <StatusDot status={status} /> },
  countColumn(1, (vendor) => ('evidenceCount' in vendor ? vendor.evidenceCount : undefined)),
];
