import type { Connections, Terms } from './connections.ts';
import { isAnswer } from './failure.ts';
import type { Rows } from './prepared.ts';
import type { Bound } from './statement.ts';
import { runPrepared, runTogether } from './transactions.ts';

/** Transactions under way; what comes meanwhile waits for one of them to end. */
const UNDER_WAY = 2;
/** Changes in each, at most. */
const MOST = 32;
/** Changes that wait, at most: further ones go by themselves. */
const WAITING = 256;
/** Milliseconds that a change must have left, so that it cuts none of the others short. */
const ENOUGH = 2000;

/** Who waits for a lock keeps others waiting, and whoever comes next: by itself it may wait longer. */
const WAIT_BRIEFLY = `set_config('lock_timeout', '100', true)`;

interface Change {
  bound: Bound;
  terms: Terms;
  resolve: (rows: Rows) => void;
  reject: (error: unknown) => void;
}

/**
 * Carries out changes that are asked for at the same time in one transaction: one round trip and one write to PostgreSQL's log for
 * all of them. Each is told its own company and user, and its audit event is its own. Where one is refused, or waits for a
 * lock, nothing of the others is left either, and each is carried out by itself. docs/decisions/0039-changes-together.md.
 */
export class GatheredChanges {
  readonly #connections: Connections;
  #waiting: Change[] = [];
  #underWay = 0;
  #isDue = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @returns undefined where it should rather go by itself */
  run(bound: Bound, terms: Terms): Promise<Rows> | undefined {
    if (this.#waiting.length >= WAITING) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Rows>();
    this.#waiting.push({ bound, terms, resolve, reject });
    this.#look();
    return promise;
  }

  #look(): void {
    if (this.#isDue || this.#underWay >= UNDER_WAY || this.#waiting.length === 0) return;
    this.#isDue = true;
    // With whatever else this turn of the event loop asks.
    setImmediate(() => {
      this.#isDue = false;
      this.#begin(this.#waiting.splice(0, MOST));
      this.#look();
    });
  }

  #begin(changes: Change[]): void {
    const latest = performance.now() + ENOUGH;
    const together = changes.filter(({ terms }) => terms.until > latest);
    for (const change of changes) if (change.terms.until <= latest) this.#byItself(change);
    if (together.length === 0) return;
    this.#underWay += 1;
    void this.#carryOut(together).finally(() => {
      this.#underWay -= 1;
      this.#look();
    });
  }

  async #carryOut(changes: Change[]): Promise<void> {
    const ordered = changes.toSorted((one, other) => compare(one.bound.order, other.bound.order));
    const until = Math.min(...changes.map(({ terms }) => terms.until));
    const bounds = ordered.map(({ bound }, at) => (at === 0 ? waitingBriefly(bound) : bound));
    try {
      const results = await runTogether(this.#connections, bounds, { writes: true, until });
      for (const [at, { resolve }] of ordered.entries()) resolve({ rows: results[at] ?? [] });
    } catch (error) {
      for (const change of ordered) {
        // Where there was no answer they may be committed or not.
        if (isAnswer(error)) this.#byItself(change);
        else change.reject(error);
      }
    }
  }

  #byItself({ bound, terms, resolve, reject }: Change): void {
    runPrepared(this.#connections, bound, terms).then(resolve, reject);
  }
}

/** With what the transaction is told of locks beside what the change is told. */
function waitingBriefly({ told, ...bound }: Bound): Bound {
  if (told === undefined) throw new Error(`${bound.name} is told nothing`);
  return { ...bound, told: { ...told, name: 'tell.together', text: `${told.text}, ${WAIT_BRIEFLY}` } };
}

const compare = (one = '', other = '') => (one < other ? -1 : Number(one > other));
