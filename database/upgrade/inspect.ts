import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from 'pg';
import versions from '../../migrations/versions.json' with { type: 'json' };
import type { DataVersionRow } from '../../entities/version/data-version.ts';
import { MIGRATIONS_DIR, appliedMigrations, knownMigrations } from '../orm/migrations.ts';
import type { RunQuery } from '../orm/migrations.ts';
import { VERSION, isOlder } from '../version.ts';

/** Data on which this version cannot run. The message is one line. */
export class IncompatibleDataError extends Error {}

/** Data of a newer version that this one cannot run on. */
export class NewerDataError extends IncompatibleDataError {}

/** Data on which this version can run. */
export interface Data {
  /** Version of the data. Those without a record of their version are of the first version. */
  version: string;
  /** Names of the migrations that are not applied. */
  pending: string[];
  /** True if an upgrade has begun and not ended. */
  isInterrupted: boolean;
}

const [FIRST_VERSION = ''] = Object.keys(versions);
const UNDEFINED_TABLE = '42P01';

/**
 * Compares the data with this version. Writes nothing.
 * @throws IncompatibleDataError if this version cannot run on them
 */
export async function inspectData(query: RunQuery): Promise<Data> {
  const recorded = await readRecordedVersion(query);
  if (recorded !== undefined) requireRunnable(recorded);
  const version = recorded?.data ?? FIRST_VERSION;
  const applied = await appliedMigrations(query);
  const pending = (await knownMigrations()).filter((name) => !applied.has(name)).toSorted();
  const foreign = await existingTables(query, await createdTables(pending));
  if (foreign.length > 0) {
    const names = `${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ` and ${foreign.length - 3} more` : ''}`;
    throw new IncompatibleDataError(
      `contains tables that no version of this service created (${names}); use another one, or move them away`,
    );
  }
  const last = new Map(Object.entries(versions)).get(version);
  const isBegun = last !== undefined && [...applied].some((name) => name > last);
  return { version, pending, isInterrupted: isBegun && pending.length > 0 };
}

/** @throws NewerDataError if this version is older than the oldest one that can run on the data */
export function requireRunnable({ data, oldest }: DataVersionRow): void {
  if (isOlder(VERSION, oldest))
    throw new NewerDataError(
      `contains data of version ${data}, and the oldest version that can run on them is ${oldest}; this is ${VERSION}`,
    );
}

/** Returns undefined for data without tables, or of the first version. */
async function readRecordedVersion(query: RunQuery): Promise<DataVersionRow | undefined> {
  const text = 'select data, oldest from data_version';
  const { rows } = await query('data-version.inspect', text).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return { rows: [] };
    throw error;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement selects these columns
  return rows[0] as DataVersionRow | undefined;
}

/** Names of the tables that migrations create. The text after `down` creates those that the migration dropped. */
async function createdTables(migrations: readonly string[]): Promise<string[]> {
  const files = await Promise.all(migrations.map((name) => readFile(join(MIGRATIONS_DIR, `${name}.ts`), 'utf8')));
  return files.flatMap((text) => {
    const [up = ''] = text.split('override down');
    return [...up.matchAll(/create table "(\w+)"/g)].map(([, name = '']) => name);
  });
}

async function existingTables(query: RunQuery, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const list = names.map((name) => `'${name}'`).join(', ');
  const text = `select tablename from pg_tables where schemaname = 'public' and tablename in (${list}) order by 1`;
  const { rows } = await query(`tables.${names.length}`, text);
  return rows.map((row) => String(row['tablename']));
}
