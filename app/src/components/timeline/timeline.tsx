import { Button, Checkbox, Skeleton, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';
import { ErrorMessage } from '../error-message.tsx';
import { Fold } from '../fold.tsx';
import { Changes, isChange } from '../record/changes.tsx';
import { Difference } from '../record/difference.tsx';
import { RecordGroupSentence, RecordSentence } from '../record/events/event-sentence.tsx';
import type { EventGroup } from '../record/events/groups.ts';
import { reviewNote, STRUCTURED } from '../record/events/sentence.ts';
import { useEventGroups } from '../record/events/groups.ts';
import type { HistoryEvent } from '../record/events/words.ts';
import { isLongText } from '../record/values.ts';
import type { FindName } from '../record/values.ts';
import { Time } from '../time.tsx';
import { useAsOf } from '../use-as-of.ts';
import { useHidden } from '../undo/undo.ts';
import { CommentItem } from './comment-item.tsx';
import { existing, isComment, shownEvents } from './comments.ts';
import { NewComment } from './new-comment.tsx';
import { timelineOptions } from './parent.ts';
import type { Parent } from './parent.ts';
import '../record/record.css';

interface ChangeLineProps {
  group: EventGroup<HistoryEvent>;
  findName: FindName;
}

/** A change as a sentence. Changes of one minute are one line, which unfolds. */
const ChangeLine = ({ group, findName }: ChangeLineProps) =>
  group.events.length > 1 ? (
    <Group group={group} findName={findName} />
  ) : (
    <Event event={group.newest} findName={findName} />
  );

interface EventProps {
  event: HistoryEvent;
  findName: FindName;
}

const When = ({ event: { occurredAt } }: Pick<EventProps, 'event'>) => (
  <span className="timeline-time">
    <Time value={occurredAt} isExact />
  </span>
);

const Event = ({ event, findName }: EventProps) => (
  <>
    <RecordSentence event={event} findName={findName} /> <When event={event} />
    <EventDifference event={event} findName={findName} />
  </>
);

/** The note of a review, or the changes of an update, unless its sentence has both values. */
function EventDifference({ event, findName }: EventProps) {
  const { action, changes = {} } = event;
  const [first, ...others] = Object.entries(changes);
  const note = reviewNote(event);
  if (note !== '')
    return (
      <p className="timeline-note" dir="auto">
        {note}
      </p>
    );
  if (!action.endsWith('.update') || first === undefined) return null;
  const [field, change] = first;
  if (others.length > 0 || STRUCTURED.has(field)) return <Changes changes={changes} findName={findName} />;
  if (!isChange(change) || !(isLongText(field, change.from) || isLongText(field, change.to))) return null;
  return <Difference from={textOf(change.from)} to={textOf(change.to)} />;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const Group = ({ group, findName }: ChangeLineProps) => (
  <Fold label={<RecordGroupSentence group={group} />} aside={<When event={group.newest} />}>
    <ol className="timeline-group">
      {group.events.map((event) => (
        <li key={event.uniqueId}>
          <Event event={event} findName={findName} />
        </li>
      ))}
    </ol>
  </Fold>
);

interface TimelineProps {
  parent: Parent;
  /** Framework of the task; missing for a vendor. */
  framework?: number;
  readOnly: boolean;
  /** True if comments can be written, and not changed. */
  isLocked: boolean;
  findName: FindName;
  /** A narrow window has comments and changes in two places. */
  show: 'all' | 'comments' | 'changes';
}

/** Comments and changes of a task or a vendor in their order, the newest first. */
export function Timeline({ parent, framework, readOnly, isLocked, findName, show }: TimelineProps) {
  const [wantsComments, setWantsComments] = useLocalStorage({
    key: 'comments-only',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isCommentsOnly = show === 'comments' || (show === 'all' && wantsComments);
  const query = useInfiniteQuery(timelineOptions(parent, isCommentsOnly));
  const { error, refetch, hasNextPage, isFetchingNextPage, data } = query;
  const hidden = useHidden();
  const isShown = useAsOf();
  const present = (loaded: readonly HistoryEvent[]) =>
    existing(
      loaded.filter(({ occurredAt }) => isShown(occurredAt)),
      hidden,
    );
  const events = present(data?.pages.flatMap(({ items }) => items) ?? []);
  const { groups, loadMore } = useEventGroups(query, {
    select: (loaded) =>
      shownEvents(present(loaded), isCommentsOnly).filter((event) => !(show === 'changes' && isComment(event))),
    isAlone: isComment,
  });
  const isPrinting = usePrinting();
  useEffect(() => {
    if (isPrinting && hasNextPage && !isFetchingNextPage) void loadMore();
  });
  return (
    <section aria-label={show === 'comments' ? 'Comments' : 'Timeline'}>
      {show !== 'changes' && (
        <div className="part-top">
          <Title order={2}>{show === 'comments' ? 'Comments' : 'Timeline'}</Title>
          {show === 'all' && (
            <Checkbox
              role="switch"
              size="xs"
              label="Comments only"
              className="screen-only"
              checked={wantsComments}
              onChange={({ currentTarget }) => setWantsComments(currentTarget.checked)}
            />
          )}
        </div>
      )}
      {!readOnly && show !== 'changes' && <NewComment parent={parent} framework={framework} />}
      {error !== null && (
        <ErrorMessage title="The timeline could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {groups === undefined && error === null && <Skeleton h={72} />}
      {groups?.length === 0 && !hasNextPage && <p className="quiet-text">Nobody has commented yet.</p>}
      <ol className="timeline">
        {groups?.map((group) => (
          <li key={group.key} className={isComment(group.newest) ? 'timeline-comment' : undefined}>
            {isComment(group.newest) ? (
              <CommentItem
                created={group.newest}
                events={events}
                parent={parent}
                framework={framework}
                readOnly={readOnly}
                isLocked={isLocked}
              />
            ) : (
              <ChangeLine group={group} findName={findName} />
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button
          variant="default"
          className={LOAD_MORE_CLASS}
          loading={isFetchingNextPage}
          onClick={() => void loadMore()}
        >
          Load more
        </Button>
      )}
    </section>
  );
}
