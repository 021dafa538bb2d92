import { setTimeout as wait } from 'node:timers/promises';
import { compare } from '../../failover/checks/compare.ts';
import type { Violations } from '../../failover/checks/compare.ts';
import { takeCheckpoints, verifyChain } from '../../failover/checks/chains.ts';
import { countResponses } from '../../failover/checks/responses.ts';
import type { Responses } from '../../failover/checks/responses.ts';
import type { Cleanup } from '../../failover/environment/cleanup.ts';
import type { History } from '../../failover/workload/history.ts';
import { Load } from '../../failover/workload/load.ts';
import { takeSnapshot } from '../../faults/checks/snapshot.ts';
import type { Snapshot } from '../../faults/checks/snapshot.ts';
import { finalOutcome } from '../../faults/workload/operation-log.ts';
import { sqlOn, withClient } from '../../../support/database/client.ts';
import { startCell } from './cell.ts';
import type { LoadCell } from './cell.ts';
import { fillCompany, isFilled } from './fill.ts';
import { moveAndErase } from './moves.ts';
import type { MoveResult } from './moves.ts';
import { startRouter } from './router.ts';
import { cellSecrets } from './secrets.ts';

const COMPANIES = 3;
/** Time of the load before the first move, for the times of requests without a move. */
const BEFORE_MS = 20_000;
const AFTER_MS = 5000;
/** Longer than the longest move. */
const MAX_WAIT_MS = 900_000;

/** Result of moves of one company there and back under load. */
export interface RunResult extends Violations {
  moves: MoveResult[];
  acknowledged: number;
  responses: Responses;
  /** Events that the follower of the moved company received. */
  followed: number;
  /** Reasons for which an audit log, or a checkpoint from before the moves, does not hold. */
  brokenLogs: string[];
  /** 99th percentile in milliseconds of the requests of the other companies. */
  p99: { withoutMove: number; duringMoves: number };
  /** Milliseconds from the first attempt of a write of the moved company to its success, at most. */
  longestWriteMs: number;
}

interface RunOptions {
  seed: number;
  /** Rows of the moved company. */
  rows: number;
  /** Number of moves there and back. */
  returns: number;
}

/** Moves one of three companies there and back while clients work with all of them through the router. */
export async function runMoves(
  cleanup: Cleanup,
  serverUrl: string,
  { seed, rows, returns }: RunOptions,
): Promise<RunResult> {
  const secrets = cellSecrets();
  const home = await startCell(cleanup, serverUrl, { number: 1, secrets });
  const away = await startCell(cleanup, serverUrl, { number: 2, secrets });
  const url = await startRouter(cleanup, [home, away]);
  const options = { name: 'c', seed, companies: COMPANIES, managementUrl: home.url, maxWaitMs: MAX_WAIT_MS };
  const load = await Load.start([url], options);
  const [moved, ...others] = load.companies.map(({ id }) => ({ id, name: 'Company' }));
  if (moved === undefined) throw new Error('expected a company');
  await fillCompany(home, moved.id, rows);
  const checkpoints = await takeCheckpoints(url, load.companies);
  const loadMs = performance.now();
  await wait(BEFORE_MS);
  const moves: MoveResult[] = [];
  for (let number = 0; number < 2 * returns; number++) {
    const [from, to] = number % 2 === 0 ? [home, away] : [away, home];
    moves.push(await moveAndErase(from, to, moved));
  }
  await wait(AFTER_MS);
  const history = await load.stop();
  const stored = withoutFilled(
    await snapshotOf(
      home,
      load.companies.map(({ id }) => id),
    ),
  );
  const reasons = await Promise.all(checkpoints.map((checkpoint) => verifyChain(home.url, checkpoint)));
  return {
    ...compare(history, stored),
    moves,
    acknowledged: history.operations.filter(
      (operation) => operation.request.action !== 'read' && finalOutcome(operation) === 'acknowledged',
    ).length,
    responses: countResponses(history.operations, moved.id),
    followed: history.feeds.get(moved.id)?.length ?? 0,
    brokenLogs: reasons.filter((reason) => reason !== null),
    p99: percentiles(history, { others: others.map(({ id }) => id), loadMs, moves }),
    longestWriteMs: longestWrite(history, moved.id),
  };
}

const snapshotOf = ({ ownerUrl }: LoadCell, companies: readonly number[]): Promise<Snapshot> =>
  withClient({ connectionString: ownerUrl, options: '-c timezone=UTC' }, (client) =>
    takeSnapshot(sqlOn(client), companies),
  );

function withoutFilled(stored: Snapshot): Snapshot {
  const filled = new Set(stored.events.filter(isFilled).map(({ resource_id: id }) => id));
  return {
    ...stored,
    vendors: stored.vendors.filter(({ unique_id: id }) => !filled.has(id)),
    events: stored.events.filter((event) => !isFilled(event)),
  };
}

/** 99th percentiles of the requests of the other companies, while nothing is moved or erased, and during moves. */
function percentiles(
  { operations }: History,
  { others, loadMs, moves }: { others: readonly number[]; loadMs: number; moves: readonly MoveResult[] },
): RunResult['p99'] {
  const attempts = operations
    .filter(({ request }) => others.includes(request.company))
    .flatMap((operation) => operation.attempts);
  const firstMs = moves[0]?.startMs ?? Infinity;
  const before = attempts.filter(({ receivedAtMs: at }) => at >= loadMs && at < firstMs);
  const during = attempts.filter(({ receivedAtMs: at }) =>
    moves.some(({ startMs, endMs }) => at >= startMs && at < endMs),
  );
  return { withoutMove: p99(before), duringMoves: p99(during) };
}

function p99(attempts: readonly { durationMs: number }[]): number {
  const sorted = attempts.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
}

function longestWrite({ operations }: History, company: number): number {
  const writes = operations.filter(({ request }) => request.company === company && request.action !== 'read');
  return Math.max(
    ...writes.map(({ attempts }) => {
      const first = attempts[0];
      const known = attempts.find(({ outcome }) => outcome !== 'unknown');
      return first === undefined || known === undefined
        ? 0
        : known.receivedAtMs - first.receivedAtMs + first.durationMs;
    }),
  );
}
