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
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { applyCommand } from './apply.ts';
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import { cellCommands } from './cell.ts';
import { databaseCommands } from './copy-database.ts';
import { directoryCommands } from './directory.ts';
import { eraseCommand } from './erase.ts';
import { demoCommands } from './demo.ts';
import { evidenceCommands } from './evidence.ts';
import { moveCommand } from './move.ts';
import { ConfigError, loadSettings } from '../server/config/settings.ts';
import { readOperatorToken, tokenSourceOf } from '../server/config/data-dir.ts';
import { proofCommands } from './proof.ts';
import { serverOf, trpcLinkTo } from './remote.ts';
import type { CallServer } from './remote.ts';

const USAGE = `Manages the running server with the operator's permissions.

Every command also accepts:
  --company <id>  id of the company; optional if there is only one
  --server <url>  URL of the server; HOST and PORT set the default

The output is a table on a terminal and JSON otherwise.`;

/** Runs the command line. Each command calls the management procedure with the same name on the running server. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const { argv, company, server: serverOption } = parseArguments();
  const server = serverOf(serverOption, settings);
  const client = () => createClient(server, company);
  const call: CallServer = async (procedure, input) => callOperator(await client(), procedure, input);
  const cli = createCli({
    router: remoteRouter(client, {
      audit: auditCommands(call),
      proof: proofCommands(server),
      backup: backupCommands(settings, server),
      evidence: evidenceCommands(call),
      cell: cellCommands(settings),
      database: databaseCommands(settings, reportProgress),
      directory: directoryCommands(call),
      demo: demoCommands({ call, company, server, isTerminal: process.stdout.isTTY }),
      company: {
        erase: eraseCommand({ call, company, ownerUrl: settings.migrationDatabaseUrl }),
        move: moveCommand({
          source: async () => ({ url: server, call, headers: await operatorHeaders() }),
          company,
          targetToken: settings.targetOperatorToken,
        }),
      },
      applyState: applyCommand(call),
    }),
    name: 'npx --no compliance',
    description: USAGE,
  });
  await cli.run({
    argv: argv.length === 0 ? ['--help'] : argv,
    logger: process.stdout.isTTY ? yamlTableConsoleLogger : { info: printJson, error: console.error },
    formatError: describeError,
    prompts: false,
    process: { exit: (code) => process.exit(code === 0 ? process.exitCode : code) },
  });
}

/** Separates the options that every command accepts from the other arguments. */
function parseArguments(): { argv: string[]; company: string | undefined; server: string | undefined } {
  const options = { company: { type: 'string' }, server: { type: 'string' } } as const;
  const { values, tokens } = parseArgs({ options, strict: false, tokens: true });
  const commonOptionIndexes = new Set(
    tokens
      .filter((token) => token.kind === 'option')
      .filter(({ name }) => Object.hasOwn(options, name))
      .flatMap(({ index, inlineValue }) => (inlineValue === false ? [index, index + 1] : [index])),
  );
  const argv = process.argv.slice(2).filter((_, index) => !commonOptionIndexes.has(index));
  return { argv, company: stringOrUndefined(values.company), server: stringOrUndefined(values.server) };
}

const stringOrUndefined = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Shows people what a long command does. */
const reportProgress = (line: string) => void (process.stderr.isTTY && process.stderr.write(`${line}\n`));

const operatorHeaders = async () => ({ Authorization: `Bearer ${await readOperatorToken(loadSettings())}` });

/** Creates a client with the operator token, for the given company or, without one, for the only company. */
async function createClient(server: string, company: string | undefined): Promise<TRPCUntypedClient<AppRouter>> {
  const authorization = await operatorHeaders();
  const link = trpcLinkTo(server, tokenSourceOf(loadSettings()));
  const operator = createTRPCClient<AppRouter>({ links: [httpLink({ ...link, headers: authorization })] });
  const companyHeaders = async () => ({ ...authorization, 'X-Company-Id': company ?? (await requireOnlyCompany()) });

  async function requireOnlyCompany(): Promise<string> {
    const listed = await operator.management.company.list.query();
    const companies = listed.flatMap((one) => ('name' in one ? [one] : []));
    const [only] = companies;
    if (only !== undefined && companies.length === 1) return String(only.id);
    const known = companies.map(({ id, name }) => `${id} ${name}`).join(', ');
    throw new ConfigError(only === undefined ? '--company: no company exists' : `--company: expected one of ${known}`);
  }

  const headers = ({ op }: { op: { path: string } }) => (needsCompany(op.path) ? companyHeaders() : authorization);
  return createTRPCUntypedClient<AppRouter>({ links: [httpLink({ ...link, headers })] });
}

