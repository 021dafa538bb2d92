import { parentPort, workerData } from 'node:worker_threads';
import { CatalogError, readCatalog } from './catalog.ts';

/** Reply of the thread: the rows as NDJSON, or the reason why there are none. */
export type CatalogAnswer = { rows: Uint8Array } | { reason: string };

function answer(text: unknown): CatalogAnswer {
  try {
    const rows = readCatalog(String(text)).map((row) => `${JSON.stringify(row)}\n`);
    return { rows: Buffer.from(rows.join('')) };
  } catch (error) {
    if (error instanceof CatalogError) return { reason: error.message };
    throw error;
  }
}

parentPort?.postMessage(answer(workerData), []);
