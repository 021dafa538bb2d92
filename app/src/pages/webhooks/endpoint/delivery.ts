import { useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';

export type Delivery = Outputs['webhook']['deliveries']['items'][number];

const PAGE_SIZE = 50;
/** Milliseconds between two requests for a page of the log, if an attempt is due soon, and otherwise. */
const PENDING_INTERVAL_MS = 3000;
const IDLE_INTERVAL_MS = 5000;
/** Milliseconds until an attempt that is due soon. A lease is at most that long. */
const SOON_MS = 60_000;

export const isSoon = ({ nextAttemptAt }: Delivery): boolean =>
  nextAttemptAt !== null && Date.parse(nextAttemptAt) - Date.now() <= SOON_MS;

/** Pages of the deliveries of an endpoint, newest first. They stay up to date while somebody looks at them. */
export const useDeliveries = (webhook: string) =>
  useInfiniteQuery({
    ...pagesOptions(trpc.webhook.deliveries.queryKey({ webhook }), (position, options) =>
      client.webhook.deliveries.query({ webhook, limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state: { data } }) => {
      const { pages } = data ?? { pages: [] };
      const isPending = pages.some(({ items }) => items.some(isSoon));
      return (isPending ? PENDING_INTERVAL_MS : IDLE_INTERVAL_MS) * Math.max(1, pages.length);
    },
  });

type DeliveryStatus = 'waiting' | 'retrying' | 'delivered' | 'failed';

/** Outcome of the last attempt, with its words: "500 Retrying". */
export function deliveryStatus({ lastStatus, lastError, nextAttemptAt }: Delivery): {
  status: DeliveryStatus;
  label: string;
} {
  const isPending = nextAttemptAt !== null;
  if (lastStatus === null && lastError === null)
    return isPending ? { status: 'waiting', label: 'Waiting' } : { status: 'failed', label: 'Not sent' };
  if (lastError === null) return { status: 'delivered', label: `${lastStatus} Delivered` };
  if (lastStatus !== null)
    return isPending
      ? { status: 'retrying', label: `${lastStatus} Retrying` }
      : { status: 'failed', label: `${lastStatus} Failed` };
  const text = lastError.startsWith('not sent') ? 'Not sent' : 'No response';
  return isPending ? { status: 'retrying', label: `${text}, retrying` } : { status: 'failed', label: text };
}
