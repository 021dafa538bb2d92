import { sendBatch } from './batches.ts';
import type { BatchOptions } from './batches.ts';
import type { Imports, ImportOptions } from './imports.ts';
import { pages } from './lists.ts';
import type { Transport } from './transport.ts';
import type {
  AuditEvent,
  CallOptions,
  ChangeOptions,
  Import,
  Tagged,
  TaskTypes,
  UpsertOptions,
  VendorTypes,
} from './types.ts';

const UPSERTS = ['created', 'updated', 'unchanged'] as const;

/** Paths and fixed parameters of a collection. */
interface Place {
  base: string;
  items: string;
  query?: object;
  /** Fields that a batch item without `uniqueId` gets. */
  batch?: object;
}

/** All vendors, or all tasks of a framework. Every method throws ApiError for an error response, and NetworkError without one. */
export class Collection<Types extends VendorTypes | TaskTypes> {
  readonly #transport: Transport;
  readonly #imports: Imports;
  readonly #place: Place;

  constructor(transport: Transport, imports: Imports, place: Place) {
    this.#transport = transport;
    this.#imports = imports;
    this.#place = place;
  }

  /** Yields all matching objects, page by page. `limit` is the page size, 1–100. */
  list(filter: Types['filter'] = {}, options: CallOptions = {}): AsyncGenerator<Types['item'], void, undefined> {
    return pages(this.#transport, `${this.#place.base}/list`, { ...this.#place.query, ...filter }, options);
  }

  /** Yields the audit events of an object, newest first, also of a deleted one. Needs the scope `audit:read`. */
  history(uniqueId: string, options: CallOptions = {}): AsyncGenerator<AuditEvent, void, undefined> {
    return pages(this.#transport, this.#pathOf(uniqueId, 'history'), {}, options);
  }

  /** Creates an object. */
  create(fields: Types['new'], options: CallOptions = {}): Promise<Tagged<Types['item']>> {
    return this.#send('POST', `${this.#place.base}/new`, fields, options).then(tagged<Types['item']>);
  }

  /** Reads an object. */
  get(uniqueId: string, options: CallOptions = {}): Promise<Tagged<Types['item']>> {
    return this.#send('GET', this.#pathOf(uniqueId, 'item'), undefined, options).then(tagged<Types['item']>);
  }

  /** Changes fields of an object. Omitted fields keep their value. @returns the whole object */
  update(uniqueId: string, changes: Types['changes'], options: ChangeOptions = {}): Promise<Tagged<Types['item']>> {
    return this.#send('PATCH', this.#pathOf(uniqueId, 'edit'), changes, options).then(tagged<Types['item']>);
  }

  /** Deletes an object. Its history stays. */
  async delete(uniqueId: string, options: ChangeOptions = {}): Promise<void> {
    await this.#send('DELETE', this.#pathOf(uniqueId, 'delete'), undefined, options);
  }

  /** Reads the object with an id in another system. */
  getByExternalId(source: string, externalId: string, options: CallOptions = {}): Promise<Tagged<Types['item']>> {
    return this.#send('GET', this.#pathBy(source, externalId), undefined, options).then(tagged<Types['item']>);
  }

  /** Creates or changes the object with an id in another system. If nothing differs, it writes nothing. */
  async upsert(source: string, externalId: string, fields: Types['put'], options: UpsertOptions = {}) {
    const response = await this.#send('PUT', this.#pathBy(source, externalId), fields, options);
    const upsert = UPSERTS.find((value) => value === response.headers.get('X-Upsert')) ?? 'unchanged';
    return { upsert, item: await tagged<Types['item']>(response) };
  }

  /** Deletes the object with an id in another system. The id stays reserved. */
  async deleteByExternalId(source: string, externalId: string, options: ChangeOptions = {}): Promise<void> {
    await this.#send('DELETE', this.#pathBy(source, externalId), undefined, options);
  }

  /** Adds an id in another system to an object. An id that the object has already changes nothing. */
  link(
    uniqueId: string,
    source: string,
    externalId: string,
    options: CallOptions = {},
  ): Promise<Tagged<Types['item']>> {
    return this.#send('POST', this.#pathOf(uniqueId, 'link'), { source, externalId }, options).then(
      tagged<Types['item']>,
    );
  }

  /**
   * Sends any number of items in chunks of 100. Each chunk is one transaction, and each item has its own result.
   * @returns counts, and the results in the order of the items; an item that failed has `error` and `code`
   * @throws BatchError if one of several chunks fails as a whole; it has the results of the chunks before it
   */
  batch(items: readonly Types['batch']['items'][number][], options: BatchOptions = {}) {
    const complete = items.map((item) => (item.uniqueId === undefined ? { ...this.#place.batch, ...item } : item));
    return sendBatch<Types['results']>(complete, options, async (chunk, idempotencyKey) => {
      const response = await this.#send('POST', `${this.#place.items}/batch`, chunk, { ...options, idempotencyKey });
      const results: Types['results'] = JSON.parse(await response.text());
      return results;
    });
  }

  /**
   * Imports a file in UTF-8, at most 64 MiB and 100,000 rows, and waits for the end. An abort of `signal` cancels the import.
   * @returns the import with the state `done`. Rows may have failed: see `failed` and `errors`.
   * @throws ImportError if the import failed or was canceled
   */
  import(file: string | Blob | Uint8Array<ArrayBuffer>, options: ImportOptions = {}): Promise<Import> {
    return this.#imports.run(`${this.#place.base}/import`, file, options);
  }

  #send(method: string, path: string, body: object | undefined, options: UpsertOptions): Promise<Response> {
    const { ifMatch, ifNoneMatch, mode, create, recreate, dryRun } = options;
    const headers = {
      'If-Match': ifMatch === undefined ? undefined : `"${ifMatch.replaceAll('"', '')}"`,
      'If-None-Match': ifNoneMatch,
      Prefer: method === 'PATCH' ? 'return=representation' : undefined,
    };
    const content = { query: { mode, create, recreate, dryRun }, headers };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#transport.call(method, path, { ...content, ...json }, options);
  }

  #pathOf = (uniqueId: string, operation: string) =>
    `${this.#place.items}/${encodeURIComponent(uniqueId)}/${operation}`;
  #pathBy = (source: string, externalId: string) =>
    `${this.#place.base}/by/${encodeURIComponent(source)}/${encodeURIComponent(externalId)}`;
}

async function tagged<Item>(response: Response): Promise<Tagged<Item>> {
  const item: Item = JSON.parse(await response.text());
  return { ...item, etag: (response.headers.get('ETag') ?? '').replaceAll(/^W\/|"/g, '') };
}
