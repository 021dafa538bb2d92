import { useEffect } from 'react';

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/** Loads page after page while the page is printed. */
export function useLoadAll({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pages, isPrinting: boolean): void {
  useEffect(() => {
    if (isPrinting && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  });
}
