import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'node:http';
import { sendRequest } from '../workload/http-client.ts';
import type { Company } from '../workload/load.ts';
import type { Finding } from './oracle.ts';
import type { TestEnvironment } from '../environment/environment.ts';
import type { PostgreSqlCluster } from '../environment/cluster.ts';

/** What a service that is left alone takes. */
export interface ResourceUsage {
  /** Connections to PostgreSQL that can be at work at once; undefined where it has none. */
  usableConnections: number | undefined;
  fileDescriptors: number;
  /** MiB alive in the heap. */
  heapMib: number;
}

/** MiB that the heap may grow by: what is loaded, prepared and compiled for the first time under a fault. */
const MAX_HEAP_GROWTH_MIB = 24;
/** Writes that wait for one lock at once: more than any pool has connections. */
const LOCK_WAITERS = 40;

/** Measures a service that nobody asks anything. Waits a while for it to come back to what it was, where that is known. */
export async function measureResources(
  { service, cluster }: TestEnvironment,
  company: Company,
  baseline?: ResourceUsage,
): Promise<ResourceUsage> {
  const usableConnections =
    cluster && (await countUsableConnections(cluster, service.url, company, baseline?.usableConnections));
  // All connections of the pool are open now, before and after: what else is open is what differs.
  const fileDescriptors = await settledMinimum(() => service.fileDescriptors(), baseline?.fileDescriptors);
  return { usableConnections, fileDescriptors, heapMib: await service.heapMib() };
}

/**
 * How many connections the service can have at work: all are made to wait for a lock, and counted where they wait.
 * A place in the pool that a fault has leaked is missing here.
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
        body: { name: 'One of a crowd' },
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

/** The lowest value of the next second; of eight, where it is to come back to a goal: connections are kept for some. */
async function settledMinimum(measure: () => number, goal?: number): Promise<number> {
  let lowest = measure();
  for (let attempt = 0; attempt < (goal === undefined ? 10 : 80) && lowest > (goal ?? 0); attempt++) {
    await wait(100);
    lowest = Math.min(lowest, measure());
  }
  return lowest;
}

/** What is not back where it was. */
export function findLeaks(before: ResourceUsage, after: ResourceUsage): Finding[] {
  const findings: Finding[] = [];
  const leaked = (text: string) => findings.push({ kind: 'leaked', text });
  if (before.usableConnections !== undefined && (after.usableConnections ?? 0) < before.usableConnections)
    leaked(`${after.usableConnections} connections can be at work, ${before.usableConnections} could before`);
  if (after.fileDescriptors > before.fileDescriptors)
    leaked(`${after.fileDescriptors} descriptors, ${before.fileDescriptors} before`);
  if (after.heapMib > before.heapMib + MAX_HEAP_GROWTH_MIB)
    leaked(`${Math.round(after.heapMib)} MiB of heap, ${Math.round(before.heapMib)} before`);
  return findings;
}
