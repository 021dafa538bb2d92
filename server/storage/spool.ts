import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../entities/api-error.ts';
import type { SpooledFile } from '../../procedures/core/storage.ts';
import { makePrivate } from '../config/data-dir.ts';
import { errnoOf, onDisk, unavailable } from './errors.ts';

/** Bytes of one write, and the memory of an upload. Smaller writes cost more than the hash. */
const BUFFER_BYTES = 256 * 1024;
/** Age in milliseconds of a file that a killed process left: no upload and no store pauses for that long. */
export const MAX_AGE_MS = 3_600_000;

/** A folder in which received files wait for their store. */
export class Spool {
  readonly #folder: string;
  readonly #isShared: boolean;
  #timer: NodeJS.Timeout | undefined;

  /** @param isShared true if other processes may use the folder, and other users may write beside it */
  constructor(folder: string, { isShared }: { isShared: boolean }) {
    this.#folder = folder;
    this.#isShared = isShared;
  }

  /**
   * Makes the folder, and removes what killed processes left in it.
   * @throws ApiError 503 if the folder cannot be made, or another user owns it
   */
  async start(): Promise<void> {
    if (this.#isShared) this.#timer = setInterval(() => void this.#removeOld().catch(() => {}), MAX_AGE_MS).unref();
    else await onDisk(() => rm(this.#folder, { recursive: true, force: true }));
    await this.#makeFolder();
    if (this.#isShared) await onDisk(() => this.#removeOld());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Writes content to a new file and hashes it. An error removes the file. @throws ApiError 400 or 413 */
  async receive(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledFile> {
    await this.#makeFolder(); // somebody may have cleaned the folder of temporary files
    const path = join(this.#folder, randomUUID());
    const handle = await onDisk(() => open(path, 'wx', 0o600));
    try {
      const written = await write(handle, content, maxBytes);
      await onDisk(() => handle.close());
      return { path, ...written };
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  discard({ path }: SpooledFile): Promise<void> {
    return onDisk(() => rm(path, { force: true }));
  }

  async #makeFolder(): Promise<void> {
    if (this.#isShared) await onDisk(() => this.#requireOwnFolder());
    const error = await makePrivate(this.#folder);
    if (error !== undefined) throw unavailable(error);
  }

  /** Requires a folder of this user that is not a link, because another user may have made it first. Makes it if it does not exist. */
  async #requireOwnFolder(): Promise<void> {
    await mkdir(this.#folder, { mode: 0o700 }).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    const stats = await lstat(this.#folder);
    if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid))
      throw unavailable(new Error(`${this.#folder}: expected a folder of this user; set TMPDIR to another place`));
  }

  async #removeOld(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && stats.mtimeMs < Date.now() - MAX_AGE_MS)
        await rm(path, { recursive: true, force: true });
    }
  }
}

/** Writes content through one small buffer, because a client may send it in parts of a byte. */
async function write(handle: FileHandle, content: AsyncIterable<Uint8Array>, maxBytes: number) {
  const digest = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let size = 0;
  let filled = 0;
  const flush = async () => {
    digest.update(buffer.subarray(0, filled));
    for (let written = 0; written < filled;)
      written += (await onDisk(() => handle.write(buffer, written, filled - written))).bytesWritten;
    filled = 0;
  };
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new ApiError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
    for (let start = 0; start < chunk.length;) {
      const part = chunk.subarray(start, start + BUFFER_BYTES - filled);
      buffer.set(part, filled);
      filled += part.length;
      start += part.length;
      if (filled === BUFFER_BYTES) await flush();
    }
  }
  if (size === 0) throw new ApiError('invalid_request', 'The body is empty.');
  if (filled > 0) await flush();
  return { size, sha256: digest.digest('hex') };
}
