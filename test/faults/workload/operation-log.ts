import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** A request as it is sent, so that it can be sent again from the witness alone. */
export interface SentRequest {
  /** Names it: its texts, its Idempotency-Key and, with the number of the attempt, its X-Request-Id bear it. */
  operationId: string;
  company: number;
  method: 'POST' | 'PATCH' | 'DELETE' | 'GET';
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** What it does when it is carried out; `refusal` must be refused, and `read` leaves nothing. */
  action: 'create' | 'update' | 'delete' | 'rejection' | 'read';
  resourceType: 'task' | 'vendor' | 'audit';
  /** What it changes; what it creates has its id from the service. */
  resource?: string;
  /** Whether it has an Idempotency-Key and may be repeated. */
  hasIdempotencyKey: boolean;
}

/** What came of an attempt. 503 and no answer leave open whether it was carried out. */
export interface AttemptResult {
  operationId: string;
  attempt: number;
  outcome: 'acknowledged' | 'rejected' | 'unknown';
  /** HTTP status, or the code of the error where there was no answer. */
  status: number | string;
  /** The resource that the answer names. */
  resource?: string;
  /** Milliseconds of the clock of this process that never jumps. */
  receivedAtMs: number;
  durationMs: number;
  /** Markers of other companies in the answer. */
  foreignMarkers?: string[];
}

export type LogLine = { sent: SentRequest } | { came: AttemptResult };

/** What clients have seen: a file that is only added to, and is on the disk before a request is sent or believed. */
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

  /** Resolves when the line is on the disk; lines that come together share the wait. */
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

/** A request and all that came of it, in order. */
export interface Operation {
  request: SentRequest;
  attempts: AttemptResult[];
}

/** What the witness's file says. */
export async function readOperationLog(file: string): Promise<Operation[]> {
  const operations = new Map<string, Operation>();
  for (const text of (await readFile(file, 'utf8')).split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as LogLine;
    if ('sent' in line) operations.set(line.sent.operationId, { request: line.sent, attempts: [] });
    else operations.get(line.came.operationId)?.attempts.push(line.came);
  }
  return [...operations.values()];
}

/** What is known of a request after all its attempts: one answer that is certain settles it. */
export function finalOutcome({ attempts: came }: Operation): AttemptResult['outcome'] {
  return came.find(({ outcome }) => outcome !== 'unknown')?.outcome ?? 'unknown';
}
