import { readFile } from 'node:fs/promises';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { CallServer } from './remote.ts';

const Options = z.strictObject({
  head: z.string().optional().meta({ description: 'Hash of a head stored earlier, which must be in the chain' }),
  checkpoint: z
    .string()
    .optional()
    .meta({ description: 'File with a checkpoint stored earlier, which the log must continue unchanged' }),
});

/** Creates the command that verifies the audit log. It sends the content of the checkpoint file to the server. */
export function auditCommands(call: CallServer) {
  const t = initTRPC.meta<Meta>().create();
  return {
    verify: t.procedure
      .meta({ description: 'Recompute the chain of the audit log, and report the first invalid row' })
      .input(Options)
      .mutation(async ({ input: { head, checkpoint: file } }) => {
        const checkpoint = file === undefined ? undefined : await readJson(file);
        const result = await call('audit.verify', {
          ...(head !== undefined && { head }),
          ...(file !== undefined && { checkpoint }),
        });
        if (Reflect.get(Object(result), 'intact') !== true) process.exitCode = 1;
        return result;
      }),
  };
}

/** @throws ConfigError */
async function readJson(file: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return value;
  } catch (cause) {
    throw new ConfigError(`--checkpoint: expected a file with the JSON of a checkpoint, not ${file}`, { cause });
  }
}
