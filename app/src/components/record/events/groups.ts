import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { HistoryEvent } from './words.ts';

/** Events of one actor, key, action, parent and minute that follow each other, newest first. */
export interface EventGroup<Event> {
  /** Stays the same while newer events join the group. */
  key: string;
  newest: Event;
  events: readonly Event[];
  /** True if the next page may have more events of the group. */
  isOpen: boolean;
}

/** Number of events at which a group ends, so that a large import does not have to be read as a whole. */
const MAX_GROUP = 500;
const MINUTE_MS = 60_000;

const minuteOf = ({ occurredAt }: HistoryEvent) => Math.floor(Date.parse(occurredAt) / MINUTE_MS);

const isSame = (one: HistoryEvent, other: HistoryEvent): boolean =>
  one.actor.uniqueId === other.actor.uniqueId &&
  // A person who was renamed meanwhile has two names.
  one.actor.name === other.actor.name &&
  one.apiKey === other.apiKey &&
  one.action === other.action &&
  one.parent?.uniqueId === other.parent?.uniqueId &&
  minuteOf(one) === minuteOf(other);

/**
 * Groups the events of a list.
 * @param hasMore true if older events follow on another page
 * @param isAlone true for an event that no group has
 */
function groupEvents<Event extends HistoryEvent>(
  events: readonly Event[],
  hasMore: boolean,
  isAlone: (event: Event) => boolean = () => false,
): EventGroup<Event>[] {
  const isFull = (run: readonly [Event, ...Event[]]) => run.length >= MAX_GROUP || isAlone(run[0]);
  const runs: [Event, ...Event[]][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run !== undefined && !isFull(run) && isSame(run[0], event)) run.push(event);
    else runs.push([event]);
  }
  return runs.map((run, index) => ({
    key: `group ${run.at(-1)?.uniqueId}`,
    newest: run[0],
    events: run,
    isOpen: hasMore && index === runs.length - 1 && !isFull(run),
  }));
}

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
