import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../../api/client.ts';
import { Time } from '../../../components/time.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';

type Key = Outputs['overview']['apiKeys'][number];

const REASONS: Readonly<Record<Key['reason'], string>> = { leaked: 'Leaked', expired: 'Expired', expires: 'Expires' };

/** API keys that were leaked, have expired or expire soon, the most urgent first. */
export function AttentionKeys({ keys }: { keys: readonly Key[] }) {
  if (keys.length === 0)
    return <p className="quiet-text">No key expires within 30 days, and none was found in public.</p>;
  return (
    <ul className="panel-list">
      {keys.map(({ uniqueId, name, last4, reason, expiresAt, leakedAt }) => {
        const time = reason === 'leaked' ? leakedAt : expiresAt;
        return (
          <li key={uniqueId}>
            <span className="grow">
              <Link to="/api-keys">{name}</Link> <span className="mono">…{last4}</span>
            </span>
            <span>
              <StatusDot status={reason} label={REASONS[reason]} />{' '}
              {time !== null && <Time value={time} withRelative />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
