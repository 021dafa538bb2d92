import { addUsage } from '../../entities/api-key/usage.ts';
import { updateLastUsed } from '../../entities/api-key/statements.ts';
import type { StatementRunner } from '../statement-runner.ts';

const DAY_MS = 86_400_000;
/** Beyond it, further keys are not counted until the next batch is written. */
const MAX_PENDING = 10_000;
const RATE_LIMITED = 429;

interface KeyUsage {
  company: number;
  key: string;
  /** Days since 1970, in UTC. */
  day: number;
  requests: number;
  errors: number;
  rateLimited: number;
}

/**
 * Counts the requests of API keys by day, in memory. Batches are written outside of requests and added to what other processes
 * have written. After an error they stay pending. Counts are lost if the process is killed: at most those since the last batch.
 * If the connection breaks during a write, its batch may be added twice.
 */
export class ApiKeyUsageCounter {
  readonly #runner: StatementRunner;
  #pending = new Map<string, KeyUsage>();
  /** Days that ended before they were written. */
  #ended: KeyUsage[] = [];
  #lastWrite = Promise.resolve();

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  /** Counts a response to a request with a valid key. */
  record(company: number, key: string, status: number): void {
    const usage = this.#usageOf(company, key);
    if (usage === undefined) return;
    usage.requests += 1;
    if (status === RATE_LIMITED) usage.rateLimited += 1;
    else if (status >= 400) usage.errors += 1;
  }

  #usageOf(company: number, key: string): KeyUsage | undefined {
    const day = Math.floor(Date.now() / DAY_MS);
    const pending = this.#pending.get(key);
    if (pending?.day === day) return pending;
    if (this.#pending.size + this.#ended.length >= MAX_PENDING) return undefined;
    if (pending !== undefined) this.#ended.push(pending);
    const usage = { company, key, day, requests: 0, errors: 0, rateLimited: 0 };
    this.#pending.set(key, usage);
    return usage;
  }

  /** Writes all pending counts in one statement. After an error they stay pending for the next flush. */
  flush(): Promise<void> {
    return (this.#lastWrite = this.#lastWrite.then(() => this.#write()));
  }

  async #write(): Promise<void> {
    const batch = [...this.#ended, ...this.#pending.values()];
    if (batch.length === 0) return;
    this.#pending = new Map();
    this.#ended = [];
    const input = {
      companies: batch.map(({ company }) => company),
      keys: batch.map(({ key }) => key),
      days: batch.map(({ day }) => new Date(day * DAY_MS).toISOString().slice(0, 10)),
      requests: batch.map(({ requests }) => requests),
      errors: batch.map(({ errors }) => errors),
      rateLimited: batch.map(({ rateLimited }) => rateLimited),
    };
    try {
      await this.#runner.run(addUsage, input, {});
    } catch {
      for (const usage of batch) this.#restore(usage);
    }
  }

  /** Adds counts that were not written to those of requests since then. */
  #restore(usage: KeyUsage): void {
    const pending = this.#pending.get(usage.key);
    if (pending === undefined) this.#pending.set(usage.key, usage);
    else if (pending.day === usage.day) {
      pending.requests += usage.requests;
      pending.errors += usage.errors;
      pending.rateLimited += usage.rateLimited;
    } else this.#ended.push(usage);
  }
}

const MINUTE_MS = 60_000;

interface KeyUse {
  company: number;
  key: string;
  minute: number;
}

/** Records when API keys were last used, to the minute. Batches are written outside of requests. */
export class ApiKeyLastUsed {
  readonly #runner: StatementRunner;
  #pending = new Map<string, KeyUse>();
  readonly #written = new Map<string, number>();

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  /** Records that a key is used now. */
  record(company: number, key: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (this.#written.get(key) === minute || this.#pending.get(key)?.minute === minute) return;
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(key)) return;
    this.#pending.set(key, { company, key, minute });
  }

  /** Writes all pending uses in one statement. After an error they stay pending for the next flush. */
  async flush(): Promise<void> {
    const uses = [...this.#pending.values()];
    if (uses.length === 0) return;
    this.#pending = new Map();
    const input = {
      companies: uses.map(({ company }) => company),
      keys: uses.map(({ key }) => key),
      at: uses.map(({ minute }) => new Date(minute * MINUTE_MS).toISOString()),
    };
    try {
      await this.#runner.run(updateLastUsed, input, {});
      this.#written.clear();
      for (const { key, minute } of uses) this.#written.set(key, minute);
    } catch {
      for (const use of uses) {
        if (this.#pending.size >= MAX_PENDING) break;
        if (!this.#pending.has(use.key)) this.#pending.set(use.key, use);
      }
    }
  }
}
