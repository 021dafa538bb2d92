import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { FairQueue } from '../../database/connection/fair-queue.ts';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { listCompanies } from '../../entities/company/statements.ts';
import {
  FILE_CHUNK_BYTES,
  DELETED_CHUNKS,
  deleteFileChunks,
  insertFileChunk,
  pageChunkedFiles,
  readFileChunk,
} from '../../entities/file/file-chunk.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { ByteRange, FileKey, FileStore, SpooledFile } from '../../procedures/core/storage.ts';
import { onDisk } from './errors.ts';
import { missingBytes } from './key-path.ts';

/** Files that one process writes at a time, so that uploads leave connections to other requests. */
const MAX_PUTS = 2;
const PAGE_SIZE = 1000;
const REQUEST_ID = 'storage';

/** Runs at most a number of works at a time. The others wait, those of each company in their order, and companies take turns. */
class Slots {
  #free: number;
  readonly #waiting = new FairQueue<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(company: number, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(company, resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.take();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Keeps files in the database, in chunks. Each chunk is a short transaction, like those of imports. */
export class DatabaseStore implements FileStore {
  readonly #database: Database;
  readonly #puts = new Slots(MAX_PUTS);

  constructor(database: Database) {
    this.#database = database;
  }

  put(key: FileKey, file: SpooledFile): Promise<void> {
    return this.#puts.run(key.company, async () => {
      try {
        await this.#insertChunks(key, file);
      } catch (error) {
        await this.delete(key).catch(() => {}); // they go with the row of the file otherwise
        throw error;
      }
    });
  }

  async *read(key: FileKey, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    const session = this.#sessionOf(key);
    let position = start;
    while (position <= end) {
      const index = Math.floor(position / FILE_CHUNK_BYTES);
      const chunkStart = index * FILE_CHUNK_BYTES;
      const row = await session.first(readFileChunk, { uniqueId: key.uniqueId, index });
      const bytes = row?.bytes.subarray(position - chunkStart, end + 1 - chunkStart);
      if (bytes === undefined || bytes.length < Math.min(end + 1, chunkStart + FILE_CHUNK_BYTES) - position)
        throw missingBytes(key);
      position += bytes.length;
      yield bytes;
    }
  }

  async delete(key: FileKey): Promise<void> {
    const session = this.#sessionOf(key);
    for (let deleted = DELETED_CHUNKS; deleted >= DELETED_CHUNKS;)
      ({ deleted } = await session.one(deleteFileChunks, { uniqueId: key.uniqueId }));
  }

  async *list(): AsyncGenerator<FileKey> {
    const companies = await new Session(this.#database, null, REQUEST_ID).run(listCompanies, {});
    for (const { id: company } of companies) {
      const session = this.#sessionOf({ company });
      let after: string | null = null;
      do {
        const page: { uniqueId: string }[] = await session.run(pageChunkedFiles, { after, limit: PAGE_SIZE });
        for (const { uniqueId } of page) yield { company, uniqueId };
        after = page.length < PAGE_SIZE ? null : (page.at(-1)?.uniqueId ?? null);
      } while (after !== null);
    }
  }

  async #insertChunks(key: FileKey, { path, size }: SpooledFile): Promise<void> {
    const session = this.#sessionOf(key);
    const handle = await onDisk(() => open(path));
    try {
      const buffers = [Buffer.allocUnsafeSlow(FILE_CHUNK_BYTES), Buffer.allocUnsafeSlow(FILE_CHUNK_BYTES)] as const;
      const read = (index: number) => readChunk(handle, buffers[index % 2 === 0 ? 0 : 1], index, size);
      let next = read(0);
      for (let index = 0; index * FILE_CHUNK_BYTES < size; index += 1) {
        const bytes = await next;
        // PostgreSQL writes a chunk while the next one is read.
        next = read(index + 1);
        const inserted = session.run(insertFileChunk, { uniqueId: key.uniqueId, index, bytes });
        for (const result of await Promise.allSettled([inserted, next]))
          if (result.status === 'rejected') throw result.reason;
      }
    } finally {
      await handle.close();
    }
  }

  #sessionOf({ company }: Pick<FileKey, 'company'>): Session {
    return new Session(this.#database, operatorPrincipal(company), REQUEST_ID);
  }
}

/** Reads a chunk of a file of `size` bytes into a buffer; nothing beyond its end. */
async function readChunk(handle: FileHandle, buffer: Buffer, index: number, size: number): Promise<Buffer> {
  const position = index * FILE_CHUNK_BYTES;
  const length = Math.max(0, Math.min(FILE_CHUNK_BYTES, size - position));
  if (length === 0) return buffer.subarray(0, 0);
  const { bytesRead } = await onDisk(() => handle.read(buffer, 0, length, position));
  if (bytesRead < length) throw new Error(`received file: expected ${size} bytes`);
  return buffer.subarray(0, length);
}
