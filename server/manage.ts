import { parseArgs } from 'node:util';
import { TRPCClientError, createTRPCClient, createTRPCUntypedClient, httpLink } from '@trpc/client';
import type { TRPCUntypedClient } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { AnyTRPCProcedure, TRPCRouterRecord } from '@trpc/server';
import { createCli, yamlTableConsoleLogger } from 'trpc-cli';
import { getInputOutputParsers } from 'trpc-to-openapi';
import { z } from 'zod';
import type { AppRouter } from '../procedures/index.ts';
import { management } from '../procedures/management/index.ts';
import type { Meta } from '../procedures/trpc.ts';
import { backupCommands } from './backup/commands.ts';
import { BadSetting, settings } from './config.ts';
import { knownToken } from './data-folder.ts';
import { serverOf, trpcLinkTo } from './remote.ts';

const USAGE = `Manages the running server, as the operator.

Every command also takes:
  --company <id>  the company it is about; not needed while there is only one
  --server <url>  the server; by default the one that HOST and PORT name

Prints tables on a terminal and JSON elsewhere.`;

/** The management router as a command line: each command calls the procedure of its name on the running server. */
async function run(): Promise<void> {
  const chosen = settings();
  const { argv, company, server: given } = readArguments();
  const server = serverOf(given, chosen);
  const cli = createCli({
    router: remote(() => connect(server, company), { backup: backupCommands(chosen, server) }),
    name: 'npm run manage --',
    description: USAGE,
  });
  await cli.run({
    argv: argv.length === 0 ? ['--help'] : argv,
    logger: process.stdout.isTTY ? yamlTableConsoleLogger : { info: printJson, error: console.error },
    formatError: reasonOf,
    prompts: false,
    process: { exit: (code) => process.exit(code === 0 ? process.exitCode : code) },
  });
}

/** The arguments without the options that every command takes. */
function readArguments(): { argv: string[]; company: string | undefined; server: string | undefined } {
  const options = { company: { type: 'string' }, server: { type: 'string' } } as const;
  const { values, tokens } = parseArgs({ options, strict: false, tokens: true });
  const ours = new Set(
    tokens
      .filter((token) => token.kind === 'option')
      .filter(({ name }) => Object.hasOwn(options, name))
      .flatMap(({ index, inlineValue }) => (inlineValue === false ? [index, index + 1] : [index])),
  );
  const argv = process.argv.slice(2).filter((_, index) => !ours.has(index));
  return { argv, company: textOf(values.company), server: textOf(values.server) };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** A client with the operator's token, acting upon the company given or else the only one. */
async function connect(server: string, company: string | undefined): Promise<TRPCUntypedClient<AppRouter>> {
  const authorization = { Authorization: `Bearer ${await knownToken(settings())}` };
  const link = trpcLinkTo(server);
  const operator = createTRPCClient<AppRouter>({ links: [httpLink({ ...link, headers: authorization })] });
  const ofCompany = async () => ({ ...authorization, 'X-Company-Id': company ?? (await onlyCompany()) });

  async function onlyCompany(): Promise<string> {
    const companies = await operator.management.company.list.query();
    const [only] = companies;
    if (only !== undefined && companies.length === 1) return String(only.id);
    const known = companies.map(({ id, name }) => `${id} ${name}`).join(', ');
    throw new BadSetting(only === undefined ? 'there is no company yet' : `--company <id> is needed: ${known}`);
  }

  const headers = ({ op }: { op: { path: string } }) =>
    op.path.startsWith('management.company.') ? authorization : ofCompany();
  return createTRPCUntypedClient<AppRouter>({ links: [httpLink({ ...link, headers })] });
}

/** The management router again, each procedure calling the server instead, with more beside it. */
function remote(client: () => Promise<TRPCUntypedClient<AppRouter>>, more: TRPCRouterRecord) {
  const t = initTRPC.meta<Meta>().create();
  const groups: Record<string, Record<string, AnyTRPCProcedure>> = {};
  const procedures: TRPCRouterRecord = management._def.procedures;
  for (const [path, procedure] of Object.entries(procedures)) {
    if (!isProcedure(procedure)) continue;
    const [group = '', command = ''] = path.split('.');
    const { inputParser, hasInputsDefined } = getInputOutputParsers(procedure);
    const described = t.procedure.meta(procedure.meta ?? {});
    const called = hasInputsDefined ? described.input(asArguments(inputParser)) : described;
    const name = `management.${path}`;
    const judged = (answer: unknown) => {
      const { mustHold } = procedure.meta ?? {};
      if (mustHold !== undefined && Reflect.get(Object(answer), mustHold) !== true) process.exitCode = 1;
      return answer;
    };
    (groups[group] ??= {})[command] =
      procedure._def.type === 'query'
        ? called.query(async ({ input }) => judged(await (await client()).query(name, input)))
        : called.mutation(async ({ input }) => judged(await (await client()).mutation(name, input)));
  }
  return t.router({ ...groups, ...more });
}

/** What may be null is given as words on a command line, where the one word `null` clears. */
function asArguments(input: unknown): z.ZodObject {
  const given = input instanceof z.ZodOptional ? input.unwrap() : input;
  if (!(given instanceof z.ZodObject)) throw new Error('a command takes its options from an object');
  const fields = Object.entries(given.shape).map(([name, field]) => [name, asWords(field)]);
  return z.strictObject(Object.fromEntries(fields));
}

function asWords(field: unknown): unknown {
  const optional = field instanceof z.ZodOptional ? field.unwrap() : field;
  if (!(optional instanceof z.ZodNullable)) return field;
  const { description } = optional.meta() ?? {};
  const inner = optional.unwrap();
  if (!(inner instanceof z.ZodArray)) {
    return z.string().transform(wordOrNull).optional().meta({ description });
  }
  const read = (word: string) => (inner.element instanceof z.ZodNumber ? Number(word) : word);
  const words = z.array(z.string()).transform((all) => (all.length === 1 && all[0] === 'null' ? null : all.map(read)));
  return words.optional().meta({ description });
}

const wordOrNull = (word: string) => (word === 'null' ? null : word);

const isProcedure = (entry: unknown): entry is AnyTRPCProcedure => typeof entry === 'function';

const printJson = (value: unknown) =>
  void process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

function reasonOf(error: unknown): string {
  if (error instanceof TRPCClientError && error.cause instanceof BadSetting) return error.cause.message;
  return error instanceof Error ? error.message : String(error);
}

try {
  await run();
} catch (error) {
  if (!(error instanceof BadSetting)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
