import type { QueryKey } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import type { LoadPage } from '../../api/pages.ts';

/** The task, the vendor or the requirement of a timeline, as the procedures of comments take it. */
export type Parent = { taskUniqueId: string } | { vendor: string } | { requirement: string };

type LoadEvents = LoadPage<Outputs['audit']['list']>;

export function idOf(parent: Parent): string {
  if ('vendor' in parent) return parent.vendor;
  return 'requirement' in parent ? parent.requirement : parent.taskUniqueId;
}

/** The events of a record and of its comments, newest first. */
function historyOptions(parent: Parent) {
  if ('vendor' in parent)
    return optionsOf(trpc.vendor.history.queryKey({ ...parent, children: true }), (position, options) =>
      client.vendor.history.query({ ...parent, children: true, ...position }, options),
    );
  if ('requirement' in parent)
    return optionsOf(trpc.requirement.history.queryKey({ ...parent, children: true }), (position, options) =>
      client.requirement.history.query({ ...parent, children: true, ...position }, options),
    );
  return optionsOf(trpc.task.history.queryKey({ ...parent, children: true }), (position, options) =>
    client.task.history.query({ ...parent, children: true, ...position }, options),
  );
}

const commentFilter = (parent: Parent) => ({ parent: idOf(parent), resourceType: 'comment' as const });

/** The events of the comments alone. */
const commentOptions = (parent: Parent) =>
  optionsOf(trpc.audit.list.queryKey(commentFilter(parent)), (position, options) =>
    client.audit.list.query({ ...commentFilter(parent), ...position }, options),
  );

const optionsOf = (key: QueryKey, load: LoadEvents) => pagesOptions(key, load);

export const timelineOptions = (parent: Parent, isCommentsOnly: boolean) =>
  isCommentsOnly ? commentOptions(parent) : historyOptions(parent);

/** Loads the timeline again. */
export const reloadTimeline = (parent: Parent): Promise<unknown> =>
  Promise.all(
    [historyOptions(parent), commentOptions(parent)].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
  );
