import type { components, operations } from './api.ts';

type Schemas = components['schemas'];
type Query<Operation extends { parameters: { query?: unknown } }> = NonNullable<Operation['parameters']['query']>;

/** A task. Dates are `YYYY-MM-DD`, timestamps ISO 8601 in UTC. */
export type Task = Schemas['Task'];
/** A vendor. `description` may contain sanitized HTML. */
export type Vendor = Schemas['Vendor'];
/** One change of one resource, with the user who made it. */
export type AuditEvent = Schemas['AuditEvent'];
/** An event of the change feed. `sequence` counts from 1 in each company. */
export type Change = Schemas['Change'];
/** A page of the change feed. Store `cursor` together with the effects of `items`. */
export type ChangePage = Schemas['Changes'];
/** Filters of the change feed. A cursor holds with any of them. */
export type ChangeFilter = Pick<Query<operations['listChanges']>, 'type' | 'actor'>;
/** State and counts of an import. */
export type Import = Schemas['Import'];

/** Filters of `auditEvents`. `since` is included, `until` is not. `limit` is the page size, 1–100. */
export type AuditFilter = Omit<Query<operations['listAuditEvents']>, 'cursor'>;

/** Types of vendors. Fields that `put` omits take their default. */
export interface VendorTypes {
  item: Vendor;
  /** Page size (`limit`) 1–100. */
  filter: Omit<Query<operations['listVendors']>, 'cursor' | 'source' | 'view'>;
  new: Schemas['NewVendor'];
  changes: Schemas['VendorChanges'];
  put: Schemas['PutVendorByExternalId'];
  batch: Schemas['BatchVendors'];
  results: Schemas['VendorBatchResults'];
}

/** Filters of the tasks of all frameworks. `limit` is the page size, 1–100. */
export type AllTasksFilter = Omit<Query<operations['listAllTasks']>, 'cursor' | 'source'>;

/** Types of tasks. Fields that `put` omits take their default. */
export interface TaskTypes {
  item: Task;
  /** Page size (`limit`) 1–100. */
  filter: Omit<Query<operations['listTasks']>, 'cursor' | 'source'>;
  new: Schemas['NewTask'];
  changes: Schemas['TaskChanges'];
  put: Schemas['PutTaskByExternalId'];
  batch: Schemas['BatchTasks'];
  results: Schemas['TaskBatchResults'];
}

/** An object and its entity tag, without quotes. Send the tag as `ifMatch`, so that no change of others is lost. */
export type Tagged<Item> = Item & { etag: string };

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call and its retries. The call then throws `signal.reason`. */
  signal?: AbortSignal | undefined;
  /** Deadline of the call in milliseconds, retries included. Defaults to that of the client. */
  timeoutMs?: number | undefined;
  /** Identifies a write for 24 hours (1–255 printable ASCII characters), so that a program may repeat it after a crash. Defaults to a random one. */
  idempotencyKey?: string | undefined;
}

/** Options of a change or a deletion. */
export interface ChangeOptions extends CallOptions {
  /** Entity tag, with or without quotes. If the object has another one: ApiError `precondition_failed`. */
  ifMatch?: string | undefined;
}

/** Options of an upsert. */
export interface UpsertOptions extends ChangeOptions {
  /** Only create. If the object exists: ApiError `precondition_failed`. */
  ifNoneMatch?: '*' | undefined;
  /** `merge` (default) keeps the value of omitted fields; `replace` sets most of them to their default. */
  mode?: 'replace' | 'merge' | undefined;
  /** False: an unknown external id is an ApiError `not_found`. */
  create?: boolean | undefined;
  /** True: create a new object if the former one was deleted. Otherwise this is an ApiError `conflict`. */
  recreate?: boolean | undefined;
  /** True: check and respond, but write nothing. */
  dryRun?: boolean | undefined;
}
