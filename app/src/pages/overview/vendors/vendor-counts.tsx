import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../../api/client.ts';
import { StatusDot } from '../../../components/status-dot.tsx';
import { VENDOR_STATUSES } from '../../../components/vendor/choices.ts';

/** Number of vendors of each status. Each leads to its vendors. */
export function VendorCounts({ counts }: { counts: Outputs['overview']['vendors'] }) {
  return (
    <ul className="panel-list">
      {VENDOR_STATUSES.map((status) => (
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
