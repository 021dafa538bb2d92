import type { RequestRow } from '../../entities/api-key/request.ts';
import { LISTED_REQUESTS, addRequests } from '../../entities/api-key/request.ts';
import type { StatementRunner } from '../statement-runner.ts';

/** Beyond it, further requests are not recorded until a batch is written. */
const MAX_PENDING = 10_000;
/** Requests of one statement. The embedded database serves no other request meanwhile. */
const BATCH_SIZE = 500;
/** Number of new requests of a key after which its oldest ones are deleted. */
const PRUNE_AFTER = 500;
/** Maximum number of keys whose new requests are counted. Beyond it the counts start again, so that old requests are only deleted more often. */
const MAX_COUNTED_KEYS = 10_000;

interface KeyRequest extends RequestRow {
  company: number;
  key: string;
}

/**
 * Records the requests of API keys, in memory. Batches are written outside of requests. After an error they stay pending. Requests
 * are lost if the process is killed: at most those since the last batch.
 */
export class ApiKeyRequests {
  readonly #runner: StatementRunner;
  /** Pending requests by key, oldest first. A key has at most as many as a list shows. */
  #pending = new Map<string, KeyRequest[]>();
  #size = 0;
  /** Requests of each key that this process has written since it deleted the oldest ones. */
  readonly #sincePruned = new Map<string, number>();
  #lastWrite = Promise.resolve();

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  /** Records a request of a key after its response. */
  record(request: KeyRequest): void {
    let ofKey = this.#pending.get(request.key);
    if (ofKey === undefined) this.#pending.set(request.key, (ofKey = []));
    if (ofKey.length >= LISTED_REQUESTS.perKey) ofKey.shift();
    else if (this.#size < MAX_PENDING) this.#size += 1;
    else return;
    ofKey.push(request);
  }

  /** Writes all pending requests. After an error those that are not written stay pending for the next flush. */
  flush(): Promise<void> {
    return (this.#lastWrite = this.#lastWrite.then(() => this.#writeAll()));
  }

  async #writeAll(): Promise<void> {
    const requests = [...this.#pending.values()].flat();
    this.#pending = new Map();
    this.#size = 0;
    for (let start = 0; start < requests.length; start += BATCH_SIZE) {
      try {
        await this.#write(requests.slice(start, start + BATCH_SIZE));
      } catch {
        this.#restore(requests.slice(start));
        return;
      }
    }
  }

  async #write(batch: readonly KeyRequest[]): Promise<void> {
    const pruned = this.#keysToPrune(batch);
    await this.#runner.run(
      addRequests,
      {
        companies: batch.map(({ company }) => company),
        keys: batch.map(({ key }) => key),
        uniqueId: batch.map(({ uniqueId }) => uniqueId),
        at: batch.map(({ at }) => at),
        method: batch.map(({ method }) => method),
        path: batch.map(({ path }) => path),
        status: batch.map(({ status }) => status),
        code: batch.map(({ code }) => code),
        requestId: batch.map(({ requestId }) => requestId),
        durationMs: batch.map(({ durationMs }) => durationMs),
        prunedCompanies: pruned.map(({ company }) => company),
        prunedKeys: pruned.map(({ key }) => key),
      },
      {},
    );
  }

  /** Keys whose oldest requests should be deleted: this process has written many of their requests, or none before. */
  #keysToPrune(batch: readonly KeyRequest[]): KeyRequest[] {
    if (this.#sincePruned.size > MAX_COUNTED_KEYS) this.#sincePruned.clear();
    return [...Map.groupBy(batch, ({ key }) => key)].flatMap(([key, requests]) => {
      const written = (this.#sincePruned.get(key) ?? PRUNE_AFTER) + requests.length;
      this.#sincePruned.set(key, written > PRUNE_AFTER ? 0 : written);
      return written > PRUNE_AFTER ? requests.slice(0, 1) : [];
    });
  }

  /** Puts back requests that were not written, before those that came since. */
  #restore(requests: readonly KeyRequest[]): void {
    const newer = [...this.#pending.values()].flat();
    this.#pending = new Map();
    this.#size = 0;
    for (const request of [...requests, ...newer]) this.record(request);
  }
}
