import type { AnySession } from '../core/context.ts';
import type { Location } from '../../entities/file/file.ts';
import {
  findFile,
  keysWithoutFile,
  listEvidenceOfFile,
  listProofsOfFile,
  pageStoredFiles,
} from '../../entities/file/statements.ts';
import type { EvidenceOfFile, FileRow } from '../../entities/file/statements.ts';
import { DifferentBytesError, MissingBytesError, verifiedBytes } from '../core/storage.ts';
import type { FileKey, FileStore, Storage } from '../core/storage.ts';

/** Milliseconds after which a page of the verification ends. */
const PAGE_MS = 5000;
const FILES_AT_ONCE = 100;
/** Keys of a store that one statement compares with the files. */
export const KEYS_AT_ONCE = 1000;

/** Defect of a file: its store lacks it or has other bytes, or has bytes that no file refers to. */
export interface Problem extends FileKey, Location {
  problem: 'missing' | 'different' | 'too many';
  /** The objects that have the file; empty for surplus bytes. */
  evidence: EvidenceOfFile[];
  /** uniqueIds of proofs. */
  proofs: string[];
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
    if (problem !== undefined && (await isStill(session, row))) {
      const { company, uniqueId, store, place } = row;
      const operator = session.asOperator(company);
      const evidence = await operator.run(listEvidenceOfFile, { uniqueId });
      const proofs = (await operator.run(listProofsOfFile, { uniqueId })).map((proof) => proof.uniqueId);
      result.problems.push({ company, uniqueId, store, place, problem, evidence, proofs });
    }
    result.files += 1;
    result.bytes += row.size;
    result.next = { afterCompany: row.company, afterId: row.uniqueId };
    if (performance.now() > end) return result;
  }
  return rows.length < FILES_AT_ONCE ? { ...result, next: null } : result;
}

async function verifyFile(storage: Storage, file: FileRow): Promise<Problem['problem'] | undefined> {
  const bytes = storage.store(file.store, file.place).read(file, { start: 0, end: file.size - 1 });
  try {
    for await (const _ of verifiedBytes(bytes, file.sha256)) continue;
  } catch (error) {
    if (error instanceof DifferentBytesError) return 'different';
    if (error instanceof MissingBytesError) return 'missing';
    throw error;
  }
  return undefined;
}

/** False if the file was removed or moved while it was read. */
async function isStill(session: AnySession, { company, uniqueId, store, place }: FileRow): Promise<boolean> {
  const now = await session.asOperator(company).first(findFile, { uniqueId });
  return now?.store === store && now.place === place && now.state === 'stored';
}

/** Lists the surplus bytes of a store, which belong to no file in it. */
export async function findUnknown(session: AnySession, storage: Storage, location: Location): Promise<Problem[]> {
  const problems: Problem[] = [];
  const store = storage.store(location.store, location.place);
  for await (const keys of inGroups(store.list(), KEYS_AT_ONCE)) {
    const unknown = await session.run(keysWithoutFile, { ...location, ...keyLists(keys) });
    for (const { company, uniqueId } of unknown)
      // A file that was removed after it was listed is gone from the store too.
      if (await exists(store, { company, uniqueId }))
        problems.push({ company, uniqueId, ...location, problem: 'too many', evidence: [], proofs: [] });
  }
  return problems;
}

/** Keys as parameters of a statement. */
export const keyLists = (keys: readonly FileKey[]) => ({
  companies: keys.map(({ company }) => company),
  ids: keys.map(({ uniqueId }) => uniqueId),
});

async function exists(store: FileStore, key: FileKey): Promise<boolean> {
  try {
    for await (const _ of store.read(key, { start: 0, end: 1 })) return true;
  } catch (error) {
    if (!(error instanceof MissingBytesError)) throw error;
  }
  return false;
}

/** Groups the keys that arrive. */
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
