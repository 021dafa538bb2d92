import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUniqueId } from '../../../entities/ids.ts';
import type { FileKey, FileStore, SpooledFile } from '../../../procedures/core/storage.ts';

/** A received file with its content. */
export interface TestFile extends SpooledFile {
  bytes: Buffer;
}

/** Writes a file with random content, as the spool does. */
export async function spooledFile(folder: string, size: number): Promise<TestFile> {
  const bytes = randomBytes(size);
  const path = join(folder, newUniqueId());
  await writeFile(path, bytes);
  return { path, size, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}

export const newKey = (company = 1): FileKey => ({ company, uniqueId: newUniqueId() });

/** Reads a range; by default the first bytes of a length. */
export async function readBytes(store: FileStore, key: FileKey, range: number | { start: number; end: number }) {
  const chunks: Uint8Array[] = [];
  const { start, end } = typeof range === 'number' ? { start: 0, end: range - 1 } : range;
  for await (const chunk of store.read(key, { start, end })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Ids of the files of a company in a store. */
export async function storedIds(store: FileStore, company = 1): Promise<string[]> {
  const ids: string[] = [];
  for await (const key of store.list()) if (key.company === company) ids.push(key.uniqueId);
  return ids.toSorted();
}

/** Yields parts. */
export async function* partsOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