/** Calls a management procedure for all companies. */
const callOperator = (client: TRPCUntypedClient<AppRouter>, procedure: string, input?: object): Promise<unknown> =>
  client.mutation(`management.${procedure}`, input);

/** Procedures of one company declare their scopes; those for all companies declare none. @param path with `management.` */
function needsCompany(path: string): boolean {
  const procedures: TRPCRouterRecord = management._def.procedures;
  const procedure = procedures[path.slice('management.'.length)];
  const { scopes }: Meta = (isProcedure(procedure) ? procedure.meta : undefined) ?? {};
  return scopes !== undefined;
}

/** Creates a router like the management router whose procedures call the server, without steps. Adds `extraCommands`. */
function remoteRouter(
  client: () => Promise<TRPCUntypedClient<AppRouter>>,
  extraCommands: Readonly<Record<string, AnyTRPCProcedure | Record<string, AnyTRPCProcedure>>>,
) {
  const t = initTRPC.meta<Meta>().create();
  const groups: Record<string, Record<string, AnyTRPCProcedure>> = {};
  const commands: Record<string, AnyTRPCProcedure> = {};
  const procedures: TRPCRouterRecord = management._def.procedures;
  for (const [path, procedure] of Object.entries(procedures)) {
    if (!isProcedure(procedure) || isStep(procedure)) continue;
    const [group = '', name] = path.split('.');
    const { inputParser, hasInputsDefined } = getInputOutputParsers(procedure);
    const builder = t.procedure.meta(procedure.meta ?? {});
    const builderWithInput = hasInputsDefined ? builder.input(toCommandOptions(inputParser)) : builder;
    const managementPath = `management.${path}`;
    const setExitCode = (output: unknown) => {
      const { exitCodeField }: Meta = procedure.meta ?? {};
      if (exitCodeField !== undefined && Reflect.get(Object(output), exitCodeField) !== true) process.exitCode = 1;
      return output;
    };
    const command =
      procedure._def.type === 'query'
        ? builderWithInput.query(async ({ input }) => setExitCode(await (await client()).query(managementPath, input)))
        : builderWithInput.mutation(async ({ input }) =>
            setExitCode(await (await client()).mutation(managementPath, input)),
          );
    if (name === undefined) commands[group] = command;
    else groups[group] = { ...groups[group], [name]: command };
  }
  for (const [group, extra] of Object.entries(extraCommands))
    if (isProcedure(extra)) commands[group] = extra;
    else groups[group] = { ...groups[group], ...extra };
  return t.router({ ...groups, ...commands });
}

const isStep = ({ meta }: { meta?: Meta }) => meta?.isStep === true;

/** Converts an input schema to command-line options. Nullable fields become text, in which the word `null` means null. */
function toCommandOptions(input: unknown): z.ZodObject {
  const schema = input instanceof z.ZodOptional ? input.unwrap() : input;
  if (!(schema instanceof z.ZodObject)) throw new Error('command input: expected an object schema');
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, toCommandOption(field)]);
  return z.strictObject(Object.fromEntries(fields));
}

function toCommandOption(field: unknown): unknown {
  const optional = field instanceof z.ZodOptional ? field.unwrap() : field;
  if (!(optional instanceof z.ZodNullable)) return field;
  const { description } = optional.meta() ?? {};
  const inner = optional.unwrap();
  if (!(inner instanceof z.ZodArray)) {
    return z.string().transform(wordOrNull).optional().meta({ description });
  }
  const parseWord = (word: string) => (inner.element instanceof z.ZodNumber ? Number(word) : word);
  const words = z
    .array(z.string())
    .transform((all) => (all.length === 1 && all[0] === 'null' ? null : all.map(parseWord)));
  return words.optional().meta({ description });
}

const wordOrNull = (word: string) => (word === 'null' ? null : word);

const isProcedure = (entry: unknown): entry is AnyTRPCProcedure => typeof entry === 'function';

const printJson = (value: unknown) =>
  void process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

function describeError(error: unknown): string {
  if (error instanceof TRPCClientError && error.cause instanceof ConfigError) return error.cause.message;
  return error instanceof Error ? error.message : String(error);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
