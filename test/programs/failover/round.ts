import { setTimeout as wait } from 'node:timers/promises';
import { takeSnapshot } from '../faults/checks/snapshot.ts';
import { finalOutcome } from '../faults/workload/operation-log.ts';
import { sqlOn } from '../../support/database/client.ts';
import { until } from '../../support/servers/until.ts';
import { isInChain, takeCheckpoints, verifyChain } from './checks/chains.ts';
import type { Checkpoint } from './checks/chains.ts';
import { compare } from './checks/compare.ts';
import type { Violations } from './checks/compare.ts';
import { checkLog } from './checks/log-lines.ts';
import { recoveryTime } from './checks/recovery.ts';
import { countResponses, hasFailed } from './checks/responses.ts';
import type { Responses } from './checks/responses.ts';
import { readReplicas } from './environment/environment.ts';
import type { Environment } from './environment/environment.ts';
import type { Fault } from './faults.ts';
import { Load } from './workload/load.ts';

/** Time of the load before a fault, and after the cluster is whole again: the last suppressed log lines come after ten seconds. */
const BEFORE_MS = 6000;
const AFTER_MS = 11_000;

/** Longest time until replicas follow the primary and have a restart point, which come every 30 s. */
const REPLICAS_TIMEOUT_MS = 120_000;

const COMPANIES = 4;
/** Longer than every outage. */
const MAX_WAIT_MS = 120_000;

/** Result of a fault under load. */
export interface RoundResult extends Violations {
  acknowledged: number;
  responses: Responses;
  /** Checkpoints from before the fault. */
  checkpoints: readonly Checkpoint[];
  /** Companies whose audit log `audit verify` finds intact. */
  chainsIntact: number;
  checkpointsThatHold: number;
  /** Milliseconds from the fault until 99 % of the requests succeed again; undefined if they do not. */
  recoveryMs: number | undefined;
  /** Milliseconds from the fault until the cluster is whole and both processes read replicas; undefined if they do not. */
  replicasMs: number | undefined;
  longestRequestMs: number;
  logLines: ReadonlyMap<string, number>;
  tooFrequentLines: readonly string[];
}

/** Injects a fault under load. Then compares what the clients saw with what is stored. */
export async function runRound(
  environment: Environment,
  fault: Fault,
  { name, seed }: { name: string; seed: number },
): Promise<RoundResult> {
  const urls = environment.services.map(({ process: { url } }) => url);
  const [url = ''] = urls;
  const logLengths = environment.services.map(({ process: { stdout } }) => stdout.length);
  const load = await Load.start(urls, { name, seed, companies: COMPANIES, managementUrl: url, maxWaitMs: MAX_WAIT_MS });
  await wait(BEFORE_MS);
  await until(
    () => readReplicas(environment.services),
    'replicas: both processes read them before the fault',
    REPLICAS_TIMEOUT_MS,
  );
  const checkpoints = await takeCheckpoints(url, load.companies);
  const faultMs = performance.now();
  await fault.inject(environment);
  await environment.cluster.untilWhole();
  const replicasMs = await until(() => readReplicas(environment.services), 'replicas', REPLICAS_TIMEOUT_MS).then(
    () => performance.now() - faultMs,
    () => undefined,
  );
  await wait(AFTER_MS);
  const endMs = performance.now();
  const history = await load.stop();
  const ids = load.companies.map(({ id }) => id);
  const { stored, kept } = await environment.cluster.withPrimary(async (client) => {
    const run = sqlOn(client);
    const held: boolean[] = [];
    for (const checkpoint of checkpoints) held.push(await isInChain(run, checkpoint));
    return { stored: await takeSnapshot(run, ids), kept: held };
  });
  const reasons = await Promise.all(checkpoints.map((checkpoint) => verifyChain(url, checkpoint)));
  const isOfCheckpoint = (reason: string | null) => reason?.startsWith('checkpoint') === true;
  const { operations } = history;
  const attempts = operations.flatMap((operation) =>
    operation.attempts.map((attempt) => ({ ...attempt, hasFailed: hasFailed(operation, attempt) })),
  );
  const timed = attempts.map(({ receivedAtMs, hasFailed: failed }) => ({ atMs: receivedAtMs, hasFailed: failed }));
  const log = environment.services.map(({ process: { stdout } }, index) => stdout.slice(logLengths[index])).join('\n');
  const { counts, tooFrequent } = checkLog(log);
  return {
    ...compare(history, stored),
    acknowledged: operations.filter(
      (operation) => operation.request.action !== 'read' && finalOutcome(operation) === 'acknowledged',
    ).length,
    responses: countResponses(operations),
    checkpoints,
    chainsIntact: reasons.filter((reason) => reason === null || isOfCheckpoint(reason)).length,
    checkpointsThatHold: kept.filter((isKept, index) => isKept && !isOfCheckpoint(reasons[index] ?? null)).length,
    recoveryMs: recoveryTime(timed, faultMs, endMs),
    replicasMs,
    longestRequestMs: Math.max(...attempts.map(({ durationMs }) => durationMs)),
    logLines: counts,
    tooFrequentLines: tooFrequent,
  };
}
