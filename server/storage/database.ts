import { open } from 'node:fs/promises';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { listCompanies } from '../../entities/company/statements.ts';
import {
  DELETED_CHUNKS,
  deleteFileChunks,
  insertFileChunk,
  pageChunkedFiles,
  readFileChunk,
} from '../../entities/file/chunk-statements.ts';
import { FILE_CHUNK_BYTES } from '../../entities/file/file-chunk.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { ByteRange, FileKey, FileStore, SpooledFile } from '../../procedures/core/storage.ts';
import { onDisk } from './errors.ts';
import { missingBytes } from './key-path.ts';
import { Slots } from './slots.ts';

/** Files that one process writes at a time, so that uploads leave connections to other requests. */
const MAX_PUTS = 2;
const PAGE_SIZE = 1000;
const REQUEST_ID = 'storage';

/** Keeps files in the database, in chunks. Each chunk is a short transaction, like those of imports. */
export class DatabaseStore implements FileStore {
  readonly #database: Database;
  readonly #puts = new Slots(MAX_PUTS);

  constructor(database: Database) {
    this.#database = database;
  }

  put(key: FileKey, file: SpooledFile): Promise<void> {
    return this.#puts.run(async () => {
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
      const buffer = Buffer.allocUnsafeSlow(FILE_CHUNK_BYTES);
      for (let position = 0, index = 0; position < size; index += 1) {
        const length = Math.min(FILE_CHUNK_BYTES, size - position);
        const { bytesRead } = await onDisk(() => handle.read(buffer, 0, length, position));
        if (bytesRead < length) throw new Error(`${path}: expected ${size} bytes`);
        await session.run(insertFileChunk, { uniqueId: key.uniqueId, index, bytes: buffer.subarray(0, length) });
        position += length;
      }
    } finally {
      await handle.close();
    }
  }

  #sessionOf({ company }: Pick<FileKey, 'company'>): Session {
    return new Session(this.#database, operatorPrincipal(company), REQUEST_ID);
  }
}
