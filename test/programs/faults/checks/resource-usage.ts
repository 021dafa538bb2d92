import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'node:http';
import { sendRequest } from '../../../support/http/client.ts';
import type { Company } from '../workload/requests.ts';
import type { Finding } from './finding.ts';
import type { TestEnvironment } from '../environment/environment.ts';
import type { PostgreSqlCluster } from '../environment/cluster.ts';

/** Resources of an idle service. */
export interface ResourceUsage {
  /** Connections to PostgreSQL that can run queries at the same time; undefined for the embedded database. */
  usableConnections: number | undefined;
  fileDescriptors: number;
  /** Live heap in MiB. */
  heapMib: number;
}

/** Heap growth that is not a leak: code that is loaded, prepared or compiled first during a fault. */
const MAX_HEAP_GROWTH_MIB = 24;
/** Concurrent writes that wait for one lock: more than the connections of the pool. */
const LOCK_WAITERS = 40;

/** Measures an idle service. If a baseline is given, waits some seconds until the usage returns to it. */
export async function measureResources(
  { service, cluster }: TestEnvironment,
  company: Company,
  baseline?: ResourceUsage,
): Promise<ResourceUsage> {
  const usableConnections =
    cluster && (await countUsableConnections(cluster, service.url, company, baseline?.usableConnections));
  // The count above opened all connections of the pool, for the baseline too. Other descriptors make the difference.
  const fileDescriptors = await settledMinimum(() => service.fileDescriptors(), baseline?.fileDescriptors);
  return { usableConnections, fileDescriptors, heapMib: await service.heapMib() };
}

/**
 * Counts the connections that the service can use at the same time, by making all of them wait for a lock.
 * A pool slot that leaked during a fault is missing from this number.
 */
async function countUsableConnections(
  cluster: PostgreSqlCluster,
  url: string,
  { key }: Company,
  goal = Infinity,
): Promise<number> {
  return cluster.withConnection(async (client) => {
    const agent = new Agent({ keepAlive: true });
    await client.query('begin');
    await client.query('lock table vendor in access exclusive mode');
    const waitingWrites = Array.from({ length: LOCK_WAITERS }, () =>
      sendRequest(`${url}/external/smart-inventory/vendor/new`, {
        method: 'POST',
        agent,
        headers: { 'X-API-Key': key },
        body: { name: 'One of many' },
      }),
    );
    let max = 0;
    for (let attempt = 0; attempt < 24 && max < goal; attempt++) {
      await wait(50);
      max = Math.max(max, await cluster.countConnections(`wait_event_type = 'Lock'`));
    }
    await client.query('rollback');
    await Promise.all(waitingWrites);
    agent.destroy();
    return max;
  });
}

/**
 * Returns the lowest value within one second. With a goal, waits up to eight seconds to reach it, as idle connections stay
 * open for some seconds.
 */
async function settledMinimum(measure: () => number, goal?: number): Promise<number> {
  let lowest = measure();
  for (let attempt = 0; attempt < (goal === undefined ? 10 : 80) && lowest > (goal ?? 0); attempt++) {
    await wait(100);
    lowest = Math.min(lowest, measure());
  }
  return lowest;
}

/** Finds resources that did not return to the baseline. */
export function findLeaks(before: ResourceUsage, after: ResourceUsage): Finding[] {
  const findings: Finding[] = [];
  const leaked = (text: string) => findings.push({ kind: 'leaked', text });
  if (before.usableConnections !== undefined && (after.usableConnections ?? 0) < before.usableConnections)
    leaked(`${after.usableConnections} usable connections, ${before.usableConnections} before`);
  if (after.fileDescriptors > before.fileDescriptors)
    leaked(`${after.fileDescriptors} file descriptors, ${before.fileDescriptors} before`);
  if (after.heapMib > before.heapMib + MAX_HEAP_GROWTH_MIB)
    leaked(`${Math.round(after.heapMib)} MiB of heap, ${Math.round(before.heapMib)} before`);
  return findings;
}
