import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { RecordLoading, recordQuery } from '../../components/record/record-page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { VendorRecord } from './vendor-record.tsx';

export function Page() {
  const { uniqueId: vendor = '' } = useParams({ strict: false });
  const [search] = useSearch(['asOf']);
  const { data, error, refetch } = useQuery({ ...trpc.vendor.get.queryOptions({ vendor, ...search }), ...recordQuery });
  if (data === undefined) return <RecordLoading type="vendor" error={error} onRetry={() => void refetch()} />;
  return <VendorRecord key={`${vendor} ${search.asOf}`} loaded={data} isPast={search.asOf !== undefined} />;
}
