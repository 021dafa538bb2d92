import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';

/** Names of the frameworks to which an API key or a member is limited; null is all. */
export function FrameworkNames({ ids }: { ids: readonly number[] | null }) {
  const { data = [] } = useQuery(trpc.framework.list.queryOptions());
  if (ids === null) return 'All';
  const text = ids.map((id) => data.find((framework) => framework.id === id)?.name ?? String(id)).join(', ');
  return <span title={text}>{text}</span>;
}
