import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { initTRPC } from '@trpc/server';
import type { TrpcCliMeta } from 'trpc-cli';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { CallServer } from './remote.ts';

const Options = z.strictObject({
  file: z.string().meta({ description: 'YAML or JSON file with the state, or - for standard input', alias: 'f' }),
  dryRun: z.boolean().default(false).meta({ description: 'Print what would change, and change nothing' }),
  prune: z
    .boolean()
    .default(false)
    .meta({ description: 'Also archive or end what is missing in the file, for the kinds that the file has' }),
});
const State = z.record(z.string(), z.unknown());

/** Creates the command that changes a company to match a file: its frameworks, gaps, departments, keys and webhooks. */
export function applyCommand(call: CallServer) {
  const t = initTRPC.meta<Meta & TrpcCliMeta>().create();
  return t.procedure
    .meta({
      description: 'Make frameworks, gaps, departments, keys and webhooks match a file',
      aliases: { command: ['apply'] }, // a router has no procedure of this name
    })
    .input(Options)
    .mutation(async ({ input: { file, ...options } }) => call('state.put', { ...(await readState(file)), ...options }));
}

/** @throws ConfigError that names the file, and the line of an error */
async function readState(file: string): Promise<Record<string, unknown>> {
  const source = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new ConfigError(`--file: expected a file that can be read, not ${file}`, { cause });
  });
  let parsed: unknown;
  try {
    parsed = parse(source);
  } catch (cause) {
    const [reason] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new ConfigError(`--file: ${file} is neither YAML nor JSON: ${reason}`, { cause });
  }
  const { data } = State.safeParse(parsed);
  if (data === undefined)
    throw new ConfigError(`--file: expected an object with frameworks, departments, keys or webhooks in ${file}`);
  for (const name of ['dryRun', 'prune'])
    if (Object.hasOwn(data, name)) throw new ConfigError(`--file: ${name} is an option of the command, not of ${file}`);
  return data;
}
