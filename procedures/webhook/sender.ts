import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import type { EventRecord, EventRow } from '../../entities/audit/event-statements.ts';
import { disableWebhook } from '../../entities/webhook/endpoint.ts';
import {
  claimDeliveries,
  fanOut,
  findSendingCompanies,
  recordOutcome,
  releaseDelivery,
} from '../../entities/webhook/sending.ts';
import type { ClaimedDelivery, Outcome, InFlight } from '../../entities/webhook/sending.ts';
import { MAX_ERROR_LENGTH } from '../../entities/webhook/delivery.ts';
import { isKnownEvent } from '../../entities/audit/fields.ts';
import { MAX_WEBHOOKS } from '../../entities/webhook/webhook.ts';
import { unlessFrozen } from '../core/frozen.ts';
import { toEvents } from '../audit/events.ts';
import { webhookSecretPlace } from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';
import { webhookBody } from './body.ts';
import type { WebhookEvent } from './body.ts';
import { readHeaders, signedHeaders } from './headers.ts';

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
const GONE = 410;

/** Response of an endpoint. */
interface WebhookResponse {
  status: number;
  /** Time in `Retry-After`; undefined without the header. */
  retryAfterMs: number | undefined;
}

/** Result of an attempt, without its delivery. */
type AttemptResult = Pick<Outcome, 'status' | 'error' | 'delayMs' | 'succeeded'>;

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
const unreadableResult = (attempts: number): AttemptResult => ({
  ...errorResult(attempts, 'not sent: the server cannot decrypt the secret or the headers'),
  succeeded: null,
});

/** Result of a delivery whose event the key of the endpoint may no longer see. */
const HIDDEN_RESULT: AttemptResult = {
  status: null,
  error: 'not sent: the API key of the endpoint may not see this event',
  delayMs: null,
  succeeded: null,
};

function retryDelayMs(attempts: number): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? null : delayMs * (1 + JITTER * (2 * Math.random() - 1));
}

/** Sends one request, and follows no redirect. @throws Error whose message may be in the delivery log */
export type SendRequest = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}) => Promise<WebhookResponse>;

/** Seconds before any process takes the delivery of an event again that this version does not know. */
const UNKNOWN_EVENT_PAUSE_S = 5;

/** Milliseconds after new seals or the end of a delivery until others start. */
const COLLECT_MS = 20;

/** Maximum number of deliveries in flight. A company has a quarter of the process, or less if others need places too. */
const MAX_IN_FLIGHT = { perProcess: 256, perCompany: 64, perWebhook: 16 };
/** Part of the places without those of other companies that a company may hold. The rest is for companies that come later. */
const SHARE = MAX_IN_FLIGHT.perCompany / MAX_IN_FLIGHT.perProcess;

/**
 * Shares the places of a process for deliveries in flight, so that endpoints that do not respond delay neither those of other
 * companies nor the others of their company. Each company keeps one place for each endpoint; the places beyond them are shared.
 */
class Places {
  /** Number of deliveries in flight by company and endpoint. */
  readonly #taken = new Map<number, Map<string, number>>();
  #free = MAX_IN_FLIGHT.perProcess;

  take(company: number, webhook: string): void {
    this.#add(company, webhook, 1);
  }

  release(company: number, webhook: string): void {
    this.#add(company, webhook, -1);
  }

