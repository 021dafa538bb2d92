import type { PoolClient } from 'pg';
import type { Connections, Held, Terms } from './connections.ts';
import { isAnswer } from './failure.ts';
import { LATE } from './gate.ts';
import { Prepared } from './prepared.ts';
import type { Ended, Rows } from './prepared.ts';
import type { Bound } from './statement.ts';

// At most two connections are shared: more than this process can keep busy.
/** Statements under way on the first before a second is opened. */
const ENOUGH = 32;
/** Statements under way on each, at most: each answer waits for those before it. */
const DEPTH = 128;

/** A connection, or who waits for it to be there. */
interface Shared {
  underWay: number;
  held: Held | undefined;
  waiting: ((held: Held | Error) => void)[];
  isCorked: boolean;
}

/**
 * Runs brief statements several on one connection, each in a transaction of its own, without waiting for the answers to
 * those before: what is asked in one turn of the event loop is written at once, and PostgreSQL wakes up once for it. A
 * connection goes back when nothing is under way on it. docs/decisions/0038-shared-connections.md.
 */
export class SharedConnections {
  readonly #connections: Connections;
  readonly #all: Shared[] = [];

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @returns undefined where the statement should rather have a connection of its own */
  run(bound: Bound, terms: Terms): Promise<Rows> | undefined {
    const open = this.#leastBusy();
    const shared = open ?? { underWay: 0, held: undefined, waiting: [], isCorked: false };
    if (shared.underWay >= DEPTH) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Rows>();
    const answered: Ended = (error, [rows = []] = []) => {
      shared.underWay -= 1;
      // Of one that broke the others are told by pg, and run again: all of them only read.
      if (error !== null && !isAnswer(error)) this.#giveBack(shared, error);
      else if (shared.underWay === 0) this.#giveBack(shared);
      if (error === null) resolve({ rows });
      else reject(error);
    };
    shared.underWay += 1;
    const send = (held: Held | Error) => {
      if (held instanceof Error) {
        answered(held);
        return;
      }
      gather(shared, held.client);
      held.client.query(new Prepared(held.client, [bound], terms.until, answered));
    };
    if (shared.held !== undefined) {
      send(shared.held);
      return promise;
    }
    // Whoever had it opened may wait for it longer than this one.
    const late = setTimeout(() => {
      shared.waiting.splice(shared.waiting.indexOf(sendInTime), 1);
      shared.underWay -= 1;
      reject(LATE);
    }, terms.until - performance.now());
    const sendInTime = (held: Held | Error) => {
      clearTimeout(late);
      send(held);
    };
    shared.waiting.push(sendInTime);
    if (open === undefined) this.#open(shared, terms); // which may fail at once, and then tells who waits
    return promise;
  }

  /** @returns undefined where another should be opened */
  #leastBusy(): Shared | undefined {
    const [first, second] = this.#all;
    if (first === undefined || second === undefined) return first && first.underWay < ENOUGH ? first : undefined;
    return first.underWay <= second.underWay ? first : second;
  }

  #open(shared: Shared, terms: Terms): void {
    this.#all.push(shared);
    this.#connections.take(terms, (taken) => {
      if (!(taken instanceof Error)) shared.held = taken;
      for (const send of shared.waiting.splice(0)) send(taken);
      if (shared.underWay === 0) this.#giveBack(shared); // nobody waits for it any more
    });
  }

  #giveBack(shared: Shared, failure?: Error): void {
    const at = this.#all.indexOf(shared);
    if (at >= 0) this.#all.splice(at, 1);
    shared.held?.giveBack(failure);
  }
}

/** Holds back what is written until this turn of the event loop has asked all that it asks. */
function gather(shared: Shared, { connection: { stream } }: PoolClient): void {
  if (shared.isCorked) return;
  shared.isCorked = true;
  stream.cork();
  setImmediate(() => {
    shared.isCorked = false;
    stream.uncork();
  });
}
