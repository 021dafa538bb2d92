import { createReadStream } from 'node:fs';
import { mkdir, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteRange, FileKey, FileStore, SpooledFile } from '../../procedures/core/storage.ts';
import { syncToDisk } from '../config/data-dir.ts';
import { asStorageError, errnoOf, onDisk } from './errors.ts';
import { keyPath, missingBytes, parseKeyPath } from './key-path.ts';

/** Keeps files in a folder, one folder for each company. Only this process writes there. */
export class FilesStore implements FileStore {
  readonly #folder: string;

  /** @param folder on the file system of the spooled files */
  constructor(folder: string) {
    this.#folder = folder;
  }

  put(key: FileKey, { path }: SpooledFile): Promise<void> {
    return onDisk(async () => {
      const target = this.#pathOf(key);
      await this.#makeFolder(dirname(target));
      // Before the file gets its name: after a power failure a name without content would look like a stored file.
      await syncToDisk(path);
      await rename(path, target);
      await syncToDisk(dirname(target)).catch(async (error: unknown) => {
        await rm(target, { force: true });
        throw error;
      });
    });
  }

  async *read(key: FileKey, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    let missing = end - start + 1;
    try {
      for await (const chunk of createReadStream(this.#pathOf(key), { start, end })) {
        missing -= chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? missingBytes(key) : asStorageError(error);
    }
    if (missing > 0) throw missingBytes(key);
  }

  delete(key: FileKey): Promise<void> {
    return onDisk(async () => rm(this.#pathOf(key), { force: true }));
  }

  async *list(): AsyncGenerator<FileKey> {
    for await (const company of namesIn(this.#folder)) {
      for await (const name of namesIn(join(this.#folder, company))) {
        const key = parseKeyPath(`${company}/${name}`);
        if (key !== undefined) yield key;
      }
    }
  }

  #pathOf(key: FileKey): string {
    return join(this.#folder, keyPath(key));
  }

  /** Makes the folder of a company. The names of new folders must survive a power failure too. */
  async #makeFolder(folder: string): Promise<void> {
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (created === undefined) return;
    await syncToDisk(this.#folder);
    await syncToDisk(dirname(this.#folder));
  }
}

/** Names in a folder, without reading all of them at once. A missing folder, or something that is not a folder, has no names. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield name;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw asStorageError(error);
  }
}
