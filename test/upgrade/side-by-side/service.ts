import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { startServiceProcess, stopServiceProcess } from '../../support/servers/service-process.ts';
import type { StoredData } from './stored-data.ts';
import type { InstalledVersion } from './version-before.ts';

export const OPERATOR_TOKEN = 'operator-token-of-the-upgrade-0123456789';

/** Starts a version on the data, and stops it after `work`. @throws Error with the output if it does not start */
export async function withService<T>(
  { settings }: StoredData,
  { folder, version }: InstalledVersion,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const service = await startServiceProcess({ ...settings, OPERATOR_TOKEN, LOG_LEVEL: 'error' }, undefined, folder);
  try {
    if (service.url === '') throw new Error(`${version} does not start: ${service.output.slice(0, 500)}`);
    return await work(service.url);
  } finally {
    await stopServiceProcess(service);
  }
}

/** Measures the time until a version listens. */
export async function startTime(data: StoredData, after: InstalledVersion): Promise<number> {
  const startedAt = performance.now();
  return withService(data, after, async () => performance.now() - startedAt);
}

/** Starts a version in a process group, and kills the group. */
export async function killedStart(
  { settings }: StoredData,
  { folder }: InstalledVersion,
  killAfterMs: number,
): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['server/main.js'], {
    cwd: folder,
    env: { PATH, HOME, ...settings, OPERATOR_TOKEN, PORT: '0' },
    detached: true,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await Promise.race([wait(killAfterMs), exited]);
  const group = -(child.pid ?? 0);
  for (const deadline = performance.now() + 10_000; isRunning(group) && performance.now() < deadline; await wait(10))
    process.kill(group, 'SIGKILL');
  await exited;
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
