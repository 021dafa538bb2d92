import { Link } from '@tanstack/react-router';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { keyState, scopesText } from './key.ts';
import type { ApiKey } from './key.ts';

const timeOr = (value: string | null, text: string) => (value === null ? text : <RelativeTime value={value} />);

export const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '28%',
    render: ({ uniqueId, name }) => (
      <Link to="/api-keys" search={{ key: uniqueId }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    width: '196px',
    className: 'wide-only',
    render: ({ start, last4 }) => (
      <span className="mono">
        {start}…{last4}
      </span>
    ),
  },
  { id: 'status', header: 'Status', width: '110px', render: (key) => <StatusDot status={keyState(key)} /> },
  {
    id: 'scopes',
    header: 'Scopes',
    className: 'wide-only',
    render: (key) => <span title={key.scopes.join(', ')}>{scopesText(key)}</span>,
  },
  {
    id: 'frameworks',
    header: 'Frameworks',
    className: 'wide-only',
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
  {
    id: 'expiresAt',
    header: 'Expiry',
    width: '110px',
    className: 'wide-only',
    render: ({ expiresAt }) => timeOr(expiresAt, 'Never'),
  },
  { id: 'lastUsedAt', header: 'Last use', width: '120px', render: ({ lastUsedAt }) => timeOr(lastUsedAt, 'Never') },
];
