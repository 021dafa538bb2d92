import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { timeParts } from '../../dates.ts';
import { DISABLED_TEXTS } from './webhook.ts';
import type { Webhook } from './webhook.ts';

type Deliveries = Outputs['webhook']['deliveries'];

const PAGE_SIZE = 50;
const POLL_MS = 30_000;

/** Hexadecimal digits of a UUIDv7 that are its time in milliseconds (RFC 9562, section 5.7). */
const TIME_DIGITS = 12;

/** Time of the event of a delivery, which its id has. */
const timeOf = ({ uniqueId }: Deliveries['items'][number]): Date =>
  new Date(Number.parseInt(uniqueId.replaceAll('-', '').slice(0, TIME_DIGITS), 16));

/**
 * The failures of an endpoint since the last event that arrived: the oldest one of an unbroken row, and the newest error. Undefined if
 * the newest event that was sent has arrived.
 */
function failureOf({ items, nextCursor }: Deliveries) {
  const sent = items.filter(({ lastStatus, lastError }) => lastStatus !== null || lastError !== null);
  const arrived = sent.findIndex(({ lastError }) => lastError === null);
  const [newest] = sent;
  const oldest = sent.at(arrived === -1 ? -1 : arrived - 1);
  if (arrived === 0 || newest === undefined || oldest === undefined) return undefined;
  // The date stays on one line.
  const day = timeParts(timeOf(oldest).toISOString()).day.replaceAll(' ', '\u00a0');
  const isLonger = arrived === -1 && nextCursor !== null;
  return { text: `Failing since ${isLonger ? 'before ' : ''}${day}`, error: newest.lastError };
}

/** What fails at an endpoint that is enabled; undefined if nothing does. */
function useFailure({ uniqueId, enabled }: Webhook) {
  const { data } = useQuery({
    ...trpc.webhook.deliveries.queryOptions({ webhook: uniqueId, limit: PAGE_SIZE }),
    enabled,
    refetchInterval: POLL_MS,
  });
  return enabled && data !== undefined ? failureOf(data) : undefined;
}

/** If an endpoint is enabled, and since when its deliveries fail. */
export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  const failure = useFailure(webhook);
  if (failure !== undefined) return <StatusDot status="failed" label={failure.text} />;
  return <StatusDot status={webhook.enabled ? 'enabled' : 'disabled'} />;
}

/** Why an endpoint is disabled, or its last error. */
export function WebhookReason({ webhook }: { webhook: Webhook }) {
  const failure = useFailure(webhook);
  const { disabledReason } = webhook;
  return disabledReason === null ? failure?.error : DISABLED_TEXTS[disabledReason].short;
}
