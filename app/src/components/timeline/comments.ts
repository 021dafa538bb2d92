import type { HistoryEvent } from '../record/events/words.ts';
import { isChange } from '../record/changes.tsx';

export interface Mention {
  uniqueId: string;
  name: string;
}

/** A comment as its events tell it. */
export interface Comment {
  uniqueId: string;
  author: Mention;
  createdAt: string;
  isEdited: boolean;
  /** Sanitized HTML. */
  text: string;
  mentions: readonly Mention[];
}

const CREATED = 'comment.create';
const CHANGED = 'comment.update';
const DELETED = 'comment.delete';

/** True for the event in whose place a timeline has a comment. */
export const isComment = ({ action }: HistoryEvent): boolean => action === CREATED;

const idsOf = (events: readonly HistoryEvent[], action: string): ReadonlySet<string> =>
  new Set(events.filter((event) => event.action === action).map(({ resource }) => resource.uniqueId));

/**
 * The events that a timeline shows: a comment once, at the time when it was written, and the deletion of another.
 * @param events newest first, so that those of a comment come before its creation
 */
export function shownEvents(events: readonly HistoryEvent[], isCommentsOnly: boolean): readonly HistoryEvent[] {
  const deleted = idsOf(events, DELETED);
  return events.filter((event) => {
    if (isComment(event)) return !deleted.has(event.resource.uniqueId);
    return event.action !== CHANGED && !isCommentsOnly;
  });
}

/** The comment of its creation, with the changes that came later. */
export function commentOf(created: HistoryEvent, events: readonly HistoryEvent[]): Comment {
  const { actor, occurredAt, resource, changes = {} } = created;
  const updates = events.filter((event) => event.action === CHANGED && event.resource.uniqueId === resource.uniqueId);
  const latest = (field: string): unknown => {
    const change = updates.map((event) => event.changes?.[field]).find(isChange);
    return change === undefined ? changes[field] : change.to;
  };
  const text = latest('text');
  const mentions = latest('mentions');
  return {
    uniqueId: resource.uniqueId,
    author: actor,
    createdAt: occurredAt,
    isEdited: updates.length > 0,
    text: typeof text === 'string' ? text : '',
    mentions: Array.isArray(mentions) ? mentions.filter(isMention) : [],
  };
}

export const isMention = (value: unknown): value is Mention =>
  typeof value === 'object' &&
  value !== null &&
  'uniqueId' in value &&
  'name' in value &&
  typeof value.uniqueId === 'string' &&
  typeof value.name === 'string';
