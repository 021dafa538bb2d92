import { createHash } from 'node:crypto';
import type { AnySession } from '../core/context.ts';
import type { StoreName } from '../../entities/file/file.ts';
import { findFile, keysWithoutFile, pageStoredFiles } from '../../entities/file/statements.ts';
import type { FileRow } from '../../entities/file/statements.ts';
import { MissingBytesError } from '../core/storage.ts';
import type { FileKey, Storage } from '../core/storage.ts';

/** Milliseconds after which a page of the verification ends. */
const PAGE_MS = 5000;
const FILES_AT_ONCE = 100;
/** Keys of a store that one statement compares with the files. */
export const KEYS_AT_ONCE = 1000;

/** Defect of a file: its store lacks it or has other bytes, or has bytes that no file refers to. */
export interface Problem extends FileKey {
  store: StoreName;
  problem: 'missing' | 'different' | 'too many';
}

/** Position in the stored files, by company and id. */
export interface Position {
  afterCompany: number;
  afterId: string;
}

interface Verified {
  files: number;
  bytes: number;
  problems: Problem[];
  /** Null after the last file. */
  next: Position | null;
}

/** Reads the files after a position, for some seconds, and compares size and SHA-256. */
export async function verifyFiles(session: AnySession, storage: Storage, position: Position): Promise<Verified> {
  const result: Verified = { files: 0, bytes: 0, problems: [], next: position };
  const end = performance.now() + PAGE_MS;
  const rows = await session.run(pageStoredFiles, { ...position, limit: FILES_AT_ONCE });
  for (const row of rows) {
    const problem = await verifyFile(storage, row);
    if (problem !== undefined && (await isStill(session, row)))
      result.problems.push({ company: row.company, uniqueId: row.uniqueId, store: row.store, problem });
    result.files += 1;
    result.bytes += row.size;
    result.next = { afterCompany: row.company, afterId: row.uniqueId };
    if (performance.now() > end) return result;
  }
  return rows.length < FILES_AT_ONCE ? { ...result, next: null } : result;
}

async function verifyFile(storage: Storage, file: FileRow): Promise<Problem['problem'] | undefined> {
  const digest = createHash('sha256');
  const store = storage.store(file.store);
  try {
    for await (const bytes of store.read(file, { start: 0, end: file.size - 1 })) digest.update(bytes);
  } catch (error) {
    if (error instanceof MissingBytesError) return 'missing';
    throw error;
  }
  return digest.digest('hex') === file.sha256 ? undefined : 'different';
}

/** False if the file was removed or moved while it was read. */
async function isStill(session: AnySession, { company, uniqueId, store }: FileRow): Promise<boolean> {
  const now = await session.asOperator(company).first(findFile, { uniqueId });
  return now?.store === store && now.state === 'stored';
}

/** Lists what a store has too many: bytes that belong to no file in it. */
export async function findUnknown(session: AnySession, storage: Storage, store: StoreName): Promise<Problem[]> {
  const problems: Problem[] = [];
  for await (const keys of inGroups(storage.store(store).list(), KEYS_AT_ONCE)) {
    const unknown = await session.run(keysWithoutFile, { store, ...keyLists(keys) });
    for (const { company, uniqueId } of unknown)
      // A file that was removed after it was listed is gone from the store too.
      if (await exists(storage, store, { company, uniqueId }))
        problems.push({ company, uniqueId, store, problem: 'too many' });
  }
  return problems;
}

/** Keys as parameters of a statement. */
export const keyLists = (keys: readonly FileKey[]) => ({
  companies: keys.map(({ company }) => company),
  ids: keys.map(({ uniqueId }) => uniqueId),
});

async function exists(storage: Storage, store: StoreName, key: FileKey): Promise<boolean> {
  try {
    for await (const _ of storage.store(store).read(key, { start: 0, end: 1 })) return true;
  } catch (error) {
    if (!(error instanceof MissingBytesError)) throw error;
  }
  return false;
}

/** Groups what arrives. */
export async function* inGroups<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let group: Item[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