  /** Deliveries of a company in flight, and the places that it may take now. */
  of(company: number): InFlight {
    const taken = this.#taken.get(company) ?? new Map<string, number>();
    const counts = [...taken.values()];
    const held = counts.reduce((sum, count) => sum + count, 0);
    const shared = Math.floor((this.#free + held) * SHARE) - MAX_WEBHOOKS - held;
    const [perWebhook, room] =
      shared > 0 ? [MAX_IN_FLIGHT.perWebhook, shared] : [1, Math.min(this.#free, MAX_IN_FLIGHT.perCompany - held)];
    return { busy: [...taken.keys()], counts, perWebhook, room };
  }

  #add(company: number, webhook: string, change: 1 | -1): void {
    const taken = this.#taken.get(company) ?? new Map<string, number>();
    const count = (taken.get(webhook) ?? 0) + change;
    if (count === 0) taken.delete(webhook);
    else taken.set(webhook, count);
    if (taken.size === 0) this.#taken.delete(company);
    else this.#taken.set(company, taken);
    this.#free -= change;
  }
}

interface SenderOptions {
  encryption: Encryption;
  send: SendRequest;
  /** Receives the result of each attempt. */
  onAttempt?: (succeeded: boolean) => void;
  /** Receives the error of a delivery that could not be recorded. It is sent again when its lease ends. */
  onError?: (error: unknown) => void;
}

/**
 * Adds the deliveries of new seals and sends those that are due, for all companies. Several processes share the work: each
 * takes deliveries for the time of a lease, which another process continues if this one is killed. Contract, section 14.
 */
export class WebhookSender {
  readonly #database: Database;
  readonly #options: SenderOptions;
  readonly #places = new Places();
  /** Resolves when there may be seals that the last search has missed. */
  #sealed: Promise<void>;
  /** Company that started deliveries last. */
  #last = 0;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(database: Database, options: SenderOptions) {
    this.#database = database;
    this.#sealed = database.seals.next();
    this.#options = options;
  }

  /**
   * Companies whose endpoints have new events or due deliveries, in turn: the one that started deliveries last comes last. So
   * each company gets a place, also while others wait for all of them.
   */
  async companies(): Promise<number[]> {
    this.#sealed = this.#database.seals.next();
    const ids = (await this.#session.run(findSendingCompanies, {})).map(({ id }) => id);
    return ids.toSorted((one, other) => Number(one <= this.#last) - Number(other <= this.#last) || one - other);
  }

  /**
   * Adds the deliveries of the next seals of a company, and starts to send those that are due.
   * @returns false if there was nothing to add and nothing to send
   */
  async runSlice(company: number): Promise<boolean> {
    const session = this.#session.asOperator(company);
    const { moved } = await session.one(fanOut, {});
    const places = this.#places.of(company);
    const claimed = places.room > 0 ? await session.run(claimDeliveries, places) : [];
    if (claimed.length > 0) this.#last = company;
    const events = await eventsById(session, claimed);
    for (const delivery of claimed) this.#start(company, session, delivery, events);
    return moved > 0 || claimed.length > 0;
  }

  /** Resolves soon after new seals or the end of a delivery in flight, so that one statement takes several. */
  async next(): Promise<void> {
    await Promise.race([this.#sealed, ...this.#inFlight]);
    await wait(COLLECT_MS, undefined, { ref: false });
  }

  /** Resolves when no delivery is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Ends the requests in flight and gives their deliveries to other processes. Call it after the last `runSlice`. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.idle();
  }

  get #session() {
    return new Session(this.#database, null, 'send-webhooks');
  }

  #start(company: number, session: Session, delivery: ClaimedDelivery, events: ReadonlyMap<string, EventRecord>): void {
    this.#places.take(company, delivery.webhook);
    const sending = this.#deliver(session, delivery, events)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#inFlight.delete(sending);
        this.#places.release(company, delivery.webhook);
      });
    this.#inFlight.add(sending);
  }

  async #deliver(session: Session, claimed: ClaimedDelivery, events: ReadonlyMap<string, EventRecord>): Promise<void> {
    const { delivery, lease, webhook, url } = claimed;
    if (claimed.testEvent === null && !events.has(delivery)) {
      // A newer version wrote the event, and its processes send it.
      await session.run(releaseDelivery, { delivery, lease, seconds: UNKNOWN_EVENT_PAUSE_S });
      return;
    }
    const result = claimed.visible ? await this.#attempt(claimed, events) : HIDDEN_RESULT;
    if (result === undefined) {
      await session.run(releaseDelivery, { delivery, lease, seconds: 0 });
      return;
    }
    if (result.succeeded !== null) this.#options.onAttempt?.(result.succeeded);
    const recorded = await session.first(recordOutcome, { delivery, lease, ...result });
    const reason = result.status === GONE ? 'gone' : recorded?.isDead === true ? 'failing' : undefined;
    // In a frozen company it stays enabled until the next delivery fails.
    if (reason !== undefined) await unlessFrozen(session.run(disableWebhook, { webhook, url, reason }));
  }

  /** Sends a delivery. @returns undefined if the process stops meanwhile */
  async #attempt(
    claimed: ClaimedDelivery,
    events: ReadonlyMap<string, EventRecord>,
  ): Promise<AttemptResult | undefined> {
    const { url, attempts, messageId: id } = claimed;
    const { signal } = this.#stopped;
    const decrypted = this.#decrypt(claimed);
    if (decrypted === undefined) return unreadableResult(attempts);
    const body = webhookBody(toWebhookEvent(claimed, events));
    const signed = signedHeaders({ id, timestamp: new Date(), body }, decrypted.secrets);
    try {
      // Node.js ignores the case of names, and takes the last of equal ones: an endpoint may have another `User-Agent`.
      const headers = {
        'User-Agent': 'compliance-webhooks/1',
        ...decrypted.headers,
        'Content-Type': 'application/json',
        ...signed,
      };
      return responseResult(attempts, await this.#options.send({ url, headers, body, signal }));
    } catch (error) {
      if (signal.aborted) return undefined;
      return errorResult(attempts, (error instanceof Error ? error.message : 'no response').slice(0, MAX_ERROR_LENGTH));
    }
  }

  /** Secrets that sign, the newest first, and headers; undefined if ENCRYPTION_KEY lacks their key. */
  #decrypt({ webhook, secret, previousSecret, encryptedHeaders }: ClaimedDelivery) {
    const { encryption } = this.#options;
    const encrypted = previousSecret === null ? [secret] : [secret, previousSecret];
    try {
      return {
        secrets: encrypted.map((text) => encryption.decrypt(text, webhookSecretPlace(webhook))),
        headers: readHeaders(encryption, webhook, encryptedHeaders),
      };
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

type ClaimedRow = ClaimedDelivery & (EventRow | { id: null });

/** Events of deliveries, by the id of the delivery. */
async function eventsById(session: Session, claimed: readonly ClaimedRow[]): Promise<Map<string, EventRecord>> {
  const rows = claimed.filter((row) => row.id !== null).filter(isKnownEvent);
  if (rows.length === 0) return new Map();
  const events = await toEvents(session, rows);
  return new Map(events.flatMap((event, index) => rows.slice(index, index + 1).map((row) => [row.delivery, event])));
}

function toWebhookEvent(
  { delivery, type, sequence, testEvent }: ClaimedDelivery,
  events: ReadonlyMap<string, EventRecord>,
): WebhookEvent {
  if (testEvent !== null && 'signature' in testEvent)
    return { type, timestamp: testEvent.at, sequence: null, data: testEvent };
  // A test event that version 0.3.0 queued has no parent.
  const data = testEvent === null ? events.get(delivery) : Object.assign({ parent: null }, testEvent);
  if (data === undefined) throw new Error(`delivery ${delivery}: expected its event`);
  return { type, timestamp: data.occurredAt, sequence: sequence === null ? null : Number(sequence), data };
}
