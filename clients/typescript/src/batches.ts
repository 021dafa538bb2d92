import { BatchError } from './errors.ts';
import type { CallOptions } from './types.ts';

const MAX_ITEMS = 100;
/** Maximum size of the items of a request. The server accepts bodies of 2 MiB. */
const MAX_BYTES = 2_000_000;

/** Options of a batch. */
export interface BatchOptions extends CallOptions {
  /** True: one item that fails rejects all. Only for at most 100 items and 2 MB, which is one chunk. */
  atomic?: boolean | undefined;
  /** True: check and respond, but write nothing. */
  dryRun?: boolean | undefined;
  /** Called after each chunk with the number of items that have a result. */
  onProgress?: ((done: number) => void) | undefined;
}

/** Counts and results of items. */
export interface Results {
  succeeded: number;
  failed: number;
  results: { index: number }[];
}

/** Sends items in chunks, one after the other, and returns the result of each item in the given order. */
export async function sendBatch<All extends Results>(
  items: readonly object[],
  { atomic = false, idempotencyKey, onProgress }: BatchOptions,
  send: (body: object, idempotencyKey: string | undefined) => Promise<All>,
): Promise<Pick<All, keyof Results>> {
  const chunks = split(items);
  if (atomic && chunks.length > 1) throw new RangeError('atomic: expected at most 100 items and 2 MB');
  const results: All['results'][number][] = [];
  let succeeded = 0;
  for (const [number, chunk] of chunks.entries()) {
    const offset = results.length;
    const sent = await send({ atomic, items: chunk }, idempotencyKey && `${idempotencyKey}.${number}`).catch(
      (error: unknown) => {
        throw chunks.length === 1 ? error : new BatchError(results, error);
      },
    );
    succeeded += sent.succeeded;
    for (const result of sent.results) result.index += offset;
    results.push(...sent.results);
    onProgress?.(results.length);
  }
  return { succeeded, failed: results.length - succeeded, results };
}

function split(items: readonly object[]): object[][] {
  const chunks: object[][] = [];
  let size = 0;
  for (const item of items) {
    const itemSize = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    const chunk = chunks.at(-1);
    const fits = chunk !== undefined && chunk.length < MAX_ITEMS && size + itemSize <= MAX_BYTES;
    if (fits) chunk.push(item);
    else chunks.push([item]);
    size = fits ? size + itemSize : itemSize;
  }
  return chunks;
}
