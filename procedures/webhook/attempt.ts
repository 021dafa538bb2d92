import type { Outcome } from '../../entities/webhook/sending.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Milliseconds after each failed attempt until the next one. The last attempt has none. Contract, section 14. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Share by which a delay varies, so that the retries of many deliveries spread. */
const JITTER = 0.1;
/** Maximum of `Retry-After`. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;
/** Status by which an endpoint asks to be disabled. */
export const GONE = 410;

/** Response of an endpoint. */
export interface WebhookResponse {
  status: number;
  /** Time in `Retry-After`; undefined without the header. */
  retryAfterMs: number | undefined;
}

/** Result of an attempt, without its delivery. */
export type AttemptResult = Pick<Outcome, 'status' | 'error' | 'delayMs' | 'succeeded'>;

/** Result of an attempt with a response. Any status but 2xx is a failure. */
export function responseResult(attempts: number, { status, retryAfterMs = 0 }: WebhookResponse): AttemptResult {
  if (status >= 200 && status < 300) return { status, error: null, delayMs: null, succeeded: true };
  const error = `expected a 2xx response, received ${status}`;
  if (status === GONE) return { status, error, delayMs: null, succeeded: false };
  const delayMs = retryDelayMs(attempts);
  const lowerBoundMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return { status, error, delayMs: delayMs === null ? null : Math.max(delayMs, lowerBoundMs), succeeded: false };
}

/** Result of an attempt without a response. @param error text for the delivery log */
export const errorResult = (attempts: number, error: string): AttemptResult => ({
  status: null,
  error,
  delayMs: retryDelayMs(attempts),
  succeeded: false,
});

/** Result of an attempt without a readable secret. It says nothing about the endpoint. */
export const unreadableResult = (attempts: number): AttemptResult => ({
  ...errorResult(attempts, 'not sent: the server cannot decrypt the secret or the headers'),
  succeeded: null,
});

/** Result of a delivery whose event the key of the endpoint may no longer see. */
export const HIDDEN_RESULT: AttemptResult = {
  status: null,
  error: 'not sent: the API key of the endpoint may not see this event',
  delayMs: null,
  succeeded: null,
};

function retryDelayMs(attempts: number): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? null : delayMs * (1 + JITTER * (2 * Math.random() - 1));
}
