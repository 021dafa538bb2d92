import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { trpc } from '../../api/client.ts';
import { useMarks, withoutDelayed } from './marks.ts';

/** Minimum number of milliseconds between two requests for the number of a tab. */
const POLL_MS = 30_000;

const subscribe = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};
const useIsVisible = (): boolean => useSyncExternalStore(subscribe, () => !document.hidden);

/** Number of unread items of the inbox; undefined while it loads. A hidden tab asks for nothing. */
export function useUnreadCount(): number | undefined {
  const marks = useMarks();
  const { data } = useQuery(
    trpc.inbox.count.queryOptions(undefined, {
      enabled: useIsVisible(),
      staleTime: POLL_MS,
      refetchInterval: POLL_MS,
      refetchOnWindowFocus: false,
      retry: false,
    }),
  );
  return data && withoutDelayed(data.unread, marks);
}
