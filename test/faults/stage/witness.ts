import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** A request as it is sent, so that it can be sent again from the witness alone. */
export interface Sent {
  /** Names it: its texts, its Idempotency-Key and, with the number of the attempt, its X-Request-Id bear it. */
  op: string;
  company: number;
  method: 'POST' | 'PATCH' | 'DELETE' | 'GET';
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** What it does when it is carried out; `refusal` must be refused, and `read` leaves nothing. */
  does: 'create' | 'update' | 'delete' | 'refusal' | 'read';
  type: 'task' | 'vendor' | 'audit';
  /** What it changes; what it creates has its id from the service. */
  resource?: string;
  /** Whether it has an Idempotency-Key and may be repeated. */
  isOnce: boolean;
}

/** What came of an attempt. 503 and no answer leave open whether it was carried out. */
export interface Came {
  op: string;
  attempt: number;
  outcome: 'acknowledged' | 'refused' | 'unknown';
  /** HTTP status, or the code of the error where there was no answer. */
  status: number | string;
  /** The resource that the answer names. */
  resource?: string;
  /** Milliseconds of the clock of this process that never jumps. */
  at: number;
  took: number;
  /** Markers of other companies in the answer. */
  foreign?: string[];
}

export type Line = { sent: Sent } | { came: Came };

/** What clients have seen: a file that is only added to, and is on the disk before a request is sent or believed. */
export class Witness {
  readonly file: string;
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #turn: Promise<void> = Promise.resolve();

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  static async open(file: string): Promise<Witness> {
    return new Witness(file, await open(file, 'a'));
  }

  /** Resolves when the line is on the disk; lines that come together share the wait. */
  write(line: Line): Promise<void> {
    this.#waiting.push(JSON.stringify(line));
    return (this.#turn = this.#flushAfter(this.#turn));
  }

  async #flushAfter(before: Promise<void>): Promise<void> {
    await before;
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    await this.#handle.appendFile(`${lines.join('\n')}\n`);
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#handle.close();
  }
}

/** A request and all that came of it, in order. */
export interface Told {
  sent: Sent;
  came: Came[];
}

/** What the witness's file says. */
export async function readWitness(file: string): Promise<Told[]> {
  const told = new Map<string, Told>();
  for (const text of (await readFile(file, 'utf8')).split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as Line;
    if ('sent' in line) told.set(line.sent.op, { sent: line.sent, came: [] });
    else told.get(line.came.op)?.came.push(line.came);
  }
  return [...told.values()];
}

/** What is known of a request after all its attempts: one answer that is certain settles it. */
export function outcomeOf({ came }: Told): Came['outcome'] {
  return came.find(({ outcome }) => outcome !== 'unknown')?.outcome ?? 'unknown';
}
