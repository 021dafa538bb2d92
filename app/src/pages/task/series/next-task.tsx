import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import type { Task } from '../../../components/task/choices.ts';
import { nextTaskText } from '../../../components/task/due-date.tsx';

/** A sentence about the task that a closed one made, with a link to it. */
export const NextTaskNote = ({ task: { next } }: { task: Task }) => next !== null && <NextTask taskUniqueId={next} />;

function NextTask({ taskUniqueId }: { taskUniqueId: string }) {
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
