import type { AnySession } from '../core/context.ts';
import { MissingBytesError } from '../core/storage.ts';
import type { Storage } from '../core/storage.ts';
import { adoptPlace, pageFilesWithoutPlace, recordPlace } from '../../entities/file/statements.ts';
import { ApiError } from '../../entities/api-error.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import type { IntervalJob } from '../jobs/job.ts';
import { storageOf } from './upload.ts';

const FILES_AT_ONCE = 16;
/** Files that one statement adopts. */
const ADOPTED_AT_ONCE = 1000;

/** Records the present bucket and prefix as those of some files. @returns number of files; 0 after the last one */
export async function adoptFiles(session: AnySession, storage: Storage): Promise<number> {
  const { place } = storage;
  if (place === undefined) throw new ApiError('unprocessable', 'STORAGE_URL: expected the bucket with the files');
  return (await session.one(adoptPlace, { place, limit: ADOPTED_AT_ONCE })).adopted;
}

/**
 * Records the bucket and prefix of files that versions before 0.12.0 put into S3: those that are in the present place. A file that is
 * not there is looked for again at the next run, so that a former setting may return.
 */
export const filePlaces: IntervalJob = {
  kind: 'interval',
  name: 'record-file-places',
  failure: 'files: recording the places of earlier ones failed',
  intervalMs: 600_000,
  needs: 'storage',
  run: async (session, { storage: opened, signal }) => {
    const storage = storageOf({ storage: opened });
    if (storage.place !== undefined) await recordPlaces(session, storage, storage.place, signal);
  },
};

async function recordPlaces(session: AnySession, storage: Storage, place: string, signal: AbortSignal): Promise<void> {
  const store = storage.store('s3');
  for (let last = { company: 0, uniqueId: FIRST_ID }; !signal.aborted;) {
    const after = { afterCompany: last.company, afterId: last.uniqueId };
    const files = await session.run(pageFilesWithoutPlace, { ...after, limit: FILES_AT_ONCE });
    await Promise.all(
      files.map(async ({ company, uniqueId, size }) => {
        try {
          for await (const _ of store.read({ company, uniqueId }, { start: size - 1, end: size - 1 })) break;
          await session.asOperator(company).run(recordPlace, { uniqueId, place });
        } catch (error) {
          if (!(error instanceof MissingBytesError)) throw error;
        }
      }),
    );
    const end = files.at(-1);
    if (end === undefined) return;
    last = end;
  }
}
