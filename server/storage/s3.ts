import type { S3Settings } from '../config/settings.ts';
import type { ByteRange, FileKey, FileStore, SpooledFile } from '../../procedures/core/storage.ts';
import { missingBytes, keyPath, parseKeyPath } from './key-path.ts';
import { S3Client, valuesOf } from './s3-client.ts';
import type { Timeouts } from './s3-client.ts';

/** Keeps files in a bucket of an S3-compatible storage, as `<prefix>/<company>/<uniqueId>`. */
export class S3Store implements FileStore {
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(settings: S3Settings, timeouts?: Timeouts) {
    this.#client = new S3Client(settings, timeouts);
    this.#prefix = settings.prefix;
  }

  async put(key: FileKey, file: SpooledFile): Promise<void> {
    try {
      await this.#client.call({ method: 'PUT', key: this.#keyOf(key), file });
    } catch (error) {
      // The storage may have stored it, although no response arrived.
      void this.delete(key).catch(() => {});
      throw error;
    }
  }

  async *read(key: FileKey, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    const headers = { Range: `bytes=${start}-${end}` };
    const response = await this.#client.send({ method: 'GET', key: this.#keyOf(key), headers });
    if (response === undefined) throw missingBytes(key);
    let missing = end - start + 1;
    if (Number(response.headers['content-length']) !== missing) {
      response.destroy();
      throw missingBytes(key);
    }
    for await (const chunk of this.#client.chunksOf(response)) {
      missing -= chunk.length;
      yield chunk;
    }
    if (missing > 0) throw missingBytes(key);
  }

  async delete(key: FileKey): Promise<void> {
    await this.#client.call({ method: 'DELETE', key: this.#keyOf(key) });
  }

  async *list(): AsyncGenerator<FileKey> {
    let token: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: this.#prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      };
      const page = await this.#client.call({ method: 'GET', query });
      for (const text of valuesOf(page, 'Key')) {
        const key = text.startsWith(this.#prefix) ? parseKeyPath(text.slice(this.#prefix.length)) : undefined;
        if (key !== undefined) yield key;
      }
      const isTruncated = valuesOf(page, 'IsTruncated')[0] === 'true';
      token = isTruncated ? valuesOf(page, 'NextContinuationToken')[0] : undefined;
    } while (token !== undefined);
  }

  #keyOf(key: FileKey): string {
    return this.#prefix + keyPath(key);
  }
}
