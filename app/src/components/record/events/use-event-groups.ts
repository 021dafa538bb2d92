import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { groupEvents } from './groups.ts';
import type { HistoryEvent } from './words.ts';

type EventQuery<Event> = UseInfiniteQueryResult<InfiniteData<{ items: readonly Event[] }>, unknown>;

interface Options<Event> {
  /** Groups that are loaded at once. */
  minimum?: number;
  /** Pages after which it loads no more by itself. */
  maxPages?: number;
  /** The events to show, of all that are loaded. */
  select?: (events: readonly Event[]) => readonly Event[];
  /** True for an event that no group has. */
  isAlone?: (event: Event) => boolean;
}

const all = <Event>(events: readonly Event[]) => events;

/**
 * The events of a list in groups. Loads further pages until there are enough groups and each is whole: the last one is held back
 * while the next page may continue it.
 */
export function useEventGroups<Event extends HistoryEvent>(
  query: EventQuery<Event>,
  { minimum = 1, maxPages = Infinity, select = all, isAlone }: Options<Event> = {},
) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const groupsOf = (loaded: typeof data, hasMore: boolean) => {
    const events = select(loaded?.pages.flatMap(({ items }) => items) ?? []);
    const grouped = groupEvents(events, hasMore, isAlone);
    return hasMore && (loaded?.pages.length ?? 0) < maxPages ? grouped.filter(({ isOpen }) => !isOpen) : grouped;
  };
  const groups = groupsOf(data, hasNextPage);
  const isWaiting =
    data === undefined || (groups.length < minimum && hasNextPage && !isError && data.pages.length < maxPages);

  useEffect(() => {
    if (isWaiting && data !== undefined && !isFetching) void fetchNextPage();
  }, [isWaiting, data, isFetching, fetchNextPage]);

  /** Loads pages until there is another group. */
  const loadMore = async () => {
    for (let hasMore = hasNextPage; hasMore;) {
      const next = await fetchNextPage({ cancelRefetch: false });
      const isSameList = next.data?.pages[0] === data?.pages[0];
      const count = groupsOf(next.data, next.hasNextPage).length;
      hasMore = isSameList && !next.isError && next.hasNextPage && count <= groups.length;
    }
  };

  return { groups: isWaiting ? undefined : groups, loadMore };
}
