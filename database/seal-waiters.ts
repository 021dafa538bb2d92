import { findSealHeads } from '../entities/audit/change-feed.ts';
import type { StatementRunner } from './statement-runner.ts';
import { Pace } from './pace.ts';
import { requestDeadline } from './retry.ts';

/** Milliseconds after which a wait ends without a notification, which a pooler or a broken connection loses. */
const POLL_INTERVAL_MS = 300;

/** News of seals, whichever process wrote them. Everything that follows the audit log waits here instead of polling at an interval. */
export class Seals {
  #next = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * Resolves when events may have been sealed after the call: at a notification, or after POLL_INTERVAL_MS. Call it before
   * the query for new seals, so that it includes those that the query misses.
   */
  next(): Promise<void> {
    this.#timer ??= setTimeout(() => this.announce(), POLL_INTERVAL_MS).unref();
    return this.#next.promise;
  }

  /** Ends all waits. */
  announce(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

/** Maximum number of milliseconds between a notification and the query for new seals, however long the last query took. */
const MAX_PAUSE_MS = 300;
/** Maximum number of waiting requests. */
const MAX_WAITERS = { perCaller: 2, perProcess: 200 };

/** A request that waits until the head of its company differs from the one that it has read. */
interface Waiter {
  company: number;
  /** uniqueId of the API key or the member. */
  caller: string;
  /** Number of the last seal that the request has read. */
  head: string;
}

interface Waiting extends Waiter {
  end: (hasNews: boolean) => void;
  fail: (error: unknown) => void;
}

/** End of a wait: after a time, or earlier by a signal. */
export interface WaitEnd {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Requests of this process that wait for new seals. One query for all of them runs when a request begins to wait and when
 * there may be seals, and none while no request waits.
 */
export class SealWaiters {
  readonly #runner: StatementRunner;
  readonly #seals: Seals;
  readonly #waiting = new Set<Waiting>();
  readonly #pace = new Pace();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Number of waits since the start that were rejected because too many requests waited. */
  rejectedCount = 0;

  constructor(runner: StatementRunner, seals: Seals) {
    this.#runner = runner;
    this.#seals = seals;
  }

  /** Number of waiting requests. */
  get count(): number {
    return this.#waiting.size;
  }

  /**
   * Waits until the company has another head. Does not wait if too many requests wait, or after `stop`.
   * @returns false if the wait ended without news
   * @throws ApiError 503 if the database is unavailable
   */
  async wait(waiter: Waiter, { timeoutMs, signal }: WaitEnd): Promise<boolean> {
    if (this.#isStopped || signal?.aborted === true) return false;
    if (!this.#hasRoom(waiter)) {
      this.rejectedCount += 1;
      return false;
    }
    const { promise, resolve: end, reject: fail } = Promise.withResolvers<boolean>();
    const waiting = { ...waiter, end, fail };
    const timer = setTimeout(end, timeoutMs, false);
    const abort = () => end(false);
    signal?.addEventListener('abort', abort);
    this.#waiting.add(waiting);
    this.#schedulePoll();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(waiting);
    }
  }

  /** Ends all waits, also later ones at once. Call it before the server stops. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const { end } of this.#waiting) end(false);
  }

  #hasRoom({ caller }: Waiter): boolean {
    if (this.#waiting.size >= MAX_WAITERS.perProcess) return false;
    return [...this.#waiting].filter((other) => other.caller === caller).length < MAX_WAITERS.perCaller;
  }

  #schedulePoll(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0 || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#poll(), Math.min(MAX_PAUSE_MS, this.#pace.pauseMs));
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    const sealed = this.#seals.next();
    const polled = [...this.#waiting];
    const companies = [...new Set(polled.map(({ company }) => company))];
    try {
      const rows = await this.#pace.round(() => this.#runner.run(findSealHeads, { companies }, {}, requestDeadline()));
      const heads = new Map(rows.map(({ company, head }) => [company, head]));
      for (const { company, head, end } of polled) if ((heads.get(company) ?? head) !== head) end(true);
    } catch (error) {
      for (const { fail } of polled) fail(error);
    } finally {
      void sealed.then(() => this.#schedulePoll());
    }
  }
}
