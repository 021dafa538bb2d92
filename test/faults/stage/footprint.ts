import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'node:http';
import { ask } from './ask.ts';
import type { Company } from './load.ts';
import type { Finding } from './oracle.ts';
import type { Stage } from './stage.ts';
import type { Cluster } from './cluster.ts';

/** What a service that is left alone takes. */
export interface Footprint {
  /** Connections to PostgreSQL that can be at work at once; undefined where it has none. */
  pool: number | undefined;
  descriptors: number;
  /** MiB alive in the heap. */
  heap: number;
}

/** MiB that the heap may grow by: what is loaded, prepared and compiled for the first time under a fault. */
const GROWTH = 24;
/** Writes that wait for one lock at once: more than any pool has connections. */
const CROWD = 40;

/** Measures a service that nobody asks anything. Waits a while for it to come back to what it was, where that is known. */
export async function footprintOf({ service, cluster }: Stage, company: Company, was?: Footprint): Promise<Footprint> {
  const pool = cluster && (await usablePool(cluster, service.url, company, was?.pool));
  // All connections of the pool are open now, before and after: what else is open is what differs.
  const descriptors = await settled(() => service.descriptors(), was?.descriptors);
  return { pool, descriptors, heap: await service.heap() };
}

/**
 * How many connections the service can have at work: all are made to wait for a lock, and counted where they wait.
 * A place in the pool that a fault has leaked is missing here.
 */
async function usablePool(cluster: Cluster, url: string, { key }: Company, goal = Infinity): Promise<number> {
  return cluster.session(async (client) => {
    const agent = new Agent({ keepAlive: true });
    await client.query('begin');
    await client.query('lock table vendor in access exclusive mode');
    const crowd = Array.from({ length: CROWD }, () =>
      ask(`${url}/external/smart-inventory/vendor/new`, {
        method: 'POST',
        agent,
        headers: { 'X-API-Key': key },
        body: { name: 'One of a crowd' },
      }),
    );
    let most = 0;
    for (let looked = 0; looked < 24 && most < goal; looked++) {
      await wait(50);
      most = Math.max(most, await cluster.connections(`wait_event_type = 'Lock'`));
    }
    await client.query('rollback');
    await Promise.all(crowd);
    agent.destroy();
    return most;
  });
}

/** The lowest value of the next second; of eight, where it is to come back to a goal: connections are kept for some. */
async function settled(look: () => number, goal?: number): Promise<number> {
  let lowest = look();
  for (let looked = 0; looked < (goal === undefined ? 10 : 80) && lowest > (goal ?? 0); looked++) {
    await wait(100);
    lowest = Math.min(lowest, look());
  }
  return lowest;
}

/** What is not back where it was. */
export function leaks(before: Footprint, after: Footprint): Finding[] {
  const findings: Finding[] = [];
  const leaked = (text: string) => findings.push({ kind: 'leaked', text });
  if (before.pool !== undefined && (after.pool ?? 0) < before.pool)
    leaked(`${after.pool} connections can be at work, ${before.pool} could before`);
  if (after.descriptors > before.descriptors) leaked(`${after.descriptors} descriptors, ${before.descriptors} before`);
  if (after.heap > before.heap + GROWTH)
    leaked(`${Math.round(after.heap)} MiB of heap, ${Math.round(before.heap)} before`);
  return findings;
}
