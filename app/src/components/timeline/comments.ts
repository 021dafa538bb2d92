import type { HistoryEvent } from '../record/events/words.ts';
import { isChange } from '../record/changes.tsx';

export interface Mention {
  uniqueId: string;
  name: string;
}

/** A comment or a question as its events tell it. */
export interface Comment {
  uniqueId: string;
  isQuestion: boolean;
  /** When a question was resolved, and by whom; undefined for an open one. */
  resolved: { at: string; by: string } | undefined;
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
const RESOLVED = 'comment.resolve';
const REOPENED = 'comment.reopen';

/** True for the event in whose place a timeline has a comment. */
export const isComment = ({ action }: HistoryEvent): boolean => action === CREATED;

const idsOf = (events: readonly HistoryEvent[], action: string): ReadonlySet<string> =>
  new Set(events.filter((event) => event.action === action).map(({ resource }) => resource.uniqueId));

/** True for a comment on the question with this id. */
const isReplyTo = ({ action, changes = {} }: HistoryEvent, uniqueId: string): boolean =>
  action === CREATED && changes['replyTo'] === uniqueId;

/** The replies to a question, oldest first. @param events newest first, without those of comments that were deleted */
export const repliesTo = (uniqueId: string, events: readonly HistoryEvent[]): HistoryEvent[] =>
  events.filter((event) => isReplyTo(event, uniqueId)).toReversed();

/** The events without comments that were deleted. @param events newest first @param hidden comments that are being deleted */
export function existing<Event extends HistoryEvent>(events: readonly Event[], hidden: ReadonlySet<string>): Event[] {
  const deleted = idsOf(events, DELETED);
  return events.filter(
    (event) => !hidden.has(event.resource.uniqueId) && !(isComment(event) && deleted.has(event.resource.uniqueId)),
  );
}

/**
 * The events that a timeline shows: a comment once, at the time when it was written, and the deletion of another. A reply is below
 * its question, once that is loaded.
 * @param events newest first, so that those of a comment come before its creation, without comments that were deleted
 */
export function shownEvents(events: readonly HistoryEvent[], isCommentsOnly: boolean): readonly HistoryEvent[] {
  const comments = idsOf(events, CREATED);
  return events.filter((event) => {
    const { replyTo } = event.changes ?? {};
    if (isComment(event)) return typeof replyTo !== 'string' || !comments.has(replyTo);
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
  const state = events.find(
    ({ action, resource: { uniqueId } }) =>
      (action === RESOLVED || action === REOPENED) && uniqueId === resource.uniqueId,
  );
  const text = latest('text');
  const mentions = latest('mentions');
  return {
    uniqueId: resource.uniqueId,
    isQuestion: changes['kind'] === 'question',
    resolved: state?.action === RESOLVED ? { at: state.occurredAt, by: state.actor.name } : undefined,
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
