import { useEffect, useRef } from 'react';

interface Pages {
  data: { pages: readonly unknown[] } | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/**
 * A function that loads the next page; undefined without one. When a refetch of the list cancels the request, or was running
 * when the end of the list came into view, the page is asked for again: nothing else would, as the end stays in view.
 */
export function useLoadMore({ data, hasNextPage, isFetching, isError, fetchNextPage }: Pages) {
  /** Number of pages when the next one was asked for. */
  const wantedAfter = useRef<number>(undefined);
  const count = data?.pages.length;
  useEffect(() => {
    const isWanted = count !== undefined && wantedAfter.current === count;
    if (isWanted && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [count, hasNextPage, isFetching, isError, fetchNextPage]);
  if (!hasNextPage) return undefined;
  return () => {
    wantedAfter.current = count;
    if (!isFetching) void fetchNextPage();
  };
}
