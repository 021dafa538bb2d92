import { deleteFile, takeUnusedFiles } from '../../entities/file/statements.ts';
import type { AnySession } from '../core/context.ts';
import type { StoredFile } from '../../entities/file/statements.ts';
import type { Storage } from '../core/storage.ts';
import type { IntervalJob } from '../jobs/job.ts';
import { storageOf } from './upload.ts';

/** Removes the bytes of files that nothing uses, and of uploads that no process continues. Contract, section 19. */
export const fileRemoval: IntervalJob = {
  kind: 'interval',
  name: 'remove-files',
  failure: 'files: removing unused ones failed',
  intervalMs: 10_000,
  needs: 'storage',
  run: async (session, { storage: opened, signal, warn }) => {
    const storage = storageOf({ storage: opened });
    for (;;) {
      const files = await session.run(takeUnusedFiles, {});
      for (const file of files) {
        if (signal.aborted) return;
        await removeFile(session, storage, file).catch((error: unknown) =>
          warn(error, 'files: removing one failed; it is tried again'),
        );
      }
      if (files.length === 0) return;
    }
  },
};

/** Removes the bytes, then the row: a file without a row would never be found. */
async function removeFile(
  session: AnySession,
  storage: Storage,
  { company, uniqueId, store }: StoredFile,
): Promise<void> {
  await storage.store(store).delete({ company, uniqueId });
  await session.asOperator(company).run(deleteFile, { uniqueId });
}
