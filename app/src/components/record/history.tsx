import { Button, Skeleton, Title, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import type { LoadPage } from '../../api/pages.ts';
import { ErrorMessage } from '../error-message.tsx';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';
import { Time } from '../time.tsx';
import { Changes, isChange } from './changes.tsx';
import { RecordSentence } from './events/event-sentence.tsx';
import { RecordGroupSentence } from './events/group-sentence.tsx';
import type { EventGroup } from './events/groups.ts';
import { useEventGroups } from './events/use-event-groups.ts';
import type { HistoryEvent } from './events/words.ts';
import { Difference } from './difference.tsx';
import { isLongText } from './values.ts';
import type { FindName } from './values.ts';

interface HistoryProps {
  /** Key of the procedure: `trpc.task.history.queryKey({ taskUniqueId })`. */
  procedureKey: QueryKey;
  /** Loads a page of events, newest first. */
  loadPage: LoadPage<Outputs['task']['history']>;
  findName: FindName;
}

/** The events of a task or a vendor as a timeline of sentences. Those of one minute are one line, which unfolds. */
export function History({ procedureKey, loadPage, findName }: HistoryProps) {
  const query = useInfiniteQuery(pagesOptions(procedureKey, loadPage));
  const { error, refetch, hasNextPage, isFetchingNextPage } = query;
  const { groups, loadMore } = useEventGroups(query);
  const isPrinting = usePrinting();
  useEffect(() => {
    if (isPrinting && hasNextPage && !isFetchingNextPage) void loadMore();
  });
  return (
    <section aria-labelledby="history">
      <Title order={2} id="history" mb="sm">
        History
      </Title>
      {error !== null && (
        <ErrorMessage title="The history could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {groups === undefined && error === null && <Skeleton h={72} />}
      <ol className="timeline">
        {groups?.map((group) => (
          <li key={group.key}>
            {group.events.length > 1 ? (
              <Group group={group} findName={findName} />
            ) : (
              <Event event={group.newest} findName={findName} />
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

/** The changes of an update, unless its sentence has both values. */
function EventDifference({ event: { action, changes = {} }, findName }: EventProps) {
  const [first, ...others] = Object.entries(changes);
  if (!action.endsWith('.update') || first === undefined) return null;
  const [field, change] = first;
  if (others.length > 0) return <Changes changes={changes} findName={findName} />;
  if (!isChange(change) || !(isLongText(field, change.from) || isLongText(field, change.to))) return null;
  return <Difference from={textOf(change.from)} to={textOf(change.to)} />;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function Group({ group, findName }: { group: EventGroup<HistoryEvent>; findName: FindName }) {
  const [isUnfolded, setIsUnfolded] = useState(false);
  const isPrinting = usePrinting();
  return (
    <>
      <UnstyledButton className="expander" aria-expanded={isUnfolded} onClick={() => setIsUnfolded(!isUnfolded)}>
        <IconChevron size={14} aria-hidden />
        <span>
          <RecordGroupSentence group={group} />
        </span>
      </UnstyledButton>{' '}
      <When event={group.newest} />
      {(isUnfolded || isPrinting) && (
        <ol className="timeline-group">
          {group.events.map((event) => (
            <li key={event.uniqueId}>
              <Event event={event} findName={findName} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
