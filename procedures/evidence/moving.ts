import { ApiError } from '../../entities/api-error.ts';
import { STORES } from '../../entities/file/file.ts';
import type { StoreName } from '../../entities/file/file.ts';
import { findFile, keysWithoutFile, moveFile, pageFilesElsewhere } from '../../entities/file/statements.ts';
import type { FileRow } from '../../entities/file/statements.ts';
import type { AnySession } from '../core/context.ts';
import { MissingBytesError } from '../core/storage.ts';
import type { Storage } from '../core/storage.ts';
import { KEYS_AT_ONCE, inGroups, keyLists } from './verification.ts';

/** Milliseconds after which a step of the move ends. */
const STEP_MS = 5000;
const FILES_AT_ONCE = 20;

/**
 * Moves files to the store of today, for some seconds. A file is readable all the time: its row names the store in which it is
 * complete. What a killed step leaves is put again, or removed by `removeMoved`.
 * @returns number of moved files, and true after the last one
 */
export async function moveFiles(session: AnySession, storage: Storage): Promise<{ moved: number; isDone: boolean }> {
  const end = performance.now() + STEP_MS;
  let moved = 0;
  while (performance.now() < end) {
    const files = await session.run(pageFilesElsewhere, { store: storage.current, limit: FILES_AT_ONCE });
    if (files.length === 0) return { moved, isDone: true };
    for (const file of files) if (await move(session, storage, file)) moved += 1;
  }
  return { moved, isDone: false };
}

/** @returns false if the file was removed or moved meanwhile. @throws ApiError 422 if its store has other bytes than it should */
async function move(session: AnySession, storage: Storage, file: FileRow): Promise<boolean> {
  const { company, uniqueId, store: from, size, sha256 } = file;
  const damaged = (cause?: unknown) =>
    new ApiError('unprocessable', `file ${company}/${uniqueId}: its bytes in ${from} are missing or different`, {
      cause,
    });
  const bytes = storage.store(from).read(file, { start: 0, end: size - 1 });
  const spooled = await storage.spool(bytes, size).catch((error: unknown) => {
    throw error instanceof MissingBytesError ? damaged(error) : error;
  });
  const to = storage.current;
  try {
    if (spooled.sha256 !== sha256) throw damaged();
    await storage.store(to).put({ company, uniqueId }, spooled);
  } finally {
    await storage.discard(spooled);
  }
  const operator = session.asOperator(company);
  if ((await operator.first(moveFile, { uniqueId, from, to })) !== undefined) return true;
  // Another process may have moved it: then the copy is the file.
  if ((await operator.first(findFile, { uniqueId }))?.store !== to)
    await storage.store(to).delete({ company, uniqueId });
  return false;
}

/** Removes the bytes of files that are complete in another store. @returns their number */
export async function removeMoved(session: AnySession, storage: Storage): Promise<number> {
  let removed = 0;
  for (const store of STORES.filter((name) => name !== storage.current && storage.has(name)))
    removed += await removeMovedFrom(session, storage, store);
  return removed;
}

async function removeMovedFrom(session: AnySession, storage: Storage, store: StoreName): Promise<number> {
  let removed = 0;
  for await (const keys of inGroups(storage.store(store).list(), KEYS_AT_ONCE)) {
    const elsewhere = await session.run(keysWithoutFile, { store, ...keyLists(keys) });
    for (const key of elsewhere.filter(({ isElsewhere }) => isElsewhere)) {
      await storage.store(store).delete(key);
      removed += 1;
    }
  }
  return removed;
}
