import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { initTRPC } from '@trpc/server';
import { DatabaseError } from 'pg';
import { z } from 'zod';
import { copyFiles } from '../database/copy/copy-files.ts';
import type { CopiedFiles } from '../database/copy/copy-files.ts';
import { copyRows } from '../database/copy/copy-rows.ts';
import { beginCopy, endCopy } from '../database/copy/unfinished-copy.ts';
import type { Database } from '../database/database.ts';
import { DescribedError, asApiError, errorLine } from '../database/errors.ts';
import { readSecret } from '../database/installation.ts';
import { filesFolder } from '../database/pglite/files-folder.ts';
import { openPglite } from '../database/pglite/open.ts';
import { migrate, openPostgreSql } from '../database/postgresql/open.ts';
import { connectOwner } from '../database/postgresql/owner.ts';
import type { OwnerConnection } from '../database/postgresql/owner.ts';
import { ownerRunner } from '../database/statement-runner.ts';
import { IncompatibleDataError } from '../database/upgrade/inspect.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { copyTables, missingMib } from '../server/backup/upgrade.ts';
import {
  databaseDir,
  lockDataDir,
  recoverDataDir,
  requireSamePostgreSql,
  secretFiles,
  stagingDir,
} from '../server/config/data-dir.ts';
import { DATABASE_URL } from '../server/config/environment.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { Settings } from '../server/config/settings.ts';
import { incompatibleData } from '../server/process/data-errors.ts';
import { brokenTrail, verifyTrails } from './backup.ts';

const Options = z.strictObject({
  to: z.string().meta({ description: 'URL of an empty PostgreSQL database, as its owner' }),
  anyTrail: z.boolean().default(false).meta({ description: 'Copy even if an audit log is not intact' }),
});

/** Result of a copy. It has no secret. */
interface CopyResult extends CopiedFiles {
  /** Rows of each table that has some. */
  rows: Record<string, number>;
  trails: Awaited<ReturnType<typeof verifyTrails>>;
  /** What to set for the service on PostgreSQL. */
  set: Record<string, string>;
}

/** Creates the command that copies the embedded database of a stopped service to PostgreSQL. */
export function databaseCommands(settings: Settings, report: (line: string) => void) {
  const t = initTRPC.meta<Meta>().create();
  return {
    copy: t.procedure
      .meta({ description: 'Copy the embedded database to an empty PostgreSQL database; the server must be stopped' })
      .input(Options)
      .mutation(({ input }) => copyDatabase(settings, { ...input, report })),
  };
}

/**
 * Copies the embedded database and its files to PostgreSQL, and verifies the copy. Works on a copy of DATA_DIR, which it migrates to
 * this version. A copy that was killed is begun again by the next one: all rows come in one transaction, and the mark of the
 * unfinished copy goes after the audit logs are verified.
 * @throws ConfigError in one line
 */
async function copyDatabase(
  settings: Settings,
  { to, anyTrail, report }: z.output<typeof Options> & { report: (line: string) => void },
): Promise<CopyResult> {
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl !== undefined)
    throw new ConfigError('DATABASE_URL: expected no value for this command, which copies the database in DATA_DIR');
  const parsed = DATABASE_URL.safeParse(to);
  if (!parsed.success) throw new ConfigError(`--to: ${parsed.error.issues[0]?.message}`);
  const noDatabase = new ConfigError(`DATA_DIR: ${dataDir} contains no database`);
  if (!existsSync(dataDir)) throw noDatabase;
  await using stack = new AsyncDisposableStack();
  stack.defer(await lockDataDir(dataDir));
  await recoverDataDir(dataDir);
  if (!existsSync(databaseDir(dataDir))) throw noDatabase;
  await requireSamePostgreSql(dataDir);
  const missing = await missingMib(dataDir, { tables: 1, files: 0 });
  if (missing > 0) throw new ConfigError(`DATA_DIR: ${dataDir} lacks ${missing} MiB for a copy; free that much space`);
  const target = stack.adopt(await connectOwner(to).catch(throwAboutTarget), (owner) => owner.close());

  report('copying DATA_DIR');
  const staging = stack.adopt(await stagingDir(dataDir), (folder) => rm(folder, { recursive: true, force: true }));
  await copyTables(dataDir, databaseDir(staging));
  const source = stack.adopt(await openPglite(databaseDir(staging)), (database) => database.close());
  await source.migrate().catch(async (error: unknown) => {
    throw error instanceof IncompatibleDataError ? await incompatibleData(error, { dataDir }) : error;
  });
  const opened = stack.adopt(await openPostgreSql(to), (database) => database.close());
  const copied = await fill({ source, target, opened, dataDir, to, anyTrail, report }).catch(throwAboutTarget);
  return { ...copied, set: settingsOf(settings, copied) };
}

