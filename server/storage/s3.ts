import type { S3Settings } from '../config/settings.ts';
import type { ByteRange, FileKey, FileStore, SpooledFile } from '../../procedures/core/storage.ts';
import { unavailable } from './errors.ts';
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

  /** Aborts all calls, and later ones at once. */
  end(): void {
    this.#client.end();
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
    const { 'content-length': length } = response.headers;
    if (length !== undefined && Number(length) !== missing) {
      response.destroy();
      throw missingBytes(key);
    }
    for await (const chunk of this.#client.chunksOf(response)) {
      missing -= chunk.length;
      if (missing < 0) break;
      yield chunk;
    }
    // A proxy may leave out the length. Then the end of the object and the end of the connection look the same.
    if (missing !== 0) throw unavailable(new Error('S3: GET: expected the bytes of the range'));
  }

  async delete(key: FileKey): Promise<void> {
    await this.#client.call({ method: 'DELETE', key: this.#keyOf(key) });
  }

  async *list(): AsyncGenerator<FileKey> {
    let token: string | undefined;
    /** First keys of the pages, because a list that begins again would never end. */
    const firstKeys = new Set<string>();
    do {
      const query = {
        'list-type': '2',
        prefix: this.#prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      };
      const page = await this.#client.call({ method: 'GET', query });
      if (!page.includes('<ListBucketResult')) throw unavailable(new Error('S3: GET: expected a list'));
      const texts = valuesOf(page, 'Key');
      const isTruncated = valuesOf(page, 'IsTruncated')[0] === 'true';
      token = isTruncated ? valuesOf(page, 'NextContinuationToken')[0] : undefined;
      const [first] = texts;
      if (isTruncated && (first === undefined || firstKeys.has(first) || token === undefined))
        throw unavailable(new Error('S3: GET: expected other keys in the next page of a list'));
      if (first !== undefined) firstKeys.add(first);
      for (const text of texts) {
        const key = text.startsWith(this.#prefix) ? parseKeyPath(text.slice(this.#prefix.length)) : undefined;
        if (key !== undefined) yield key;
      }
    } while (token !== undefined);
  }

  #keyOf(key: FileKey): string {
    return this.#prefix + keyPath(key);
  }
}
