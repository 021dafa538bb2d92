import { setInterval } from 'node:timers';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { FilePurpose } from '../../entities/file/file.ts';
import { abandonUpload, deleteFile, startFile, touchUpload } from '../../entities/file/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { currentLocation } from '../core/storage.ts';
import type { SpooledFile, Storage } from '../core/storage.ts';

/** Milliseconds between two signs that an upload continues. `UNUSED_SECONDS` of `entities/file/statements.ts` is a multiple. */
const SIGN_INTERVAL_MS = 5000;

/**
 * Puts a file into the present store, where it waits for `takeFile`. An error removes what was kept.
 * @returns uniqueId of the file
 */
export async function putFile(
  session: Session,
  storage: Storage,
  file: SpooledFile,
  purpose: FilePurpose,
): Promise<string> {
  const { size, sha256 } = file;
  const uniqueId = newUniqueId();
  const location = currentLocation(storage);
  await session.run(startFile, { uniqueId, ...location, size, sha256, purpose });
  const sign = setInterval(() => {
    session.run(touchUpload, { uniqueId }).catch(() => {}); // the next one may succeed
  }, SIGN_INTERVAL_MS);
  const store = storage.store(location.store, location.place);
  const key = { company: session.principal.company, uniqueId };
  try {
    await store.put(key, file);
    if ((await session.first(touchUpload, { uniqueId })) === undefined) throw removedBeforeUse();
    return uniqueId;
  } catch (error) {
    if (await abandon(session, storage, uniqueId)) throw error;
    // This process had paused, and a job removed the upload. Nothing else finds bytes that arrive after that.
    await store.delete(key);
    throw removedBeforeUse();
  } finally {
    clearInterval(sign);
  }
}

export const removedBeforeUse = () =>
  new ApiError('unavailable', 'The file was removed before it was used. Send it again.', { retryAfter: 1 });

/** Removes an upload that nothing uses. After an error a job removes it. @returns false if it is in use, or was removed */
export async function abandon(session: Session, storage: Storage, uniqueId: string): Promise<boolean> {
  try {
    const abandoned = await session.first(abandonUpload, { uniqueId });
    if (abandoned === undefined) return false;
    await storage.store(abandoned.store, abandoned.place).delete({ company: session.principal.company, uniqueId });
    await session.run(deleteFile, { uniqueId });
  } catch {
    // A job finds the file.
  }
  return true;
}
