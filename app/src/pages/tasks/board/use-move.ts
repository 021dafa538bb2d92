import { useRef, useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { statusText } from '../../../components/status-dot.tsx';
import type { TaskStatus } from '../../../components/task/choices.ts';
import { nextTaskText } from '../../../components/task/due-date.tsx';
import { sayWithLink } from '../../../components/undo/undo.ts';
import type { TaskFilters } from '../use-filters.ts';
import type { ListedTask } from '../use-task-pages.ts';
import { insertCard, placeOf, removeCard } from './columns.ts';

const TOP = { page: 0, index: 0 };

/** Moves cards between columns at once. A card whose change the server rejects returns to its place. */
export function useMove(filters: TaskFilters) {
  const [announcement, setAnnouncement] = useState('');
  const [failure, setFailure] = useState<{ title: string; error: unknown }>();
  /** The card that takes the focus when it appears in its new column. */
  const focused = useRef<string>(undefined);

  const relocate = (from: ListedTask, to: ListedTask, target = TOP) => {
    const place = placeOf(filters, from);
    if (place === undefined) return undefined;
    removeCard(filters, from, place);
    insertCard(filters, to, target);
    return place;
  };

  /** Shows the next task of one that recurs, which a closing made. */
  const showNext = async (taskUniqueId: string) => {
    const next = await client.task.get.query({ taskUniqueId });
    insertCard(filters, next, TOP);
    sayWithLink(nextTaskText(next), taskUniqueId);
  };

  const move = async (task: ListedTask, status: TaskStatus) => {
    if (task.status === status) return;
    setFailure(undefined);
    focused.current = task.uniqueId;
    await queryClient.cancelQueries(trpc.task.listAll.pathFilter());
    const moved = { ...task, status };
    const origin = relocate(task, moved);
    try {
      const { next } = await client.task.update.mutate({ taskUniqueId: task.uniqueId, status });
      setAnnouncement(`“${task.title}” moved to ${statusText(status)}.`);
      if (next !== null && next !== task.next) await showNext(next);
      // Other pages load again. The board keeps the card where the person put it.
      await queryClient.invalidateQueries({ ...trpc.task.pathFilter(), refetchType: 'none' });
    } catch (error) {
      relocate(moved, task, origin);
      setAnnouncement('');
      setFailure({ title: `“${task.title}” could not be moved to ${statusText(status)}`, error });
    }
  };

  return { move, announcement, failure, focused };
}
