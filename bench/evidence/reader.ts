import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

// Reads a path at an interval, in a thread of its own, because the one that uploads is busy. Each message asks for the
// milliseconds of the reads since the last one.

const INTERVAL_MS = 10;
const { url, key } = z.object({ url: z.string(), key: z.string() }).parse(workerData);
let waits: number[] = [];
parentPort?.on('message', () => {
  parentPort?.postMessage(waits, []);
  waits = [];
});

for (;;) {
  const sentAt = performance.now();
  const response = await fetch(url, { headers: { 'X-API-Key': key } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`read: ${response.status}`);
  waits.push(performance.now() - sentAt);
  await wait(INTERVAL_MS);
}
