import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { ConfigError } from '../../server/config/settings.ts';
import type { Settings } from '../../server/config/settings.ts';
import { readOperatorToken, tokenSourceOf } from '../../server/config/data-dir.ts';
import { call, unexpected } from '../remote.ts';
import { downloadBackup, restoreBackup, verifyFile } from './files.ts';
import type { BackupVerification } from './verify.ts';
import { BACKUP_PATH, POSTGRESQL_BACKUP_HINT } from '../../server/backup/route.ts';

const FileArgument = z.string().min(1).describe('file');

/**
 * Creates the commands for backups of the embedded database.
 * @param server URL of the running server
 */
export function backupCommands(settings: Settings, server: string) {
  const t = initTRPC.meta<Meta>().create();
  const command = (description: string) => t.procedure.meta({ description });
  return {
    create: command('Write a backup of the running server’s database to a new file and verify it')
      .input(z.tuple([FileArgument]))
      .mutation(async ({ input: [file] }) => {
        requireEmbedded(settings);
        return setExitCode(await downloadBackup(() => fetchBackup(settings, server), file));
      }),
    verify: command('Verify a backup: open its database, count the rows, verify the audit logs')
      .input(z.tuple([FileArgument]))
      .query(async ({ input: [file] }) => setExitCode(await verifyFile(file))),
    restore: command('Restore a backup into DATA_DIR; the server must be stopped')
      .input(
        z.tuple([
          FileArgument,
          z.object({
            replace: z.boolean().default(false).describe('Move an existing database aside'),
            anyTrail: z.boolean().default(false).describe('Restore the backup even if an audit log is not intact'),
          }),
        ]),
      )
      .mutation(async ({ input: [file, options] }) => {
        requireEmbedded(settings);
        return setExitCode(await restoreBackup(file, { dataDir: settings.dataDir, ...options }));
      }),
  };
}

function requireEmbedded({ databaseUrl }: Settings): void {
  if (databaseUrl !== undefined)
    throw new ConfigError(`DATABASE_URL: expected no value for this command; ${POSTGRESQL_BACKUP_HINT}`);
}

/** Sets exit code 1 unless every audit log is intact. */
function setExitCode<Verification extends BackupVerification>(verification: Verification): Verification {
  if (verification.trails.some(({ intact }) => !intact)) process.exitCode = 1;
  return verification;
}

async function fetchBackup(settings: Settings, server: string): Promise<AsyncIterable<Uint8Array>> {
  const headers = { Authorization: `Bearer ${await readOperatorToken(settings)}` };
  const response = await call(server, BACKUP_PATH, { method: 'POST', headers }, tokenSourceOf(settings));
  const isBackup = response.headers.get('Content-Type') === 'application/gzip';
  if (response.ok && isBackup && response.body !== null) return response.body;
  throw unexpected(server, response, await response.json().catch(() => undefined));
}
