import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../../api/client.ts';
import { Validity } from '../../../components/evidence/validity.tsx';
import { ResourceLink } from '../../../components/record/events/resource-link.tsx';

type Expiring = Outputs['overview']['evidence'];

const FILTER = { evidence: 'expiring' } as const;

/** Evidence that is valid for less than 30 days, or no longer, with the task or vendor that needs new one. */
export function ExpiringEvidence({ expiring: { total, items } }: { expiring: Expiring }) {
  if (total === 0) return <p className="quiet-text">No evidence expires within 30 days.</p>;
  const rest = total - items.length;
  return (
    <>
      <ul className="panel-list">
        {items.map(({ uniqueId, name, validUntil, resource }) => (
          <li key={uniqueId}>
            <span className="grow">
              <ResourceLink resource={resource}>{resource.title}</ResourceLink>
              <br />
              <bdi className="quiet">{name}</bdi>
            </span>
            <Validity validUntil={validUntil} />
          </li>
        ))}
      </ul>
      <p className="quiet-text">
        {rest > 0 && `And ${rest.toLocaleString('en')} more. `}
        <Link to="/tasks" search={FILTER}>
          Tasks
        </Link>{' '}
        and{' '}
        <Link to="/vendors" search={FILTER}>
          vendors
        </Link>{' '}
        with expiring evidence
      </p>
    </>
  );
}
