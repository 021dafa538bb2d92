import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../entities/api-error.ts';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';
import type { PoolStats, QueryOptions } from '../connection/connection-pool.ts';
import { asApiError, isReplicaBehind, isSerializationConflict } from '../errors.ts';

/** A position in the WAL of one timeline. */
interface TimelinePosition {
  /** Bytes from the start of the log. A double represents them exactly up to nine petabytes. */
  bytes: number;
  /** A failover starts a new timeline. Positions of two timelines cannot be compared. */
  timeline: number;
}

/**
 * WAL position of a server. Each call returns a position read after the call started.
 * Concurrent calls share queries, and only one query runs at a time.
 */
class WalPosition {
  readonly #query: () => Promise<TimelinePosition>;
  #pending: Promise<TimelinePosition> | undefined;
  #next: Promise<TimelinePosition> | undefined;

  constructor(query: () => Promise<TimelinePosition>) {
    this.#query = query;
  }

  /** @throws Error if the server does not respond */
  current(): Promise<TimelinePosition> {
    if (this.#pending === undefined) return this.#start();
    // The server may have run the pending query before this call, so this call needs the next query.
    this.#next ??= this.#pending.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<TimelinePosition> {
    this.#next = undefined;
    const pending = this.#query().finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
    return pending;
  }
}

type QueryResult = { rows: Record<string, unknown>[] };
type RunOnServer = (bound: BoundStatement, options: QueryOptions) => Promise<QueryResult>;

/** Connection to a hot standby. */
export interface ReplicaConnection {
  run: RunOnServer;
  pool: PoolStats;
  close(): Promise<void>;
}

/** Timeout for a replica and for the primary's WAL position. It leaves time for a query on the primary. */
const REPLICA_TIMEOUT_MS = 1500;
/** Requests with less time left use the primary. */
const MIN_TIME_LEFT_MS = 2 * REPLICA_TIMEOUT_MS + 500;
/** Maximum wait for a replica to replay the log. */
const MAX_LAG_WAIT_MS = 50;
/** Interval of position checks during this wait. */
const CHECK_INTERVAL_MS = 2;
/** Delay before an unavailable replica is probed. */
const RETRY_DELAY_MS = 1000;

async function readPosition(run: RunOnServer, statement: BoundStatement): Promise<TimelinePosition> {
  const deadline = performance.now() + REPLICA_TIMEOUT_MS;
  const { rows } = await run(statement, { write: false, deadline, skipQueue: true });
  const { bytes, timeline } = rows[0] ?? {};
  if (typeof bytes !== 'number' || typeof timeline !== 'number')
    throw new ApiError('unavailable', 'replica: the server is not in recovery');
  return { bytes, timeline };
}

/** Reads the flushed position. The timeline is in the name of the file that is being written. */
const PRIMARY_POSITION = {
  name: 'wal-position.primary',
  text: `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as bytes,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`,
  values: [],
};

/**
 * The newest timeline that a standby surely has reached: that of its last restart point, or of the last page that it wrote to the
 * disk in recovery. Both are in the control file. PostgreSQL shows the present timeline of a standby nowhere else.
 */
const REPLAYED_TIMELINE = `greatest(
      (pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline)`;

const REPLICA_POSITION = {
  name: 'wal-position.replica',
  text: `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as bytes, ${REPLAYED_TIMELINE} as timeline
    where pg_is_in_recovery()`,
  values: [],
};

/**
 * Settings that precede a statement on a replica. In the same round trip, checks that this server has replayed the log up to the
 * flushed position of the primary, on the timeline of the primary. One address may lead to several servers, so earlier checks do
 * not count. A server keeps its timeline as long as its connections, so each connection remembers it: reading the control file
 * takes as long as a tenth of a small statement.
 */
const REPLICA_SETTINGS = {
  name: 'settings.replica',
  text: `select set_config('app.company', $1, true),
    pg_is_in_recovery() and pg_last_wal_replay_lsn() >= '0/0'::pg_lsn + $2::numeric
      and case when current_setting('app.timeline', true) = $3::text then true
        else set_config('app.timeline', (${REPLAYED_TIMELINE})::text, false) = $3::text end as has_replayed`,
};
/** Index of the column of this check. */
const HAS_REPLAYED = 1;

const NOTHING: TimelinePosition = { bytes: -1, timeline: 0 };

/** State of a replica in this process. */
export class Replica {
  readonly #connection: ReplicaConnection;
  readonly #position: WalPosition;
  /** Last known replay position. */
  #replayed = NOTHING;
  #isAvailable = false;
  #retryAt = -Infinity;
  #reads = 0;

