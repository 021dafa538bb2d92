import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../procedures/core/trpc.ts';
import { ConfigError } from '../../server/config/settings.ts';
import type { Settings } from '../../server/config/settings.ts';
import { readOperatorToken } from '../../server/config/data-dir.ts';
import { call, unexpected } from '../remote.ts';
import { downloadBackup, restoreBackup, verifyFile } from './files.ts';
import type { BackupVerification } from './verify.ts';
import { BACKUP_PATH, POSTGRESQL_BACKUP_HINT } from '../../server/backup/route.ts';

const FileArgument = z.string().min(1).describe('file');

/**
 * Commands about backups of the embedded database.
 * @param server where the running server is
 */
export function backupCommands(settings: Settings, server: string) {
  const t = initTRPC.meta<Meta>().create();
  const command = (description: string) => t.procedure.meta({ description });
  return {
    create: command('Write a backup of the running server’s database to a new file, and prove it')
      .input(z.tuple([FileArgument]))
      .mutation(async ({ input: [file] }) => {
        requireEmbedded(settings);
        return setExitCode(await downloadBackup(() => fetchBackup(settings, server), file));
      }),
    verify: command('Prove a backup: open it, count its rows, recompute the trails')
      .input(z.tuple([FileArgument]))
      .query(async ({ input: [file] }) => setExitCode(await verifyFile(file))),
    restore: command('Put a backup into DATA_DIR, whose server is stopped')
      .input(
        z.tuple([
          FileArgument,
          z.object({
            replace: z.boolean().default(false).describe('Put a database that is there aside'),
            anyTrail: z.boolean().default(false).describe('Restore it even where an audit trail is not intact'),
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
  if (databaseUrl !== undefined) throw new ConfigError(`DATABASE_URL is set: ${POSTGRESQL_BACKUP_HINT}`);
}

/** A command succeeds when every trail is intact. */
function setExitCode<Found extends BackupVerification>(verification: Found): Found {
  if (verification.trails.some(({ intact }) => !intact)) process.exitCode = 1;
  return verification;
}

async function fetchBackup(settings: Settings, server: string): Promise<AsyncIterable<Uint8Array>> {
  const headers = { Authorization: `Bearer ${await readOperatorToken(settings)}` };
  const response = await call(server, BACKUP_PATH, { method: 'POST', headers });
  const isBackup = response.headers.get('Content-Type') === 'application/gzip';
  if (response.ok && isBackup && response.body !== null) return response.body;
  throw unexpected(server, response, await response.json().catch(() => undefined));
}
