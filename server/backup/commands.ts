import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../procedures/trpc.ts';
import { BadSetting } from '../config.ts';
import type { Settings } from '../config.ts';
import { knownToken } from '../data-folder.ts';
import { call, unexpected } from '../remote.ts';
import { keep, restore, verify } from './files.ts';
import type { Proof } from './proof.ts';
import { BACKUP, NOT_HERE } from './route.ts';

const FILE = z.string().min(1).describe('file');

/**
 * Commands about backups of the embedded database.
 * @param server where the running server is
 */
export function backupCommands(chosen: Settings, server: string) {
  const t = initTRPC.meta<Meta>().create();
  const told = (description: string) => t.procedure.meta({ description });
  return {
    create: told('Write a backup of the running server’s database to a new file, and prove it')
      .input(z.tuple([FILE]))
      .mutation(async ({ input: [file] }) => {
        requireEmbedded(chosen);
        return judged(await keep(() => fetchBackup(chosen, server), file));
      }),
    verify: told('Prove a backup: open it, count its rows, recompute the trails')
      .input(z.tuple([FILE]))
      .query(async ({ input: [file] }) => judged(await verify(file))),
    restore: told('Put a backup into DATA_DIR, whose server is stopped')
      .input(
        z.tuple([
          FILE,
          z.object({
            replace: z.boolean().default(false).describe('Put a database that is there aside'),
            anyTrail: z.boolean().default(false).describe('Restore it even where an audit trail is not intact'),
          }),
        ]),
      )
      .mutation(async ({ input: [file, terms] }) => {
        requireEmbedded(chosen);
        return judged(await restore(file, { dataDir: chosen.dataDir, ...terms }));
      }),
  };
}

function requireEmbedded({ databaseUrl }: Settings): void {
  if (databaseUrl !== undefined) throw new BadSetting(`DATABASE_URL is set: ${NOT_HERE}`);
}

/** A command succeeds when every trail is intact. */
function judged<Found extends Proof>(found: Found): Found {
  if (found.trails.some(({ intact }) => !intact)) process.exitCode = 1;
  return found;
}

async function fetchBackup(chosen: Settings, server: string): Promise<AsyncIterable<Uint8Array>> {
  const headers = { Authorization: `Bearer ${await knownToken(chosen)}` };
  const answer = await call(server, BACKUP, { method: 'POST', headers });
  const isBackup = answer.headers.get('Content-Type') === 'application/gzip';
  if (answer.ok && isBackup && answer.body !== null) return answer.body;
  throw unexpected(server, answer, await answer.json().catch(() => undefined));
}
