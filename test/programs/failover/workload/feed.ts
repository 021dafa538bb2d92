import { setTimeout as wait } from 'node:timers/promises';
import type { FeedItem } from './history.ts';
import type { Sender } from './sender.ts';
import type { Workplace } from './client.ts';

const PAUSE_MS = 250;
const PAGE_SIZE = 500;

/** Follows the change feed of a company from its first event, as a client that must not miss one. */
export class FeedFollower {
  readonly items: FeedItem[] = [];
  readonly #sender: Sender;
  readonly #company: Workplace;
  readonly #name: string;
  #cursor = '';
  #count = 0;

  constructor(sender: Sender, company: Workplace, name: string) {
    this.#sender = sender;
    this.#company = company;
    this.#name = name;
  }

  /** Reads until `isDone`, which is called after each page. */
  async follow(isDone: (requestIds: readonly FeedItem[]) => boolean): Promise<void> {
    do {
      if ((await this.#readPage()) < PAGE_SIZE) await wait(PAUSE_MS);
    } while (!isDone(this.items));
  }

  /** @returns the number of events */
  async #readPage(): Promise<number> {
    const operationId = `${this.#name}-${(this.#count += 1)}`;
    const path = `/external/changes?limit=${PAGE_SIZE}${this.#cursor === '' ? '' : `&cursor=${encodeURIComponent(this.#cursor)}`}`;
    const request = { operationId, company: this.#company.id, method: 'GET', path, action: 'read' } as const;
    const fields = { resourceType: 'audit', hasIdempotencyKey: false, isContended: false } as const;
    const response = await this.#sender.send({ ...request, ...fields }, this.#company.key);
    if (response?.status !== 200) return 0;
    const page = JSON.parse(response.text) as { items: FeedItem[]; cursor: string };
    this.#cursor = page.cursor;
    this.items.push(...page.items.map(({ sequence, requestId }) => ({ sequence, requestId })));
    return page.items.length;
  }
}
