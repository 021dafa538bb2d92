import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** A request with everything that is needed to retry it from the log alone. */
export interface SentRequest {
  /** Unique name. The texts, the Idempotency-Key and, with the attempt number, the X-Request-Id contain it. */
  operationId: string;
  company: number;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Effect on the stored rows. A `rejection` must get an error; a `read` changes nothing. */
  action: 'create' | 'update' | 'delete' | 'rejection' | 'read';
  resourceType: 'task' | 'vendor' | 'audit';
  /** Id of the changed resource; undefined for a created one, whose id the service generates. */
  resource?: string;
  /** True if the request has an Idempotency-Key and may be retried. */
  hasIdempotencyKey: boolean;
}

/** Result of one attempt. After 503 or without a response the write may be committed or not: `unknown`. */
export interface AttemptResult {
  operationId: string;
  attempt: number;
  outcome: 'acknowledged' | 'rejected' | 'unknown';
  /** HTTP status, or the error code of the connection if there was no response. */
  status: number | string;
  /** Id of the resource in the response. */
  resource?: string;
  /** Time of the monotonic clock. */
  receivedAtMs: number;
  durationMs: number;
  /** Markers of other companies in the response. */
  foreignMarkers?: string[];
}

export type LogLine = { request: SentRequest } | { attempt: AttemptResult };

/** An append-only file of requests and results. Each line is on the disk before the client continues. */
export class OperationLog {
  readonly file: string;
  readonly #handle: FileHandle;
  #pending: string[] = [];
  #lastFlush: Promise<void> = Promise.resolve();

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  static async open(file: string): Promise<OperationLog> {
    return new OperationLog(file, await open(file, 'a'));
  }

  /** Resolves when the line is on the disk. Concurrent lines share one fsync. */
  write(line: LogLine): Promise<void> {
    this.#pending.push(JSON.stringify(line));
    return (this.#lastFlush = this.#flushAfter(this.#lastFlush));
  }

  async #flushAfter(before: Promise<void>): Promise<void> {
    await before;
    const lines = this.#pending;
    if (lines.length === 0) return;
    this.#pending = [];
    await this.#handle.appendFile(`${lines.join('\n')}\n`);
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#lastFlush;
    await this.#handle.close();
  }
}

/** A request and the results of its attempts, in order. */
export interface Operation {
  request: SentRequest;
  attempts: AttemptResult[];
}

/** Reads the operations from the file of an operation log. */
export async function readOperationLog(file: string): Promise<Operation[]> {
  const operations = new Map<string, Operation>();
  for (const text of (await readFile(file, 'utf8')).split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as LogLine;
    if ('request' in line) operations.set(line.request.operationId, { request: line.request, attempts: [] });
    else operations.get(line.attempt.operationId)?.attempts.push(line.attempt);
  }
  return [...operations.values()];
}

/** Outcome of a request after all attempts: the first known outcome, else `unknown`. */
export function finalOutcome({ attempts }: Operation): AttemptResult['outcome'] {
  return attempts.find(({ outcome }) => outcome !== 'unknown')?.outcome ?? 'unknown';
}
