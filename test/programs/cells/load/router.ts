import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deploy, startHaproxy, writeRouterConfig } from '../../../deploy/haproxy/server.ts';
import type { Cleanup } from '../../failover/environment/cleanup.ts';
import { OPERATOR_TOKEN } from '../../../support/http/client.ts';
import type { LoadCell } from './cell.ts';

/** Starts HAProxy with the configuration in deploy/, and the program that keeps its map of keys. @returns URL of the router */
export async function startRouter(cleanup: Cleanup, cells: readonly [LoadCell, LoadCell]): Promise<string> {
  const { folder } = cleanup;
  const [one, two] = cells;
  const map = join(folder, 'keys.map');
  await writeFile(map, '');
  await writeFile(join(folder, 'hosts.map'), '');
  const haproxy = await startHaproxy((port) => writeRouterConfig({ folder, port, cells: [one.url, two.url] }));
  cleanup.add(() => haproxy.stop());
  const keeper = spawn(
    process.execPath,
    [
      join(deploy, 'keep-map.ts'),
      `--map=${map}`,
      `--socket=${folder}/admin.sock`,
      ...cells.map(({ name, url }) => `--cell=${name}=${url}`),
    ],
    { env: { ...process.env, OPERATOR_TOKEN }, stdio: 'ignore' },
  );
  cleanup.add(async () => {
    const exited = once(keeper, 'exit');
    keeper.kill('SIGTERM');
    await exited;
  });
  return haproxy.url;
}
