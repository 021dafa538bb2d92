import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../../failover/environment/cleanup.ts';
import { createScratchDatabase } from '../../../support/database/scratch-database.ts';
import { OPERATOR_TOKEN } from '../../../support/http/client.ts';
import {
  requireUnprivilegedRole,
  runProgram,
  startService,
  stopServiceProcess,
} from '../../../support/servers/service-process.ts';
import type { ProgramResult } from '../../../support/servers/service-process.ts';

/** Difference between the first company ids of two cells. */
const COMPANY_IDS = 1_000_000;

/** A cell: a process of the service with a database and files of its own. */
export interface LoadCell {
  /** Name in the configuration of the router. */
  name: string;
  url: string;
  /** URL of the database for its owner. */
  ownerUrl: string;
  /** Resident memory of the process in bytes. */
  memory: () => number;
  kill: () => Promise<void>;
  /** Starts a killed process again, at the same address. */
  restart: () => Promise<void>;
}

/** Starts a cell. @param secrets settings that all cells share */
export async function startCell(
  cleanup: Cleanup,
  serverUrl: string,
  { number, secrets }: { number: number; secrets: Record<string, string> },
): Promise<LoadCell> {
  const { url: ownerUrl, serviceUrl, drop } = await createScratchDatabase(serverUrl);
  cleanup.add(drop);
  const name = `cell-${number}`;
  const dataDirectory = join(cleanup.folder, name);
  await mkdir(dataDirectory);
  const start = (port: string) =>
    startService({
      ...secrets,
      DATABASE_URL: serviceUrl,
      MIGRATION_DATABASE_URL: ownerUrl,
      DATA_DIR: dataDirectory,
      COMPANY_ID_START: String(1 + (number - 1) * COMPANY_IDS),
      PORT: port,
    });
  let service = await start('0');
  const { url } = service;
  const kill = async () => void (await stopServiceProcess(service, 'SIGKILL'));
  const restart = async () => void (service = await start(new URL(url).port));
  cleanup.add(kill);
  await requireUnprivilegedRole(service);
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) * 1024;
  return { name, url, ownerUrl, memory, kill, restart };
}

/** Runs a command of a cell. @returns what it prints, parsed @throws Error with its output if it fails */
export async function manage(
  { url, ownerUrl }: LoadCell,
  company: number,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(url, company, args, { MIGRATION_DATABASE_URL: ownerUrl });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Runs a command for a company until it exits. @param signal kills it */
export const runCommand = (
  server: string,
  company: number,
  args: readonly string[],
  settings: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<ProgramResult> =>
  runProgram(
    'cli/manage.ts',
    [...args, '--company', String(company), '--server', server],
    { OPERATOR_TOKEN, TARGET_OPERATOR_TOKEN: OPERATOR_TOKEN, ...settings },
    signal,
  );
