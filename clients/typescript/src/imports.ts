import { ImportError } from './errors.ts';
import { sleep } from './transport.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Import } from './types.ts';

const FIRST_POLL_MS = 200;
const MAX_POLL_MS = 5000;

/** Options of the progress of an import. The deadline `timeoutMs` is that of each request, not of the import. */
export interface ProgressOptions extends CallOptions {
  /** Called with the state and counts of the import at each poll, every 0.2 to 5 seconds. */
  onProgress?: ((progress: Import) => void) | undefined;
}

/** Options of an import. */
export interface ImportOptions extends ProgressOptions {
  /** Format of the file: `csv` (default) with a header row, or `ndjson`. */
  format?: 'csv' | 'ndjson' | undefined;
  /** System of the column `externalId`: each row is an upsert. Without it, each row creates an object. */
  source?: string | undefined;
  /** Meaning of an empty cell: no change (`merge`, the default), or the default value (`replace`). */
  mode?: 'replace' | 'merge' | undefined;
  /** True: any bad row rejects the whole file. */
  strict?: boolean | undefined;
  /** True: check every row, but write nothing. */
  dryRun?: boolean | undefined;
}

/** Imports that run on the server. */
export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Starts an import of a file, and waits for its end. */
  async run(path: string, file: string | Blob | Uint8Array<ArrayBuffer>, options: ImportOptions): Promise<Import> {
    const { format = 'csv', source, mode, strict, dryRun } = options;
    const headers = { 'Content-Type': format === 'csv' ? 'text/csv' : 'application/x-ndjson' };
    const content = { query: { source, mode, strict, dryRun }, headers, body: file };
    const started: Import = JSON.parse(await (await this.#transport.call('POST', path, content, options)).text());
    return this.wait(started.uniqueId, options);
  }

  /**
   * Waits for the end of an import, also of one that an earlier process started. An abort of `signal` cancels the import.
   * @returns the import with the state `done`. Rows may have failed: see `failed` and `errors`.
   * @throws ImportError if the import failed or was canceled. ApiError, NetworkError
   */
  async wait(uniqueId: string, options: ProgressOptions = {}): Promise<Import> {
    const path = `/external/import/${encodeURIComponent(uniqueId)}/item`;
    try {
      for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * 1.5, MAX_POLL_MS)) {
        const current: Import = JSON.parse(await (await this.#transport.call('GET', path, {}, options)).text());
        options.onProgress?.(current);
        if (current.state === 'done') return current;
        if (current.state === 'failed' || current.state === 'canceled') throw new ImportError(current);
        await sleep(delayMs, options.signal);
      }
    } catch (error) {
      // An import that has ended cannot be canceled. The caller gets the reason of the abort in any case.
      if (options.signal?.aborted === true) await this.cancel(uniqueId).catch(() => undefined);
      throw error;
    }
  }

  /** Cancels an import. Rows that were applied stay. @throws ApiError `conflict` if it has ended. NetworkError */
  async cancel(uniqueId: string, options: CallOptions = {}): Promise<void> {
    const path = `/external/import/${encodeURIComponent(uniqueId)}/delete`;
    await this.#transport.call('DELETE', path, {}, options);
  }
}
