import { updateLastUsed } from '../../entities/api-key/statements.ts';
import type { StatementRunner } from '../statement-runner.ts';

const MINUTE_MS = 60_000;
/** Beyond it, the use of further keys is not recorded until the next batch is written. */
const MAX_PENDING = 10_000;

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
