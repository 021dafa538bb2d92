import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { isRead, useMarks } from '../../components/inbox/marks.ts';
import { useUnreadCount } from '../../components/inbox/unread.ts';
import { groupItems } from './groups.ts';

const PAGE_SIZE = 100;
/** Pages after which the list loads no more by itself. */
const MAX_PAGES = 10;

/**
 * The items of the inbox in groups, newest first. Loads further pages while the next one may continue a group.
 * @param isUnreadOnly leaves out items that are read
 */
export function useItems(isUnreadOnly: boolean) {
  const filters = isUnreadOnly ? { unread: true } : {};
  const query = useInfiniteQuery({
    ...pagesOptions(trpc.inbox.list.queryKey(filters), (position, options) =>
      client.inbox.list.query({ ...filters, limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage, refetch } = query;
  const marks = useMarks();
  const loaded = data?.pages.flatMap(({ items }) => items) ?? [];
  const items = isUnreadOnly ? loaded.filter((item) => !isRead(item, marks)) : loaded;
  const groups = groupItems(items, hasNextPage);
  const isContinued = groups.some(({ isOpen }) => isOpen);
  const isEmptySoFar = groups.length === 0 && marks.delayed !== 'all';
  const isLoadingMore =
    data !== undefined && hasNextPage && !isError && (isEmptySoFar || (isContinued && data.pages.length < MAX_PAGES));

  useEffect(() => {
    if (isLoadingMore && !isFetching) void fetchNextPage();
  }, [isLoadingMore, isFetching, fetchNextPage]);

  // A number that grows means that something arrived.
  const unread = useUnreadCount();
  const previous = useRef(unread);
  useEffect(() => {
    if (unread !== undefined && unread > (previous.current ?? unread)) void refetch();
    previous.current = unread;
  }, [unread, refetch]);

  return {
    ...query,
    unread,
    items,
    /** Undefined while there is nothing to show. */
    groups: data === undefined || (isLoadingMore && isEmptySoFar) ? undefined : groups,
    isUnread: (item: (typeof items)[number]) => !isRead(item, marks),
  };
}
