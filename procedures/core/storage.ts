import { createHash } from 'node:crypto';
import type { Location, StoreName } from '../../entities/file/file.ts';

/** Largest size of a file in bytes that EVIDENCE_MAX_BYTES can permit: the maximum of an `integer` of PostgreSQL. */
export const LARGEST_FILE_BYTES = 2_147_483_647;
/** Maximum size of a file in bytes, unless EVIDENCE_MAX_BYTES sets another. */
export const DEFAULT_MAX_FILE_BYTES = 50 * 1024 * 1024;

/** Name of a file in every store. It is new for each upload, so a store never has two contents for it. */
export interface FileKey {
  company: number;
  uniqueId: string;
}

/** A received file on the disk of this process. */
export interface SpooledFile {
  path: string;
  size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  sha256: string;
}

/** A range of bytes, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A store does not have the bytes of a file that it must have. */
export class DamagedFileError extends Error {}

/** The store has fewer bytes, or none. */
export class MissingBytesError extends DamagedFileError {}

/** The store has other bytes than the digest says. */
export class DifferentBytesError extends DamagedFileError {}

/**
 * Yields the bytes of a whole file, and the last of them only if all have the digest: nobody takes other bytes for the file. It holds one
 * chunk in memory.
 * @param sha256 in hexadecimal digits
 * @throws DifferentBytesError
 */
export async function* verifiedBytes(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    if (last !== undefined) yield last;
    digest.update(chunk);
    last = chunk;
  }
  const actual = digest.digest('hex');
  if (actual !== sha256)
    throw new DifferentBytesError(`file: expected bytes with the SHA-256 ${sha256} in the store; it has ${actual}`);
  if (last !== undefined) yield last;
}

/** The store for new files. */
export const currentLocation = ({ current, place }: Pick<Storage, 'current' | 'place'>): Location => ({
  store: current,
  place: current === 's3' ? (place ?? null) : null,
});

/** Keeps the bytes of files. Every method throws an ApiError 503 `unavailable` if the store does not respond. */
export interface FileStore {
  /** Resolves once the store has acknowledged the whole file. May be repeated. It may take the file from its path. */
  put(key: FileKey, file: SpooledFile): Promise<void>;
  /** Yields the bytes of a range. @throws MissingBytesError */
  read(key: FileKey, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Deletes a file. A missing one is not an error. */
  delete(key: FileKey): Promise<void>;
  /** Lists all files in the store, of all companies, in no particular order. */
  list(): AsyncIterable<FileKey>;
}

/** The stores of this process, and the limits of files. */
export interface Storage {
  /** Store for new files. */
  current: StoreName;
  /** URL of the S3-compatible storage, if this process has one. */
  endpoint?: string | undefined;
  /** Its present bucket and prefix, as `bucket/prefix/`. */
  place?: string | undefined;
  /** True if this process reaches the store. */
  has(name: StoreName): boolean;
  /**
   * @param place bucket and prefix in S3; by default the present ones
   * @throws ApiError 503 `unavailable` if this process has no such store, which names the setting
   */
  store(name: StoreName, place?: string | null): FileStore;
  /** Maximum size of a file in bytes: `EVIDENCE_MAX_BYTES`. */
  maxBytes: number;
  /** Maximum bytes of all evidence of a company, and of all its proofs: `EVIDENCE_QUOTA_BYTES`. Equal bytes count once. */
  quotaBytes: number;
  /**
   * Writes content to the disk of this process, and hashes it on the way. The caller removes the file with `discard`.
   * @throws ApiError 413 if it is larger than `maxBytes`; nothing is kept then
   */
  spool(content: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<SpooledFile>;
  /** Removes a spooled file, if it is still there. */
  discard(file: SpooledFile): Promise<void>;
}
