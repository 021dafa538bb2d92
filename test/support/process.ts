import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

// The service as its users start it: real processes.
export const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

type Environment = Record<string, string>;

/** Only what is given here reaches a process, whatever database the tests themselves run on. */
const environment = (given: Environment) => {
  const { DATABASE_URL: _, OPERATOR_TOKEN: __, ...rest } = process.env;
  return { ...rest, PORT: '0', ...given };
};

export interface Started {
  child: ChildProcess;
  output: string;
  url: string;
}

/** Starts the service and waits until it listens. */
export async function start(given: Environment): Promise<Started> {
  const child = spawn(process.execPath, ['server/main.ts'], { cwd: root, env: environment(given) });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  await vi.waitUntil(() => output.includes('Manage') || child.exitCode !== null, { timeout: 30_000 });
  return { child, output, url: /http:\/\/\S+/.exec(output)?.[0] ?? '' };
}

export async function stop({ child }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of ours to its end. */
export async function say(script: string, args: string[], given: Environment): Promise<Said> {
  try {
    return { code: 0, ...(await run(process.execPath, [script, ...args], { cwd: root, env: environment(given) })) };
  } catch (error) {
    return error as Said;
  }
}
