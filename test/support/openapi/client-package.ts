import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** Packs the client, and installs it in a project without the modules of this repository, until the end of the tests. */
export async function installClient(): Promise<{ project: string; packedFiles: string[] }> {
  const project = await mkdtemp(join(tmpdir(), 'client-package-'));
  afterAll(() => rm(project, { recursive: true }));
  const pack = (...args: string[]) =>
    execFileAsync('npm', ['pack', '--pack-destination', project, ...args], { cwd: root });
  const { stdout } = await pack('-w', 'clients/typescript', '--json');
  const [packed] = Object.values(
    JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, { files: { path: string }[] }>,
  );
  // Its dependencies come from this installation, so that no network is needed.
  await pack('--ignore-scripts', './node_modules/openapi-fetch', './node_modules/openapi-typescript-helpers');
  const tarballs = (await readdir(project)).map((file) => `./${file}`);
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  await execFileAsync('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: project });
  return { project, packedFiles: packed?.files.map(({ path }) => path) ?? [] };
}
