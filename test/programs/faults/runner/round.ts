import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { callManagement } from '../../../support/http/client.ts';
import type { Fault } from './fault.ts';
import { measureResources, findLeaks } from '../checks/resource-usage.ts';
import type { ResourceUsage } from '../checks/resource-usage.ts';
import { LoadGenerator, createTargetCompany, retryUnknown } from '../workload/load.ts';
import type { Company } from '../workload/requests.ts';
import { checkConsistency } from '../checks/oracle.ts';
import type { Finding } from '../checks/finding.ts';
import { seededRandom } from '../workload/random.ts';
import type { TestEnvironment } from '../environment/environment.ts';
import { OperationLog, finalOutcome, readOperationLog } from '../workload/operation-log.ts';

/** Result of one round: load, a fault during the load, and the consistency checks. */
export interface RoundResult {
  findings: Finding[];
  acknowledged: number;
  rejected: number;
  unknown: number;
  /** Milliseconds from the end of the fault to the first acknowledged write; undefined if there was none. */
  recoveryMs: number | undefined;
  longestRequestMs: number;
}

/** Maximum time from the end of a fault to an acknowledged write. */
const RECOVERY_TIMEOUT_MS = 15_000;
const COMPANY_COUNT = 3;
const CLIENT_COUNT = 12;
/** Acknowledged writes of the warm-up, before a fault and after it. */
const WARM_UP_WRITES = 400;
const WRITES_BEFORE_FAULT = 60;
const WRITES_AFTER_FAULT = 60;

/** Injects a fault while clients write. Then compares the responses that the clients received with the stored rows. */
export async function runRound<S extends TestEnvironment>(
  environment: S,
  fault: Fault<S>,
  { name, seed, folder, baseline }: { name: string; seed: number; folder: string; baseline: Baseline },
): Promise<RoundResult> {
  const findings: Finding[] = [];
  const addFinding = (kind: Finding['kind']) => (error: unknown) => {
    findings.push({ kind, text: error instanceof Error ? error.message : String(error) });
  };
  const companies: Company[] = [];
  while (companies.length < COMPANY_COUNT) companies.push(await createTargetCompany(environment.service.url));
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
      report: (text) => addFinding('wrong response')(text),
      routeThrough: (url) => (proxyUrl = url),
    })
    .catch(addFinding('wrong response'));
  proxyUrl = undefined;
  if (environment.cluster?.isRunning === false) {
    addFinding('wrong response')('PostgreSQL is not running');
    await environment.cluster.start();
  }
  if (!environment.service.isRunning) {
    addFinding('wrong response')(`the service is not running: ${environment.service.output.slice(-500)}`);
    await environment.service.start();
  }
  const faultEndedAt = performance.now();
  const recoveryMs = await load.timeToNextWrite(faultEndedAt, RECOVERY_TIMEOUT_MS);
  if (recoveryMs !== undefined) await Promise.race([load.waitForWrites(WRITES_AFTER_FAULT), wait(RECOVERY_TIMEOUT_MS)]);
  await load.stop();
  if (recoveryMs === undefined) {
    addFinding('timeout')(`no write succeeds within ${RECOVERY_TIMEOUT_MS / 1000} s of the end of the fault`);
    // The checks below need a running service.
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
  const unknown = before.filter((operation) => finalOutcome(operation) === 'unknown');
  await retryUnknown(
    options,
    unknown.filter(({ request }) => request.hasIdempotencyKey && request.action !== 'read'),
  );
  await operationLog.close();
  const after = await readOperationLog(file);
  const second = checkConsistency(after, await environment.snapshot(ids), true);
  // Reports findings of both comparisons once.
  findings.push(...new Map([...first, ...second].map((finding) => [finding.text, finding])).values());
  for (const id of ids) {
    const verified = await callManagement<{ intact: boolean; reason: string | null }>(
      environment.service.url,
      'audit.verify',
      {},
      id,
    );
    if (!verified.intact)
      addFinding('inconsistent')(`the audit log of company ${id} does not verify: ${verified.reason}`);
  }
  if (findings.length === 0) rmSync(file);
  const outcomes = before.map(finalOutcome);
  const count = (expected: string) => outcomes.filter((outcome) => outcome === expected).length;
  return {
    findings,
    acknowledged: count('acknowledged'),
    rejected: count('rejected'),
    unknown: count('unknown'),
    recoveryMs,
    longestRequestMs: Math.max(...before.flatMap(({ attempts }) => attempts.map(({ durationMs }) => durationMs))),
  };
}

/** Resource usage of a warm service without faults. */
export interface Baseline {
  resourceUsage: ResourceUsage;
  /** The company whose key the measurement uses. No load runs for it. */
  idleCompany: Company;
}

/** Runs the load without a fault, then measures the resource usage. */
export async function warmUp(
  environment: TestEnvironment,
  { seed, folder }: { seed: number; folder: string },
): Promise<Baseline> {
  const createCompany = () => createTargetCompany(environment.service.url);
  const companies = [await createCompany(), await createCompany()];
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
  const idleCompany = await createCompany();
  return { idleCompany, resourceUsage: await measureResources(environment, idleCompany) };
}
