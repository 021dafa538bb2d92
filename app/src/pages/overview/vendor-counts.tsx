import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../api/client.ts';
import { StatusDot } from '../../components/status-dot.tsx';

const STATUSES = ['active', 'inactive', 'archived'] as const;

/** Number of vendors of each status. Each leads to its vendors. */
export function VendorCounts({ counts }: { counts: Outputs['overview']['vendors'] }) {
  return (
    <ul className="panel-list">
      {STATUSES.map((status) => (
        <li key={status}>
          <Link to="/vendors" search={{ status }}>
            <StatusDot status={status} />
          </Link>
          <span>{counts[status].toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}
