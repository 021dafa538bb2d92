import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { prepareDataDir } from '../database/template.ts';
import { OPERATOR_TOKEN } from '../http/client.ts';

// Starts the service and its commands as separate processes.

export const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/** Compiled modules, shared by all processes. Commands take half of the CPU time. */
export const NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'compiled');

const START_TIMEOUT_MS = 120_000;
/** Maximum milliseconds of a response of `/readyz`, number of such responses in a row, and maximum milliseconds of the wait. */
const CALM = { responseMs: 200, responses: 3, timeoutMs: 60_000 };

type Environment = Record<string, string>;

/** Environment of a process: these settings, without the database and token settings of the tests. */
const isolatedEnvironment = (settings: Environment) => {
  const { DATABASE_URL: _, MIGRATION_DATABASE_URL: __, OPERATOR_TOKEN: ___, REDIS_URL: ____, ...rest } = process.env;
  return { ...rest, NODE_COMPILE_CACHE, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...settings };
};

export interface ServiceProcess {
  child: ChildProcess;
  /** All output to stdout and stderr so far. */
  readonly output: string;
  /** The log lines. */
  readonly stdout: string;
  /** The text for users: addresses and the demo key. */
  readonly stderr: string;
  url: string;
}

/** Returns false once the process has ended. */
export const isRunning = ({ child }: Pick<ServiceProcess, 'child'>): boolean =>
  child.exitCode === null && child.signalCode === null;

/**
 * Waits until the database of a service responds quickly, several times in a row. On a busy machine the first runs of the
 * jobs keep the embedded database for seconds, and requests end with 503. A single response may come between two runs.
 */
async function waitUntilCalm(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + CALM.timeoutMs;
  let responses = 0;
  while (isRunning({ child }) && performance.now() < deadline) {
    const startedAt = performance.now();
    const status = await fetch(`${url}/readyz`, { headers: { Connection: 'close' } }).then(
      (response) => response.status,
      () => 503,
    );
    responses = status !== 503 && performance.now() - startedAt < CALM.responseMs ? responses + 1 : 0;
    if (responses === CALM.responses) return;
    await wait(100);
  }
}

/**
 * Starts the service and waits until it serves requests or exits.
 * @param preload module that the process imports first; adds an IPC channel
 * @param folder installation directory
 * @param args arguments after `npm start --`
 */
export async function startServiceProcess(
  settings: Environment,
  preload?: string,
  folder = root,
  args: string[] = [],
): Promise<ServiceProcess> {
  const nodeOptions = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...nodeOptions, 'server/main.js', ...args], {
    cwd: folder,
    env: isolatedEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe', ...(preload === undefined ? [] : (['ipc'] as const))],
  });
  let stdout = '';
  let stderr = '';
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
    if (stderr.includes('Manage')) resolve();
  });
  child.once('close', () => resolve());
  const timeout = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`the service does not listen after ${START_TIMEOUT_MS} ms: ${stdout}${stderr}`));
  }, START_TIMEOUT_MS);
  await listening.finally(() => clearTimeout(timeout));
  const url = /http:\/\/\S+/.exec(stderr)?.[0] ?? '';
  if (url !== '') await waitUntilCalm(child, url);
  return {
    child,
    get output() {
      return stdout + stderr;
    },
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    url,
  };
}

/**
 * Starts a service that the operator can manage. An embedded database is migrated and empty: it has no demo company.
 * @throws Error with the output if it does not start
 */
export async function startService(
  ...[settings, ...rest]: Parameters<typeof startServiceProcess>
): Promise<ServiceProcess> {
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = settings;
  if (dataDir !== undefined && databaseUrl === undefined) await prepareDataDir(dataDir);
  const started = await startServiceProcess({ OPERATOR_TOKEN, LOG_LEVEL: 'warn', ...settings }, ...rest);
  if (started.url === '') throw new Error(`the service does not start: ${started.output}`);
  return started;
}

/** @throws Error if the database role of the service has excess privileges, for example bypasses row-level security */
export async function requireUnprivilegedRole({ url }: Pick<ServiceProcess, 'url'>): Promise<void> {
  const text = await (await fetch(`${url}/readyz`)).text();
  if (text !== '{"status":"ok"}') throw new Error(`/readyz: ${text}`);
}

export async function stopServiceProcess(
  { child }: ServiceProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  child.kill(signal);
  if (isRunning({ child })) await once(child, 'exit');
  return child.exitCode;
}

export interface ProgramResult {
  /** Exit status; text for a killed program. */
  code: number | string;
  stdout: string;
  stderr: string;
}

/** Runs a script of this repository until it exits. @param signal kills it */
export async function runProgram(
  script: string,
  args: string[],
  settings: Environment,
  signal?: AbortSignal,
): Promise<ProgramResult> {
  const options = { cwd: root, env: isolatedEnvironment(settings), signal, killSignal: 'SIGKILL' } as const;
  try {
    return { code: 0, ...(await execFileAsync(process.execPath, [script, ...args], options)) };
  } catch (error) {
    return error as ProgramResult;
  }
}
