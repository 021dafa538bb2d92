import type { RemovedFiles } from '../../database/erase/erase-company.ts';
import type { Session } from '../../database/session.ts';
import { deleteFile, hasFiles, takeErasedFiles, takeUnusedFiles } from '../../entities/file/statements.ts';
import { unlessFrozen } from '../core/frozen.ts';
import type { AnySession } from '../core/context.ts';
import type { StoredFile } from '../../entities/file/statements.ts';
import type { Storage } from '../core/storage.ts';
import type { IntervalJob } from '../jobs/job.ts';
import { storageOf } from './upload.ts';

/** Milliseconds after which a step of an erase ends. */
const ERASE_STEP_MS = 1000;

/** Removes the bytes of files that nothing uses, and of uploads that no process continues. Contract, section 19. */
export const fileRemoval: IntervalJob = {
  kind: 'interval',
  name: 'remove-files',
  failure: 'files: removing unused ones failed',
  intervalMs: 10_000,
  needs: 'storage',
  run: async (session, { storage: opened, signal, warn }) => {
    const storage = storageOf({ storage: opened });
    /** Places whose store failed in this run. It may have waited for long, and files elsewhere need not wait for the next attempt. */
    const failed = new Set<string>();
    while (failed.size === 0) {
      // `evidence move` removes those in a former place: after a restore with a copy of the objects, the originals are there.
      const files = await session.run(takeUnusedFiles, { place: storage.place ?? null });
      for (const file of files) {
        if (signal.aborted) return;
        const place = `${file.store} ${file.place ?? ''}`;
        if (failed.has(place)) continue;
        await unlessFrozen(removeFile(session, storage, file)).catch((error: unknown) => {
          failed.add(place);
          warn(error, 'files: removing one failed; it is tried again');
        });
      }
      if (files.length === 0) return;
    }
  },
};

/** Removes files of a company that is being erased, for some seconds. */
export async function removeErasedFiles(session: Session, storage: Storage): Promise<RemovedFiles> {
  const end = performance.now() + ERASE_STEP_MS;
  let removed = 0;
  while (performance.now() < end) {
    const files = await session.run(takeErasedFiles, {});
    if (files.length === 0)
      return { removed, state: (await session.one(hasFiles, {})).exists ? 'in use' : 'none left' };
    for (const file of files) {
      await removeFile(session, storage, file);
      removed += 1;
      if (performance.now() >= end) break;
    }
  }
  return { removed, state: 'more' };
}

/** Removes the bytes, then the row: a file without a row would never be found. */
async function removeFile(
  session: AnySession,
  storage: Storage,
  { company, uniqueId, store, place }: StoredFile,
): Promise<void> {
  await storage.store(store, place).delete({ company, uniqueId });
  await session.asOperator(company).run(deleteFile, { uniqueId });
}
