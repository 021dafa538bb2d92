import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { disableWebhook } from '../../entities/webhook/endpoint.ts';
import { findEndedWebhooks } from '../../entities/webhook/sending.ts';
import type { Encryption } from '../../procedures/core/encryption.ts';
import { WebhookSender } from '../../procedures/webhook/sender.ts';
import type { SendRequest } from '../../procedures/webhook/sender.ts';
import { processCounters } from '../http/process-counters.ts';

/** Milliseconds between two checks for new events and due deliveries. */
const INTERVAL_MS = 500;
/** Minimum time between two checks as a multiple of the duration of one. Bounds their load. */
const IDLE_FACTOR = 20;
/** Milliseconds after a delivery has ended until others start, so that one statement takes several. */
const COLLECT_MS = 20;
/** Milliseconds between two searches for endpoints whose key is revoked. */
const ENDED_INTERVAL_MS = 10_000;

interface Options {
  /** Undefined if ENCRYPTION_KEY is required and not set: then no endpoint can be created. */
  encryption: Encryption | undefined;
  send: SendRequest;
}

/**
 * Starts a job that delivers the events of all companies to their webhooks. Several processes on one database share the work.
 * @returns a function that stops the job, ends the requests in flight, and resolves when their deliveries are released
 */
export function startWebhooks(
  database: Database,
  log: Pick<Logger, 'warn'>,
  { encryption, send }: Options,
): () => Promise<void> {
  if (encryption === undefined) return async () => {};
  const stopped = new AbortController();
  const session = new Session(database, null, 'send-webhooks');
  const sender = new WebhookSender(database, {
    encryption,
    send,
    onAttempt: (succeeded) => (processCounters.webhookAttempts[succeeded ? 'succeeded' : 'failed'] += 1),
    onError: (error) => log.warn({ err: error }, 'webhook: a delivery failed on our side'),
  });

  /**
   * Sends what is due. Ends at the latest when the next check is due, so that no company waits for the work of another.
   * @returns milliseconds until the next check
   */
  async function sendAll(): Promise<number> {
    const start = performance.now();
    let companies = await sender.companies();
    const intervalMs = Math.max(INTERVAL_MS, IDLE_FACTOR * (performance.now() - start));
    while (companies.length > 0 && performance.now() - start < intervalMs) {
      const busy: number[] = [];
      for (const company of companies) {
        if (stopped.signal.aborted) return 0;
        const worked = await sender.run(company).catch((error: unknown) => {
          if (error instanceof ApiError) throw error; // the database is unavailable
          log.warn({ err: error, company }, 'webhook: deliveries of a company failed');
          return false;
        });
        if (worked) busy.push(company);
      }
      companies = busy;
    }
    return companies.length > 0 ? 0 : intervalMs;
  }

  /** An endpoint of a revoked key sends no further deliveries. It is disabled, so that admins see it. */
  async function disableEnded(): Promise<void> {
    for (const { company, webhook } of await session.run(findEndedWebhooks, {}))
      await session.asOperator(company).run(disableWebhook, { webhook, url: null, reason: 'key' });
  }

  async function runLoop(): Promise<void> {
    let checkedEndedAt = -Infinity;
    while (!stopped.signal.aborted) {
      const idleMs = await sendAll().catch((error: unknown) => {
        log.warn({ err: error }, 'webhook: sending failed');
        return INTERVAL_MS;
      });
      if (performance.now() - checkedEndedAt > ENDED_INTERVAL_MS) {
        checkedEndedAt = performance.now();
        await disableEnded().catch((error: unknown) => log.warn({ err: error }, 'webhook: disabling endpoints failed'));
      }
      await Promise.race([pause(idleMs, stopped.signal), sender.next().then(() => pause(COLLECT_MS, stopped.signal))]);
    }
  }

  const loopEnded = runLoop();
  return async () => {
    stopped.abort();
    await loopEnded;
    await sender.stop();
  };
}

const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal, ref: false }).catch(() => {});
