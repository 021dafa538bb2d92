import { ApiError } from '../../entities/api-error.ts';
import { STORES } from '../../entities/file/file.ts';
import type { Location } from '../../entities/file/file.ts';
import {
  findFile,
  forgetPlace,
  keysWithoutFile,
  listFormerPlaces,
  moveFile,
  pageFilesElsewhere,
} from '../../entities/file/statements.ts';
import type { FileRow } from '../../entities/file/statements.ts';
import type { AnySession } from '../core/context.ts';
import { DamagedFileError, currentLocation, verifiedBytes } from '../core/storage.ts';
import type { Storage } from '../core/storage.ts';
import { KEYS_AT_ONCE, inGroups, keyLists } from './verification.ts';

/** Milliseconds after which a step of the move ends. */
const STEP_MS = 5000;
const FILES_AT_ONCE = 20;

/**
 * Moves files to the present store and place, for some seconds. A file is readable all the time: its row names where it is
 * complete. Bytes that a killed step leaves are put again, or removed by `removeMoved`.
 * @returns number of moved files, and true after the last one
 */
export async function moveFiles(session: AnySession, storage: Storage): Promise<{ moved: number; isDone: boolean }> {
  const end = performance.now() + STEP_MS;
  let moved = 0;
  while (performance.now() < end) {
    const files = await session.run(pageFilesElsewhere, { ...currentLocation(storage), limit: FILES_AT_ONCE });
    if (files.length === 0) return { moved, isDone: true };
    for (const file of files) if (await move(session, storage, file)) moved += 1;
  }
  return { moved, isDone: false };
}

/** @returns false if the file was removed or moved meanwhile. @throws ApiError 422 if its store has other bytes than it should */
async function move(session: AnySession, storage: Storage, file: FileRow): Promise<boolean> {
  const { company, uniqueId, store: from, place: fromPlace, size, sha256 } = file;
  const bytes = storage.store(from, fromPlace).read(file, { start: 0, end: size - 1 });
  const spooled = await storage.spool(verifiedBytes(bytes, sha256), size).catch((error: unknown) => {
    if (!(error instanceof DamagedFileError)) throw error;
    const message = `file ${company}/${uniqueId}: its bytes in ${fromPlace ?? from} are missing or different`;
    throw new ApiError('unprocessable', message, { cause: error });
  });
  const to = currentLocation(storage);
  const target = storage.store(to.store, to.place);
  try {
    await target.put({ company, uniqueId }, spooled);
  } finally {
    await storage.discard(spooled);
  }
  const operator = session.asOperator(company);
  if ((await operator.first(moveFile, { uniqueId, from, fromPlace, ...to })) !== undefined) return true;
  // Another process may have moved it: then the copy is the file.
  const now = await operator.first(findFile, { uniqueId });
  if (now?.store !== to.store || now.place !== to.place) await target.delete({ company, uniqueId });
  return false;
}

/** Stores and places that this process reaches; the first is the present one. */
export async function reachableLocations(session: AnySession, storage: Storage): Promise<Location[]> {
  const current = currentLocation(storage);
  const stores = STORES.filter((store) => storage.has(store)).map((store) => ({
    store,
    place: store === 's3' ? (storage.place ?? null) : null,
  }));
  const former = storage.has('s3') ? await session.run(listFormerPlaces, {}) : [];
  const others = [...stores, ...former.map(({ place }) => ({ store: 's3' as const, place }))];
  return [current, ...others.filter((one) => !isSame(one, current))];
}

const isSame = (one: Location, other: Location) => one.store === other.store && one.place === other.place;

/** Removes the bytes of files that are complete in another place. @returns their number */
export async function removeMoved(session: AnySession, storage: Storage): Promise<number> {
  let removed = 0;
  const [, ...others] = await reachableLocations(session, storage);
  for (const location of others) removed += await removeMovedFrom(session, storage, location);
  return removed;
}

async function removeMovedFrom(session: AnySession, storage: Storage, location: Location): Promise<number> {
  const store = storage.store(location.store, location.place);
  let removed = 0;
  for await (const keys of inGroups(store.list(), KEYS_AT_ONCE)) {
    const elsewhere = await session.run(keysWithoutFile, { ...location, ...keyLists(keys) });
    for (const key of elsewhere.filter(({ isElsewhere }) => isElsewhere)) {
      await store.delete(key);
      removed += 1;
    }
  }
  if (location.place !== null) await session.run(forgetPlace, { place: location.place });
  return removed;
}
