import { Worker } from 'node:worker_threads';
import { FileError } from '../parsing/csv.ts';
import type { CatalogAnswer } from './worker.ts';

/** Memory of the thread in MB, which a catalog of the largest size does not need. */
const MAX_MEMORY_MB = 512;

/** An error of a thread without memory, or with too little of the stack. */
const isTooLarge = (error: unknown) =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');

/**
 * Reads an OSCAL catalog as rows of requirements in NDJSON. A thread does it, because the largest catalogs take longer than other requests
 * may wait.
 * @throws FileError that names the place
 */
export async function catalogToRows(text: string): Promise<Buffer> {
  const thread = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: text,
    execArgv: [], // modules that the process loads first concern only its main thread
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const answered = Promise.withResolvers<CatalogAnswer>();
  thread.once('message', answered.resolve);
  thread.once('error', answered.reject);
  try {
    const answer = await answered.promise;
    if ('reason' in answer) throw new FileError(answer.reason);
    return Buffer.from(answer.rows);
  } catch (error) {
    if (isTooLarge(error)) throw new FileError('catalog: is nested too deeply, or too large', { cause: error });
    throw error;
  } finally {
    await thread.terminate();
  }
}