interface Filling extends Required<z.output<typeof Options>> {
  source: Database;
  target: OwnerConnection;
  /** The same database, for procedures. */
  opened: Database;
  dataDir: string;
  report: (line: string) => void;
}

/**
 * Fills and verifies the target in one transaction, so that a database with rows is a complete copy. A killed copy leaves a database
 * without rows, but with the mark of an unfinished copy.
 */
async function fill({ source, target, opened, dataDir, to, anyTrail, report }: Filling) {
  if (source.embedded === undefined) throw new Error('copy: expected the embedded database');
  const { owner } = source.embedded;
  // Each installation has made another secret. Its hash tells nothing about it.
  await beginCopy(target, hash('sha256', await readSecret(source, 'cursor')));
  report('applying migrations');
  const [role] = await target.query<{ name: string }>('select current_user as name');
  await migrate(to, role?.name ?? '');
  return target.transaction((write) =>
    owner.transaction(async (read) => {
      const files = () => copyFiles(filesFolder(databaseDir(dataDir)), read, write);
      const { rows, copied } = await copyRows({ source: read, target: write, copyFiles: files, report });
      report('verifying audit logs');
      const trails = await verifyTrails(opened, ownerRunner(write));
      const broken = brokenTrail(trails);
      if (broken !== undefined && !anyTrail) throw new ConfigError(`${broken}; --any-trail copies it anyway`);
      await endCopy(write);
      return { rows: Object.fromEntries(Object.entries(rows).filter(([, number]) => number > 0)), ...copied, trails };
    }),
  );
}

/** Errors of the server and of the copy become one line, which never contains the URL. @throws ConfigError */
function throwAboutTarget(error: unknown): never {
  const isExpected =
    error instanceof DescribedError || error instanceof DatabaseError || asApiError(error) !== undefined;
  throw isExpected ? new ConfigError(`--to: ${errorLine(error)}`, { cause: error }) : error;
}

/** Names the settings that the service needs on PostgreSQL, and the files that have their values. */
function settingsOf(settings: Settings, { filesInS3 }: CopiedFiles): Record<string, string> {
  const asNow = 'as it is set now';
  const files = secretFiles(settings.dataDir);
  const secrets = [
    ['OPERATOR_TOKEN', settings.operatorToken, files.operatorToken],
    ['ENCRYPTION_KEY', settings.encryptionKey, files.encryptionKey],
    ['SIGNING_KEY', settings.signingKey, files.signingKey],
  ] as const;
  const known = secrets.flatMap(([name, value, file]): [string, string][] => {
    if (value !== undefined) return [[name, asNow]];
    return existsSync(file) ? [[name, `the content of ${resolve(file)}`]] : [];
  });
  return {
    DATABASE_URL: 'the URL of the role of the service, or that of --to',
    MIGRATION_DATABASE_URL: 'that of --to, if DATABASE_URL has another role (docs/application-role.sql)',
    ...Object.fromEntries(known),
    ...((filesInS3 > 0 || settings.s3 !== undefined) && { STORAGE_URL: `${asNow}, with its credentials` }),
  };
}
