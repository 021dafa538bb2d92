import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { FixtureRecord } from './record.ts';

/** Size that the dump of a fixture may have, before it is packed. */
export const MAX_DUMP_BYTES = 500_000;
/** Folder of the fixtures, with one folder for each version. */
export const FIXTURES_DIR = join(import.meta.dirname, '..', 'fixtures');

const pathOf = (version: string, name: string) => join(FIXTURES_DIR, version, `${name}.gz`);

async function read(version: string, name: string): Promise<string> {
  return (await promisify(gunzip)(await readFile(pathOf(version, name)))).toString('utf8');
}

async function write(version: string, name: string, text: string): Promise<void> {
  await writeFile(pathOf(version, name), await promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }));
}

/** Reads the SQL of a version's schema and data. */
export const readDump = (version: string): Promise<string> => read(version, 'dump.sql');

export const readRecord = async (version: string): Promise<FixtureRecord> =>
  JSON.parse(await read(version, 'record.json')) as FixtureRecord;

/**
 * Writes a fixture into the folder of its version, packed: nobody scrolls its thousands of lines in a review or a search.
 * @throws Error if the dump is too large
 */
export async function writeFixture(dump: string, record: FixtureRecord): Promise<void> {
  const bytes = Buffer.byteLength(dump);
  if (bytes > MAX_DUMP_BYTES) throw new Error(`dump: expected at most ${MAX_DUMP_BYTES} bytes, not ${bytes}`);
  await write(record.version, 'dump.sql', dump);
  await write(record.version, 'record.json', `${JSON.stringify(record, null, 1)}\n`);
}