  constructor(connection: ReplicaConnection) {
    this.#connection = connection;
    this.#position = new WalPosition(() => readPosition(connection.run, REPLICA_POSITION));
  }

  /** True if reads may use it. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Number of statements that it has run. */
  get reads(): number {
    return this.#reads;
  }

  get pool(): PoolStats {
    return this.#connection.pool;
  }

  /** Checks an unavailable replica in the background, if `RETRY_DELAY_MS` has passed. */
  probe(primary: WalPosition): void {
    if (this.#isAvailable || performance.now() < this.#retryAt) return;
    this.#retryAt = Infinity; // until this attempt has ended
    const attempt = async () => (this.#isAvailable = await this.#hasReplayed(await primary.current()));
    void attempt()
      .catch(() => {})
      .finally(() => (this.#retryAt = performance.now() + RETRY_DELAY_MS));
  }

  /** Runs a statement if the replica has replayed the log up to `position`. @returns undefined if it cannot */
  async read(
    bound: BoundStatement,
    options: QueryOptions,
    position: TimelinePosition,
  ): Promise<QueryResult | undefined> {
    try {
      if (!(await this.#hasReplayed(position))) {
        this.#markUnavailable();
        return undefined;
      }
      const settings = {
        ...REPLICA_SETTINGS,
        values: [...(bound.settings?.values ?? []), position.bytes, position.timeline],
      };
      const deadline = Math.min(options.deadline, performance.now() + REPLICA_TIMEOUT_MS);
      const result = await this.#connection.run(
        { ...bound, settings, check: HAS_REPLAYED },
        { write: false, deadline },
      );
      this.#reads += 1;
      return result;
    } catch (error) {
      if (isReplicaBehind(error)) this.#replayed = NOTHING;
      // The caller retries on the primary. A recovery conflict (40001) is specific to the statement, not to the replica.
      else if (asApiError(error) !== undefined && !isSerializationConflict(error)) this.#markUnavailable();
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #hasReplayed({ bytes, timeline }: TimelinePosition): Promise<boolean> {
    const startedAt = performance.now();
    const isBehind = () => this.#replayed.timeline !== timeline || this.#replayed.bytes < bytes;
    while (isBehind()) {
      this.#replayed = await this.#position.current();
      if (!isBehind()) break;
      if (this.#replayed.timeline !== timeline) return false;
      if (performance.now() - startedAt > MAX_LAG_WAIT_MS) return false;
      await wait(CHECK_INTERVAL_MS);
    }
    return true;
  }

  #markUnavailable(): void {
    this.#isAvailable = false;
    this.#replayed = NOTHING;
    this.#retryAt = performance.now() + RETRY_DELAY_MS;
  }
}

/**
 * Distributes reads over replicas. A result includes everything that any process committed before the call.
 * decision 0037.
 */
export class Replicas {
  readonly all: readonly Replica[];
  readonly #primary: RunOnServer;
  readonly #primaryPosition: WalPosition;
  #roundRobin = 0;

  constructor(primary: RunOnServer, connections: readonly ReplicaConnection[]) {
    this.#primary = primary;
    this.#primaryPosition = new WalPosition(() => readPosition(primary, PRIMARY_POSITION));
    this.all = connections.map((connection) => new Replica(connection));
  }

  /** Runs a read on an available replica, or else on the primary. */
  async run(bound: BoundStatement, options: QueryOptions): Promise<QueryResult> {
    for (const replica of this.all) replica.probe(this.#primaryPosition);
    const replica = options.deadline - performance.now() < MIN_TIME_LEFT_MS ? undefined : this.#nextAvailable();
    if (replica !== undefined) {
      const position = await this.#primaryPosition.current().catch(() => undefined);
      const result = position === undefined ? undefined : await replica.read(bound, options, position);
      if (result !== undefined) return result;
    }
    return this.#primary(bound, options);
  }

  #nextAvailable(): Replica | undefined {
    const available = this.all.filter(({ isAvailable }) => isAvailable);
    this.#roundRobin += 1;
    return available[this.#roundRobin % available.length];
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()));
  }
}
