import type { Database } from '../database.ts';
import { lockDataVersion, raiseOldest } from '../../entities/version/statements.ts';
import { ApiError } from '../../entities/api-error.ts';
import { isOlder } from '../version.ts';

/** Oldest version that runs on the data of a database, as far as this process knows. It never decreases. */
const oldestVersions = new WeakMap<Database, string>();

/**
 * Excludes versions before `version` from the data, for the first use of what only newer code keeps.
 * @throws ApiError 503 while a process of an older version runs
 */
export async function requireVersion(database: Database, version: string): Promise<void> {
  if (!isOlder(oldestVersions.get(database) ?? '', version)) return;
  const older = await database.transaction(async (runner) => {
    const [locked] = await runner.run(lockDataVersion, {}, {});
    if (locked !== undefined && !isOlder(locked.oldest, version)) return null;
    const [raised] = await runner.run(raiseOldest, { version }, {});
    return raised?.older ?? null;
  });
  if (older !== null)
    throw new ApiError('unavailable', `A process of version ${older} runs, and this needs version ${version}.`);
  oldestVersions.set(database, version);
}
