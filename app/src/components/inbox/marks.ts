import type { InfiniteData } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { delay, fail } from '../undo/undo.ts';

// Items that this window marks as read. They look read at once, also in pages of the list that were loaded before.

export type InboxItem = Outputs['inbox']['list']['items'][number];

/** Maximum number of items of one call, and of a page of the list. */
const BATCH_SIZE = 100;
/** Maximum number of items that "Mark all as read" names. With more of them, those that arrive meanwhile are read too. */
const MAX_NAMED = 1000;
const FAILURE = 'The items could not be marked as read';

interface Marks {
  /** Items that are marked. */
  read: ReadonlySet<string>;
  /** Items that are marked when the message with "Undo" goes; `all` for every item. */
  delayed: ReadonlySet<string> | 'all';
}

const NONE: ReadonlySet<string> = new Set();
let marks: Marks = { read: NONE, delayed: NONE };
const listeners = new Set<() => void>();

const change = (changes: Partial<Marks>): void => {
  marks = { ...marks, ...changes };
  listeners.forEach((listener) => listener());
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useMarks = (): Marks => useSyncExternalStore(subscribe, () => marks);

type Marked = Pick<InboxItem, 'uniqueId' | 'read'>;

/** True for an item that was read, or that this window marks as read. */
export const isRead = ({ uniqueId, read }: Marked, { read: marked, delayed }: Marks): boolean =>
  read || marked.has(uniqueId) || delayed === 'all' || delayed.has(uniqueId);

/** Number of unread items that is shown. @param unread number of the server, which does not know delayed marks */
export const withoutDelayed = (unread: number, { delayed }: Marks): number =>
  delayed === 'all' ? 0 : Math.max(0, unread - delayed.size);

/** Changes the number of the server. A response on its way may be older. */
function lowerCount(items: number): void {
  void queryClient.cancelQueries(trpc.inbox.count.queryFilter());
  queryClient.setQueryData(
    trpc.inbox.count.queryKey(),
    (count) => count && { unread: Math.max(0, count.unread - items) },
  );
}

const difference = (one: Iterable<string>, other: ReadonlySet<string>) =>
  new Set([...one].filter((uniqueId) => !other.has(uniqueId)));

/** Marks items, and takes the marks back if that fails. The requests start at once. */
async function send(uniqueIds: readonly string[]): Promise<void> {
  const sent = difference(uniqueIds, marks.read);
  const { delayed } = marks;
  change({ read: new Set([...marks.read, ...sent]), delayed: delayed === 'all' ? delayed : difference(delayed, sent) });
  lowerCount(sent.size);
  const ids = [...sent];
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH_SIZE) }, (_, index) =>
    ids.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  );
  try {
    await Promise.all(batches.map((batch) => client.inbox.read.mutate({ uniqueIds: batch }, sentOnLeave)));
  } catch (error) {
    change({ read: difference(marks.read, sent) });
    void queryClient.invalidateQueries(trpc.inbox.pathFilter());
    throw error;
  }
}

/** Marks items as read. */
export async function markAsRead(items: readonly Marked[]): Promise<void> {
  try {
    await send(items.filter(({ read }) => !read).map(({ uniqueId }) => uniqueId));
  } catch (error) {
    fail({ title: FAILURE, reasons: [messageText(errorDetails(error).message)] });
  }
}

/** Marks the items of a task or vendor that a person opened, whatever led there. They are looked for among the newest unread ones. */
export async function markSubjectAsRead(subject: string): Promise<void> {
  const { items } = await client.inbox.list.query({ unread: true, limit: BATCH_SIZE });
  const unread = items.filter((item) => item.resource.uniqueId === subject && !isRead(item, marks));
  if (unread.length > 0) await markAsRead(unread);
}

type LoadedItems = InfiniteData<Outputs['inbox']['list']>;

const withAllRead = ({ pages, ...list }: LoadedItems): LoadedItems => ({
  ...list,
  pages: pages.map((page) => ({ ...page, items: page.items.map((item) => ({ ...item, read: true })) })),
});

/** Marks every item, those that arrived meanwhile too. */
async function sendAll(): Promise<void> {
  try {
    await client.inbox.read.mutate({ all: true }, sentOnLeave);
    // A list that was loaded before may be shown until the next one arrives.
    queryClient.setQueriesData<LoadedItems>(trpc.inbox.list.pathFilter(), (list) => list && withAllRead(list));
    await queryClient.invalidateQueries(trpc.inbox.pathFilter());
  } finally {
    change({ delayed: NONE });
  }
}

/** Ids of the items that are unread now; undefined if they are too many. */
async function readUnreadIds(): Promise<string[] | undefined> {
  const items: InboxItem[] = [];
  let position: { cursor?: string } | undefined = {};
  while (position !== undefined) {
    if (items.length >= MAX_NAMED) return undefined;
    const page: Outputs['inbox']['list'] = await client.inbox.list.query({
      unread: true,
      limit: BATCH_SIZE,
      ...position,
    });
    items.push(...page.items);
    position = page.nextCursor === null ? undefined : { cursor: page.nextCursor };
  }
  return items.filter((item) => !isRead(item, marks)).map(({ uniqueId }) => uniqueId);
}

/** Shows all items as read, and marks them when the message with "Undo" goes. Items that arrive meanwhile stay unread. */
export async function markAllAsRead(): Promise<void> {
  const uniqueIds = await readUnreadIds();
  const count = uniqueIds?.length ?? 'All';
  delay({
    text: `${count.toLocaleString('en')} ${count === 1 ? 'item was' : 'items were'} marked as read.`,
    failure: FAILURE,
    send: () => (uniqueIds === undefined ? sendAll() : send(uniqueIds)),
    undo: () => change({ delayed: NONE }),
  });
  change({ delayed: uniqueIds === undefined ? 'all' : new Set(uniqueIds) });
}
