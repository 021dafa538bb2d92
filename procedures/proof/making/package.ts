import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** Characters that are collected before they are compressed. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Time of every entry: the ZIP has no time of its own. */
const MTIME = new Date(Date.UTC(1980, 0, 1, 12));
const MODE = 0o100644;

/** A file in the manifest. */
export interface PackedFile {
  path: string;
  size: number;
  sha256: string;
}

/** A ZIP that is written one file after the other, with the digest of each. */
export class Package {
  readonly #zip = new ZipFile();
  readonly files: PackedFile[] = [];
  /** The first error ends the ZIP. */
  readonly #failure = Promise.withResolvers<never>();

  constructor() {
    this.#failure.promise.catch(() => {});
    this.#zip.on('error', (error) => this.#failure.reject(error));
  }

  /** The bytes of the ZIP. It ends after `end`. */
  get content(): AsyncIterable<Uint8Array> {
    return Readable.from(this.#zip.outputStream);
  }

  /** Writes a file of text. */
  addText(path: string, parts: AsyncIterable<string> | Iterable<string>): Promise<void> {
    return this.addBytes(path, encode(parts), { compress: true });
  }

  /** Writes a file. @param compress false for bytes of any format */
  async addBytes(path: string, content: AsyncIterable<Uint8Array>, { compress = false } = {}): Promise<void> {
    const digest = createHash('sha256');
    let size = 0;
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const stream = Readable.from(
      (async function* () {
        for await (const chunk of content) {
          digest.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    stream.once('end', resolve).once('error', reject);
    this.#zip.addReadStream(stream, path, { mtime: MTIME, mode: MODE, compress });
    await Promise.race([ended, this.#failure.promise]);
    this.files.push({ path, size, sha256: digest.digest('hex') });
  }

  /** Writes the manifest or what proves it, which the manifest does not list. */
  addUnlisted(path: string, bytes: Buffer): void {
    const stream = Readable.from([bytes], { objectMode: false });
    this.#zip.addReadStream(stream, path, { mtime: MTIME, mode: MODE, compress: false });
  }

  end(): void {
    this.#zip.end();
  }

  destroy(error: Error): void {
    this.#failure.reject(error);
    const { outputStream } = this.#zip;
    if (outputStream instanceof Readable) outputStream.destroy(error);
  }
}

async function* encode(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
