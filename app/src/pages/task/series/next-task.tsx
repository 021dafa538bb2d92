import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import { nextTaskText } from '../../../components/task/due-date.tsx';

/** A sentence about the next task of the series, with a link to it. */
export function NextTask({ taskUniqueId }: { taskUniqueId: string }) {
  const { data } = useQuery(trpc.task.get.queryOptions({ taskUniqueId }));
  if (data === undefined) return null;
  return (
    <div className="field-note" role="status">
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId }}>
        {nextTaskText(data)}
      </Link>
    </div>
  );
}
