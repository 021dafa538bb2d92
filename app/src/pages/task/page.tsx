import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { RecordLoading, recordQuery } from '../../components/record/record-page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { TaskRecord } from './task-record.tsx';

export function Page() {
  const { taskUniqueId = '' } = useParams({ strict: false });
  const [search] = useSearch(['asOf']);
  const { data, error, refetch } = useQuery({
    ...trpc.task.get.queryOptions({ taskUniqueId, ...search }),
    ...recordQuery,
  });
  if (data === undefined) return <RecordLoading type="task" error={error} onRetry={() => void refetch()} />;
  return <TaskRecord key={`${taskUniqueId} ${search.asOf}`} loaded={data} isPast={search.asOf !== undefined} />;
}
