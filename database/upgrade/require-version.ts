import type { Database } from '../database.ts';
import type { StatementRunner } from '../statement-runner.ts';
import { lockDataVersion, raiseOldest, readDataVersion } from '../../entities/version/data-version.ts';
import { ApiError } from '../../entities/api-error.ts';
import { isOlder } from '../version.ts';

/** Oldest version that runs on the data of a database, as far as this process knows. It never decreases. */
const oldestVersions = new WeakMap<Database, string>();

/**
 * Excludes versions before `version` from the data, for the first use of what only newer code keeps.
 * @param transaction that the use belongs to, if it has begun: the exclusion is committed with it
 * @throws ApiError 503 while a process of an older version runs
 */
export async function requireVersion(
  database: Database,
  version: string,
  transaction?: StatementRunner,
): Promise<void> {
  if (!isOlder(oldestVersions.get(database) ?? '', version)) return;
  const older = await (transaction === undefined
    ? database.transaction((runner) => raise(runner, version))
    : raise(transaction, version));
  if (older !== null)
    throw new ApiError('unavailable', `A process of version ${older} runs, and this needs version ${version}.`);
  if (transaction === undefined) oldestVersions.set(database, version);
}

/** Raises the oldest version, if it is older. Returns the version of a process that prevents it. */
async function raise(runner: StatementRunner, version: string): Promise<string | null> {
  const [current] = await runner.run(readDataVersion, {}, {});
  if (current !== undefined && !isOlder(current.oldest, version)) return null;
  await runner.run(lockDataVersion, {}, {});
  const [raised] = await runner.run(raiseOldest, { version }, {});
  return raised?.older ?? null;
}
