import { Collection } from './collection.ts';
import { Imports } from './imports.ts';
import { Changes, pages } from './lists.ts';
import { Transport } from './transport.ts';
import type { ClientOptions } from './transport.ts';
import type { AllTasksFilter, AuditEvent, AuditFilter, CallOptions, Task, TaskTypes, VendorTypes } from './types.ts';

export type { components, operations, paths } from './api.ts';
export type { BatchOptions } from './batches.ts';
export type { Collection } from './collection.ts';
export { ApiError, BatchError, CursorLostError, ImportError, NetworkError, WebhookError, unwrap } from './errors.ts';
export type { ErrorCode } from './errors.ts';
export type { ImportOptions, Imports, ProgressOptions } from './imports.ts';
export type { Changes, FollowOptions } from './lists.ts';
export type { ClientOptions } from './transport.ts';
export type * from './types.ts';
export { verifyWebhook } from './webhooks.ts';
export type { WebhookEvent, WebhookEventType } from './webhooks.ts';

/**
 * Client of the API. It repeats a request after network errors, 429, 502, 503, 504 and 409 `idempotency_conflict`, after
 * `Retry-After`, until the deadline. Every write has an `Idempotency-Key`, so a repeated one is applied once.
 */
export class ComplianceClient {
  /** Typed calls of all operations (openapi-fetch), with the same retries. `unwrap` returns the body or throws. */
  readonly rest: Transport['rest'];
  /** Vendors of the company. */
  readonly vendors: Collection<VendorTypes>;
  /** The change feed. */
  readonly changes: Changes;
  /** Imports that were started. */
  readonly imports: Imports;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.rest = this.#transport.rest;
    this.changes = new Changes(this.#transport);
    this.imports = new Imports(this.#transport);
    const base = '/external/smart-inventory/vendor';
    this.vendors = new Collection(this.#transport, this.imports, { base, items: base, query: { view: 'full' } });
  }

  /** Tasks of a framework, by its integer id. `rest.GET('/external/framework/list')` returns the ids. */
  tasks(framework: number): Collection<TaskTypes> {
    const base = `/external/task/framework/${framework}`;
    return new Collection(this.#transport, this.imports, { base, items: '/external/task', batch: { framework } });
  }

  /** Yields the matching tasks of all frameworks that the key may access, page by page. @throws ApiError, NetworkError */
  allTasks(filter: AllTasksFilter = {}, options: CallOptions = {}): AsyncGenerator<Task, void, undefined> {
    return pages(this.#transport, '/external/task/list', filter, options);
  }

  /** Yields audit events, newest first. Needs the scope `audit:read`. @throws ApiError, NetworkError */
  auditEvents(filter: AuditFilter = {}, options: CallOptions = {}): AsyncGenerator<AuditEvent, void, undefined> {
    return pages(this.#transport, '/external/audit/list', filter, options);
  }
}
