import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { OPERATOR_TOKEN } from '../../support/http/client.ts';
import { startService, stopServiceProcess } from '../../support/servers/service-process.ts';
import type { StoredData } from './stored-data.ts';
import type { InstalledVersion } from './version-before.ts';

const START_TIMEOUT_MS = 120_000;

/** Starts a version on the data, and stops it after `work`. @throws Error with the output if it does not start */
export async function withService<T>(
  { settings }: StoredData,
  { folder }: InstalledVersion,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const service = await startService({ ...settings, LOG_LEVEL: 'error' }, undefined, folder);
  try {
    return await work(service.url);
  } finally {
    await stopServiceProcess(service);
  }
}

/**
 * Starts a version in a process group, and kills the group after a time, or when the version listens.
 * @returns milliseconds from the start to the kill
 */
export async function killStart(
  { settings }: StoredData,
  { folder }: InstalledVersion,
  killAfterMs: number,
): Promise<number> {
  const { PATH = '', HOME = '' } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['server/main.js'], {
    cwd: folder,
    env: { PATH, HOME, ...settings, OPERATOR_TOKEN, PORT: '0', LOG_LEVEL: 'error' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const listening = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('Listening')) resolve();
    });
  });
  const ended = once(child, 'exit').then(() => 'exit' as const);
  const first = await Promise.race([wait(Math.min(killAfterMs, START_TIMEOUT_MS)), listening, ended]);
  const durationMs = performance.now() - startedAt;
  const group = -(child.pid ?? 0);
  while (isRunning(group)) {
    process.kill(group, 'SIGKILL');
    await wait(10);
  }
  if (first === 'exit') throw new Error(`the start ended before the kill: ${output.slice(0, 500)}`);
  return durationMs;
}

/** @param group negative id of a process group */
function isRunning(group: number): boolean {
  try {
    process.kill(group, 0);
    return true;
  } catch {
    return false;
  }
}
