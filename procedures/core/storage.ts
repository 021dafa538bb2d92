import type { StoreName } from '../../entities/file/file.ts';

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

/** A store has fewer bytes than it must have. */
export class MissingBytesError extends Error {}

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
  /** URL of the bucket with its prefix, if this process has one. */
  bucket?: string | undefined;
  /** True if this process reaches the store. */
  has(name: StoreName): boolean;
  /** @throws ApiError 503 `unavailable` if this process has no such store, which names the setting */
  store(name: StoreName): FileStore;
  /** Maximum size of a file in bytes: `EVIDENCE_MAX_BYTES`. */
  maxBytes: number;
  /** Maximum bytes of all files of a company: `EVIDENCE_QUOTA_BYTES`. Equal bytes count once. */
  quotaBytes: number;
  /**
   * Writes content to the disk of this process, and hashes it on the way. The caller removes the file with `discard`.
   * @throws ApiError 413 if it is larger than `maxBytes`; nothing is kept then
   */
  spool(content: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<SpooledFile>;
  /** Removes a spooled file, if it is still there. */
  discard(file: SpooledFile): Promise<void>;
}
