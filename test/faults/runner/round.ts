import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { callManagement } from '../workload/http-client.ts';
import type { Fault } from './fault.ts';
import { measureResources, findLeaks } from '../checks/resource-usage.ts';
import type { ResourceUsage } from '../checks/resource-usage.ts';
import { LoadGenerator, createTargetCompany, retryUnknown } from '../workload/load.ts';
import type { Company } from '../workload/load.ts';
import { checkConsistency } from '../checks/oracle.ts';
import type { Finding } from '../checks/oracle.ts';
import { seededRandom } from '../workload/random.ts';
import { OPERATOR_TOKEN } from '../environment/service.ts';
import type { TestEnvironment } from '../environment/environment.ts';
import { OperationLog, finalOutcome, readOperationLog } from '../workload/operation-log.ts';

/** What came of one round: a load, a fault in its midst, and the judgement of what is stored. */
export interface RoundResult {
  findings: Finding[];
  acknowledged: number;
  rejected: number;
  unknown: number;
  /** Milliseconds from the end of the fault to the first write that was acknowledged. */
  recoveryMs: number | undefined;
  /** Milliseconds that the longest request took. */
  longestRequestMs: number;
}

/** Milliseconds after the end of a fault in which the service must be back. */
const RECOVERY_TIMEOUT_MS = 15_000;
const COMPANY_COUNT = 3;
const CLIENT_COUNT = 12;
/** Writes to get warm, before a fault, and after it. */
const WARM_UP_WRITES = 400;
const WRITES_BEFORE_FAULT = 60;
const WRITES_AFTER_FAULT = 60;

/** Clients write, the fault strikes, they write on; then what they have seen is compared with what is stored. */
export async function runRound<S extends TestEnvironment>(
  environment: S,
  fault: Fault<S>,
  { name, seed, folder, calm: baseline }: { name: string; seed: number; folder: string; calm: Baseline },
): Promise<RoundResult> {
  const findings: Finding[] = [];
  const found = (kind: Finding['kind']) => (error: unknown) => {
    findings.push({ kind, text: error instanceof Error ? error.message : String(error) });
  };
  const companies: Company[] = [];
  while (companies.length < COMPANY_COUNT)
    companies.push(await createTargetCompany(environment.service.url, OPERATOR_TOKEN));
  const ids = companies.map(({ id }) => id);
  const file = join(folder, `${name}.operations.jsonl`);
  const operationLog = await OperationLog.open(file);
  let proxyUrl: string | undefined;
  const options = {
    url: () => proxyUrl ?? environment.service.url,
    operationLog,
    companies,
    clients: CLIENT_COUNT,
    seed,
    name,
  };

  const load = new LoadGenerator(options);
  await load.waitForWrites(WRITES_BEFORE_FAULT);
  const random = seededRandom(seed);
  await fault
    .inject(environment, {
      random,
      load,
      companies,
      report: (text) => found('wrong response')(text),
      routeThrough: (other) => (proxyUrl = other),
    })
    .catch(found('wrong response'));
  proxyUrl = undefined;
  if (environment.cluster?.isRunning === false) {
    found('wrong response')('PostgreSQL has ended');
    await environment.cluster.start();
  }
  if (!environment.service.isRunning) {
    found('wrong response')(`the service has ended: ${environment.service.output.slice(-500)}`);
    await environment.service.start();
  }
  const ended = performance.now();
  const recoveryMs = await load.timeToNextWrite(ended, RECOVERY_TIMEOUT_MS);
  if (recoveryMs !== undefined) await Promise.race([load.waitForWrites(WRITES_AFTER_FAULT), wait(RECOVERY_TIMEOUT_MS)]);
  await load.stop();
  if (recoveryMs === undefined) {
    found('timeout')(`no write succeeds within ${RECOVERY_TIMEOUT_MS / 1000} s of the end of the fault`);
    // Somebody would have to start it again. So that the rest can be judged, somebody does.
    await environment.service.kill();
    await environment.service.start();
  }
  findings.push(
    ...findLeaks(
      baseline.resourceUsage,
      await measureResources(environment, baseline.idleCompany, baseline.resourceUsage),
    ),
  );
  const before = await readOperationLog(file);
  const first = checkConsistency(before, await environment.snapshot(ids), false);
  const unknown = before.filter((told) => finalOutcome(told) === 'unknown');
  await retryUnknown(
    options,
    unknown.filter(({ request: sent }) => sent.hasIdempotencyKey && sent.action !== 'read'),
  );
  await operationLog.close();
  const after = await readOperationLog(file);
  const second = checkConsistency(after, await environment.snapshot(ids), true);
  // Each is told once, though it is seen twice.
  findings.push(...new Map([...first, ...second].map((finding) => [finding.text, finding])).values());
  for (const id of ids) {
    const verified = await callManagement<{ intact: boolean; reason: string | null }>(
      environment.service.url,
      OPERATOR_TOKEN,
      'audit.verify',
      {},
      id,
    );
    if (!verified.intact) found('inconsistent')(`the trail of company ${id} does not verify: ${verified.reason}`);
  }
  if (findings.length === 0) rmSync(file);
  const outcomes = before.map(finalOutcome);
  const count = (of: string) => outcomes.filter((outcome) => outcome === of).length;
  return {
    findings,
    acknowledged: count('acknowledged'),
    rejected: count('rejected'),
    unknown: count('unknown'),
    recoveryMs,
    longestRequestMs: Math.max(...before.flatMap(({ attempts: came }) => came.map(({ durationMs: took }) => took))),
  };
}

/** What the service takes when it has been asked everything once and nothing has gone wrong. */
export interface Baseline {
  resourceUsage: ResourceUsage;
  /** A company that no load has, for whom it is measured. */
  idleCompany: Company;
}

export async function warmUp(
  environment: TestEnvironment,
  { seed, folder }: { seed: number; folder: string },
): Promise<Baseline> {
  const found = () => createTargetCompany(environment.service.url, OPERATOR_TOKEN);
  const companies = [await found(), await found()];
  const operationLog = await OperationLog.open(join(folder, 'warm-up.operations.jsonl'));
  const load = new LoadGenerator({
    url: () => environment.service.url,
    operationLog,
    companies,
    clients: CLIENT_COUNT,
    seed,
    name: 'warm-up',
  });
  await load.waitForWrites(WARM_UP_WRITES);
  await load.stop();
  await operationLog.close();
  const idleCompany = await found();
  return { idleCompany, resourceUsage: await measureResources(environment, idleCompany) };
}
