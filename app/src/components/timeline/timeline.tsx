import { Button, Checkbox, Skeleton, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';
import { ErrorMessage } from '../error-message.tsx';
import { useEventGroups } from '../record/events/use-event-groups.ts';
import type { FindName } from '../record/values.ts';
import { useHidden } from '../undo/undo.ts';
import { ChangeLine } from './change-line.tsx';
import { CommentItem } from './comment-item.tsx';
import { commentOf, isComment, shownEvents } from './comments.ts';
import { NewComment } from './new-comment.tsx';
import { timelineOptions } from './parent.ts';
import type { Parent } from './parent.ts';
import './timeline.css';

interface TimelineProps {
  parent: Parent;
  /** Framework of the task; missing for a vendor. */
  framework?: number;
  readOnly: boolean;
  findName: FindName;
}

/** Comments and changes of a task or a vendor in their order, the newest first. */
export function Timeline({ parent, framework, readOnly, findName }: TimelineProps) {
  const [isCommentsOnly, setIsCommentsOnly] = useLocalStorage({
    key: 'comments-only',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const query = useInfiniteQuery(timelineOptions(parent, isCommentsOnly));
  const { error, refetch, hasNextPage, isFetchingNextPage, data } = query;
  const hidden = useHidden();
  const events = data?.pages.flatMap(({ items }) => items) ?? [];
  const { groups, loadMore } = useEventGroups(query, {
    select: (loaded) => shownEvents(loaded, isCommentsOnly).filter(({ resource }) => !hidden.has(resource.uniqueId)),
    isAlone: isComment,
  });
  const isPrinting = usePrinting();
  useEffect(() => {
    if (isPrinting && hasNextPage && !isFetchingNextPage) void loadMore();
  });
  return (
    <section aria-labelledby="timeline" className="timeline-section">
      <div className="timeline-top">
        <Title order={2} id="timeline">
          Timeline
        </Title>
        <Checkbox
          role="switch"
          size="xs"
          label="Comments only"
          className="screen-only"
          checked={isCommentsOnly}
          onChange={({ currentTarget }) => setIsCommentsOnly(currentTarget.checked)}
        />
      </div>
      {!readOnly && <NewComment parent={parent} framework={framework} />}
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
                comment={commentOf(group.newest, events)}
                parent={parent}
                framework={framework}
                readOnly={readOnly}
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
