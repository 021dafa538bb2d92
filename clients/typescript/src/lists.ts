import { sleep } from './transport.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, ChangeFilter, ChangePage } from './types.ts';

/** Minimum interval of requests that wait. The server responds at once if too many requests of a key wait. */
const MIN_INTERVAL_MS = 1000;

/** Yields the items of all pages. The next page is read when its first item is needed. */
export async function* pages<Item>(
  transport: Transport,
  path: string,
  query: object,
  options: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const position = { limit: 100, ...query, cursor };
    const response = await transport.call('GET', path, { query: position }, options);
    const page: Item[] | { items: Item[]; nextCursor: string | null } = JSON.parse(await response.text());
    yield* Array.isArray(page) ? page : page.items;
    const link = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    cursor = Array.isArray(page) ? (link && decodeURIComponent(link)) || null : page.nextCursor;
  }
}

/** Options of `changes.follow`. */
export interface FollowOptions extends CallOptions {
  /** Types of resources, separated by commas: `task,vendor`. Defaults to all. */
  type?: ChangeFilter['type'] | undefined;
  /** `others` leaves out what the key of this client did. */
  actor?: ChangeFilter['actor'] | undefined;
  /** Cursor of the last page that was processed. Without it, the feed starts at the first event ever. */
  cursor?: string | undefined;
  /** Seconds that the server waits for an event, 1–30: the iteration then never ends, and yields an empty page after a wait without an event. With 0 (default) it ends at the newest event. */
  wait?: number | undefined;
  /** Page size, 1–500. Defaults to 100. */
  limit?: number | undefined;
}

/** The change feed: every committed change once, in the order of `sequence`. Needs the scope `audit:read`. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Yields pages of the feed. After a crash, pass the last cursor that you stored: events after it come again.
   * @throws CursorLostError if the server was restored to a time before the cursor: load everything again. ApiError, NetworkError
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<ChangePage, void, undefined> {
    const { wait = 0, limit, type, actor, signal } = options;
    for (let { cursor } = options; ;) {
      const nextAt = Date.now() + MIN_INTERVAL_MS;
      const page = await this.#read({ cursor, limit, wait, type, actor }, options, 1000 * wait);
      yield page;
      cursor = page.cursor;
      if (!page.more && wait === 0) return;
      if (page.items.length === 0 && !page.more) await sleep(nextAt - Date.now(), signal);
    }
  }

  /** Returns the cursor after the newest event. Take it before you load everything. @throws ApiError, NetworkError */
  async now(options: CallOptions = {}): Promise<string> {
    return (await this.#read({ from: 'now' }, options)).cursor;
  }

  async #read(query: object, options: CallOptions, waitMs = 0): Promise<ChangePage> {
    const response = await this.#transport.call('GET', '/external/changes', { query }, { ...options, waitMs });
    const page: ChangePage = JSON.parse(await response.text());
    return page;
  }
}
