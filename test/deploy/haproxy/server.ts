import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../support/http/listen.ts';
import { until } from '../../support/servers/until.ts';

/** Folder of the configuration and the program of the router. */
export const deploy = join(import.meta.dirname, '../../../deploy/haproxy');

const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** True if HAProxy is installed. Always true with CI set, so that a missing HAProxy fails the tests. */
export const hasHaproxy =
  spawnSync('haproxy', ['-v'], { env, stdio: 'ignore' }).status === 0 || process.env['CI'] === 'true';

/** Checks a configuration. Returns the output of HAProxy if it is invalid. */
export function checkHaproxyConfig(file: string): string {
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { env, encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}

interface RouterPlaces {
  folder: string;
  port: number;
  /** URLs of the two cells. */
  cells: readonly [string, string];
}

/** Writes the configuration in deploy/ with other addresses and paths. @returns its file */
export async function writeRouterConfig({ folder, port, cells: [one, two] }: RouterPlaces): Promise<string> {
  const config = (await readFile(join(deploy, 'haproxy.cfg'), 'utf8'))
    .replaceAll(/\/(?:etc|run)\/haproxy\//g, `${folder}/`)
    .replaceAll(/^ {2}(?:user|group) haproxy\n| user haproxy group haproxy/gm, '') // only root changes its user
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('10.0.1.10:3000', new URL(one).host)
    .replace('10.0.2.10:3000', new URL(two).host);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  return file;
}

/** Starts HAProxy with the configuration that `configFor` makes for a free port, and writes into a file. */
export async function startHaproxy(configFor: (port: number) => Promise<string>) {
  const port = await findFreePort();
  const file = await configFor(port);
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
    await once(child, 'spawn');
    const responds = () => fetch(url, { method: 'HEAD' }).then(({ status }) => status < 503);
    await until(
      () => (child.exitCode === null ? responds().catch(() => false) : Promise.reject(new Error('HAProxy: ended'))),
      'HAProxy: a response',
      60_000,
    );
    return child;
  };
  let child = await start();
  const stop = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  return {
    url,
    file,
    stop,
    startAgain: async () => {
      child = await start();
    },
  };
}
