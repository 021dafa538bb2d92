import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../../components/upgrade/lazy-part.tsx';
import type { Task } from '../../../components/task/choices.ts';

const Series = lazyPart(async () => (await import('./series.tsx')).Series);
const NextTask = lazyPart(async () => (await import('./next-task.tsx')).NextTask);

/** The series of a task that has one. Its code loads after that of the page. */
export const SeriesPart = ({ task }: { task: Task }) =>
  task.previous === null && task.next === null && task.recurrence === null ? null : (
    <Suspense fallback={task.previous === null && task.next === null ? null : <Skeleton h={72} />}>
      <Series task={task} />
    </Suspense>
  );

/** Leads to the task that a closed one made. Loads without a skeleton, as most tasks have none. */
export const NextTaskNote = ({ task: { next } }: { task: Task }) =>
  next === null ? null : (
    <Suspense>
      <NextTask taskUniqueId={next} />
    </Suspense>
  );
