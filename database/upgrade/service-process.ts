import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import {
  deleteProcess,
  lockDataVersion,
  raiseOldest,
  readDataVersion,
  recordProcess,
} from '../../entities/version/statements.ts';
import type { DataVersionRow } from '../../entities/version/statements.ts';
import { ApiError } from '../../entities/api-error.ts';
import { VERSION, isOlder } from '../version.ts';

/** This process, with its version, in the database. Other processes see which versions run. */
export class ServiceProcess {
  readonly #database: Database;
  readonly #process = randomUUID();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Records a sign of life of this process. Does not record a process that cannot run on the data.
   * @returns the version of the data before
   */
  async record(): Promise<DataVersionRow> {
    const [row] = await this.#database.run(recordProcess, { process: this.#process, version: VERSION }, {});
    if (row === undefined) throw new Error('data_version: expected a row');
    return row;
  }

  async delete(): Promise<void> {
    await this.#database.run(deleteProcess, { process: this.#process }, {});
  }
}

/** Reads the version of the data. */
export async function readVersion(database: Pick<Database, 'run'>): Promise<DataVersionRow> {
  const [row] = await database.run(readDataVersion, {}, {});
  if (row === undefined) throw new Error('data_version: expected a row');
  return row;
}

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
