import { Link } from '@tanstack/react-router';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Time } from '../../components/time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { keyState, scopesText } from './key.ts';
import type { ApiKey } from './key.ts';

const timeOr = (value: string | null, text: string) => (value === null ? text : <Time value={value} />);

export const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    render: ({ uniqueId, name }) => (
      <Link to="/api-keys" search={{ key: uniqueId }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    width: 196,
    leaves: 2,
    render: ({ start, last4 }) => (
      <span className="mono">
        {start}…{last4}
      </span>
    ),
  },
  { id: 'status', header: 'Status', width: 110, render: (key) => <StatusDot status={keyState(key)} /> },
  {
    id: 'scopes',
    header: 'Scopes',
    width: 170,
    leaves: 3,
    className: 'wrap',
    render: (key) => <span title={key.scopes.join(', ')}>{scopesText(key)}</span>,
  },
  {
    id: 'frameworks',
    header: 'Frameworks',
    width: 150,
    leaves: 1,
    className: 'wrap',
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
  {
    id: 'expiresAt',
    header: 'Expiry',
    width: 130,
    leaves: 4,
    render: ({ expiresAt }) => timeOr(expiresAt, 'Never'),
  },
  { id: 'lastUsedAt', header: 'Last use', width: 130, render: ({ lastUsedAt }) => timeOr(lastUsedAt, 'Never') },
];
