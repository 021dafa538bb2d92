import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../http/listen.ts';

const execFileAsync = promisify(execFile);

/** True if Redis is installed. Always true with CI set, so that a missing Redis fails the tests. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0 || process.env['CI'] === 'true';

/** Starts a separate Redis server that a test can stop, freeze and restart. */
export async function startRedis() {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no'];
  const start = async () => {
    const child = spawn('redis-server', args);
    await once(child, 'spawn');
    for await (const line of child.stdout) if (String(line).includes('Ready to accept connections')) break;
    return child;
  };
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    runCommand: (...command: string[]) => execFileAsync('redis-cli', ['-p', String(port), ...command]),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    restart: async () => {
      child = await start();
    },
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
