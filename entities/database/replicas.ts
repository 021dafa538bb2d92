import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '../refusal.ts';
import type { PoolNumbers, Terms } from './connections.ts';
import { asRefusal, isBehind, mayRunAgain } from './failure.ts';
import { Position } from './position.ts';
import type { Bound } from './statement.ts';

type Rows = { rows: Record<string, unknown>[] };
/** Runs a statement on one server. */
type Run = (bound: Bound, terms: Terms) => Promise<Rows>;

/** A server that follows the primary. */
export interface Follower {
  run: Run;
  pool: PoolNumbers;
  close(): Promise<void>;
}

/** Milliseconds that a replica, or the primary's position, is waited for: then there is time left for the primary. */
const ANSWER = 1500;
/** Less than so many milliseconds are better spent at the primary. */
const ENOUGH = 2 * ANSWER + 500;
/** Milliseconds by which a replica may be behind. */
const BEHIND = 50;
/** Milliseconds between two looks whether it has come far enough. */
const LOOK = 2;
/** Milliseconds for which a replica is left out before it is tried again. */
const LEFT_OUT = 1000;

// Counted from the beginning of the log: so it stays an exact number for nine petabytes.
const PRIMARY_POSITION = {
  name: 'position.primary',
  text: `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as position`,
  values: [],
};
const REPLICA_POSITION = {
  name: 'position.replica',
  text: `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position where pg_is_in_recovery()`,
  values: [],
};

/**
 * Runs in front of a statement. It sets the company, and checks in the same round trip that this server has replayed the log as far as
 * the primary has flushed it. One address may lead to several servers, so an earlier response does not count.
 */
const TELL_REPLICA = {
  name: 'tell.replica',
  text: `select set_config('app.company', $1, true),
    pg_is_in_recovery() and pg_last_wal_replay_lsn() >= '0/0'::pg_lsn + $2::numeric as has_replayed`,
};
const HAS_REPLAYED = 1;

async function positionOf(run: Run, asked: Bound): Promise<number> {
  const until = performance.now() + ANSWER;
  const { rows } = await run(asked, { writes: false, until, isFirst: true });
  const position = rows[0]?.['position'];
  if (typeof position !== 'number') throw new Refusal('unavailable', 'A replica does not follow any more.');
  return position;
}

/** A replica, as this process sees it. */
export class Replica {
  readonly #follower: Follower;
  readonly #position: Position;
  /** How far it had come when it was last asked. */
  #replayed = -1;
  #isIn = false;
  #leftOutUntil = -Infinity;
  #reads = 0;

  constructor(follower: Follower) {
    this.#follower = follower;
    this.#position = new Position(() => positionOf(follower.run, REPLICA_POSITION));
  }

  /** Whether it is read. */
  get isIn(): boolean {
    return this.#isIn;
  }

  /** Statements that it has answered. */
  get reads(): number {
    return this.#reads;
  }

  get pool(): PoolNumbers {
    return this.#follower.pool;
  }

  /** Tries it, where it was left out for long enough; nobody waits for that. */
  tryAgain(primary: Position): void {
    if (this.#isIn || performance.now() < this.#leftOutUntil) return;
    this.#leftOutUntil = Infinity; // until this attempt has ended
    const attempt = async () => (this.#isIn = await this.#comesTo(await primary.now()));
    void attempt()
      .catch(() => {})
      .finally(() => (this.#leftOutUntil = performance.now() + LEFT_OUT));
  }

  /** Runs a statement on it as of that position or a later one. @returns undefined where it cannot */
  async read(bound: Bound, terms: Terms, position: number): Promise<Rows | undefined> {
    try {
      if (!(await this.#comesTo(position))) {
        this.#leaveOut();
        return undefined;
      }
      const told = { ...TELL_REPLICA, values: [...(bound.told?.values ?? []), position] };
      const until = Math.min(terms.until, performance.now() + ANSWER);
      const answer = await this.#follower.run({ ...bound, told, check: HAS_REPLAYED }, { writes: false, until });
      this.#reads += 1;
      return answer;
    } catch (error) {
      if (isBehind(error)) this.#replayed = -1;
      // What it answered with an error, the primary may answer with rows: it undoes no row that is being read.
      else if (asRefusal(error) !== undefined && !mayRunAgain(error)) this.#leaveOut();
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  async #comesTo(position: number): Promise<boolean> {
    const began = performance.now();
    while (this.#replayed < position) {
      this.#replayed = await this.#position.now();
      if (this.#replayed >= position) break;
      if (performance.now() - began > BEHIND) return false;
      await wait(LOOK);
    }
    return true;
  }

  #leaveOut(): void {
    this.#isIn = false;
    this.#replayed = -1;
    this.#leftOutUntil = performance.now() + LEFT_OUT;
  }
}

/**
 * Spreads what only reads over replicas, of which each answer shows all that was committed before it was asked for, by
 * whichever process. docs/decisions/0037-reading-from-replicas.md.
 */
export class Replicas {
  readonly all: readonly Replica[];
  readonly #primary: Run;
  readonly #position: Position;
  #turn = 0;

  constructor(primary: Run, followers: readonly Follower[]) {
    this.#primary = primary;
    this.#position = new Position(() => positionOf(primary, PRIMARY_POSITION));
    this.all = followers.map((follower) => new Replica(follower));
  }

  /** Runs a statement that only reads, on a replica where one can, or else on the primary. */
  async run(bound: Bound, terms: Terms): Promise<Rows> {
    for (const replica of this.all) replica.tryAgain(this.#position);
    const replica = terms.until - performance.now() < ENOUGH ? undefined : this.#next();
    if (replica !== undefined) {
      const position = await this.#position.now().catch(() => undefined);
      const answer = position === undefined ? undefined : await replica.read(bound, terms, position);
      if (answer !== undefined) return answer;
    }
    return this.#primary(bound, terms);
  }

  #next(): Replica | undefined {
    const those = this.all.filter(({ isIn }) => isIn);
    this.#turn += 1;
    return those[this.#turn % those.length];
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()));
  }
}
