import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { OVERDUE_REVIEWS, REVIEWS_DUE } from '../../../components/views/view.ts';
import { Panel } from '../panel.tsx';

/** The parts with their lists. */
const PARTS = [
  { part: 'overdue', name: 'Overdue', search: OVERDUE_REVIEWS.search },
  { part: 'month', name: 'This month', search: REVIEWS_DUE.search },
] as const;

/** Numbers of vendors whose next review is past, or within 30 days. Each leads to its vendors. */
export function VendorReviews() {
  const { data, error, isPending, refetch } = useQuery(trpc.overview.vendorReviews.queryOptions());
  return (
    <Panel title="Vendor reviews" height={80} isLoading={isPending} error={error} onRetry={() => void refetch()}>
      {data !== undefined && <Counts reviews={data} />}
    </Panel>
  );
}

function Counts({ reviews }: { reviews: Outputs['overview']['vendorReviews'] }) {
  if (PARTS.every(({ part }) => reviews[part].count === 0))
    return <p className="quiet-text">No review of a vendor is due within 30 days.</p>;
  return (
    <ul className="panel-list">
      {PARTS.map(({ part, name, search }) => {
        const { count, more } = reviews[part];
        return (
          <li key={part}>
            <Link to="/vendors" search={search}>
              {name}
            </Link>
            <span className={part === 'overdue' && count > 0 ? 'overdue' : undefined}>
              {count.toLocaleString('en')}
              {more && '+'}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
