import { parentPort, workerData } from 'node:worker_threads';

// Thread of a benchmark: sends one request again and again, some at a time, and posts the number of responses by status.

/** A request with a body is a POST. */
export interface Request {
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface LoadData {
  request: Request;
  /** Requests at a time. */
  concurrent: number;
  durationMs: number;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the benchmark passes it
const { request, concurrent, durationMs } = workerData as LoadData;
const { url, headers, body } = request;
const endsAt = performance.now() + durationMs;
const counts: Record<number, number> = {};

async function keepSending(): Promise<void> {
  while (performance.now() < endsAt) {
    const response = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body });
    await response.arrayBuffer();
    counts[response.status] = (counts[response.status] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: concurrent }, keepSending));
parentPort?.postMessage(counts, []);
