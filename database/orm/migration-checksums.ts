import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_DIR, knownMigrations } from './migrations.ts';

const CHECKSUMS_FILE = join(MIGRATIONS_DIR, 'checksums.json');

/** SHA-256 of each migration file by name, in hexadecimal digits. */
export type MigrationChecksums = Record<string, string>;

/** Reads the recorded checksums. */
export async function recordedChecksums(): Promise<MigrationChecksums> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this module writes the file
  return JSON.parse(await readFile(CHECKSUMS_FILE, 'utf8')) as MigrationChecksums;
}

/** Computes the checksums of the current files. */
export async function currentChecksums(): Promise<MigrationChecksums> {
  const names = (await knownMigrations()).toSorted();
  const files = await Promise.all(names.map((name) => readFile(join(MIGRATIONS_DIR, `${name}.ts`), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, hash('sha256', files[index] ?? '')]));
}

/**
 * Records the checksums of new migrations. It never changes a recorded one, because an applied migration must not change.
 * To edit a migration before its release, remove its line from the file and run `npm run migration:checksum`.
 */
export async function addMissingChecksums(): Promise<void> {
  const checksums = { ...(await currentChecksums()), ...(await recordedChecksums()) };
  await writeFile(CHECKSUMS_FILE, `${JSON.stringify(checksums, null, 2)}\n`);
}

/** Describes each migration that is changed, new or missing compared to the recorded checksums. */
export function checksumErrors(recorded: MigrationChecksums, current: MigrationChecksums): string[] {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(current)])].toSorted();
  return names.flatMap((name) => {
    if (current[name] === recorded[name]) return [];
    if (recorded[name] === undefined)
      return [`${name}: expected a checksum in migrations/checksums.json; run npm run migration:checksum`];
    const change = current[name] === undefined ? 'deleted' : 'changed';
    return [`${name}: must not be ${change} after its release; add a new migration instead (npm run migration:create)`];
  });
}
