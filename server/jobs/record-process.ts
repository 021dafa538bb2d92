import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { NewerDataError, requireRunnable } from '../../database/upgrade/inspect.ts';
import { VERSION } from '../../database/version.ts';
import { deleteProcess, readDataVersion, recordProcess } from '../../entities/version/data-version.ts';
import type { DataVersionRow } from '../../entities/version/data-version.ts';
import { ApiError } from '../../entities/api-error.ts';
import { startJob } from './runner.ts';

/** Milliseconds between two signs of life. A process without one for 30 s counts as ended. */
const INTERVAL_MS = 10_000;
const FAILURE = 'process: recording failed';

/** A process that records its signs of life. */
export interface RecordedProcess {
  /** Version of the data at the start. */
  version: DataVersionRow;
  /** Ends the record. */
  stop: () => Promise<void>;
}

/**
 * Records this process and its version in the database, now and then at an interval. A read-only database records it later.
 * @param onNewerData called if a newer version has made the data unusable for this one while the process was silent
 * @throws NewerDataError if this version cannot run on the data
 */
export async function startProcessRecord(
  database: Database,
  log: Pick<Logger, 'warn'>,
  onNewerData: (error: NewerDataError) => void,
  intervalMs = INTERVAL_MS,
): Promise<RecordedProcess> {
  const session = new Session(database, null, 'record-process');
  const recorded = { process: randomUUID(), version: VERSION };
  const record = () => session.one(recordProcess, recorded);
  const version = await record().catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    log.warn({ err: error }, FAILURE);
    return session.one(readDataVersion, {});
  });
  requireRunnable(version);

  const stopJob = startJob(
    {
      kind: 'interval',
      name: 'record-process',
      failure: FAILURE,
      intervalMs,
      startsIdle: true,
      async run() {
        try {
          requireRunnable(await record());
        } catch (error) {
          if (!(error instanceof NewerDataError)) throw error;
          onNewerData(error);
        }
      },
    },
    { database, log },
  );
  const stop = async () => {
    await stopJob();
    await session.run(deleteProcess, recorded).catch((error: unknown) => log.warn({ err: error }, FAILURE));
  };
  return { version, stop };
}
