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
export function groupEvents<Event extends HistoryEvent>(
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
