import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownMigrations } from '../../../database/orm/migrations.ts';
import { VERSION } from '../../../database/version.ts';
import versions from '../../../migrations/versions.json' with { type: 'json' };

/** The code of a version, installed in a folder. */
export interface InstalledVersion {
  version: string;
  folder: string;
}

const root = join(import.meta.dirname, '..', '..', '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** This code. */
export const currentVersion: InstalledVersion = { version: VERSION, folder: root };

/**
 * Finds the last commit of the version before: its tag, or the parent of the commit that began this version. That commit added
 * the first migration after those of the version before; without one it wrote the number of this version. Needs the history.
 */
async function commitBefore(): Promise<string> {
  const migrations = (await knownMigrations()).toSorted();
  const released = Object.entries(versions).findLast(
    ([version, last]) => version !== VERSION || last !== migrations.at(-1),
  );
  if (released === undefined) throw new Error(`${VERSION}: it is the first version`);
  const [version, lastMigration] = released;
  const tag = spawnSync('git', ['rev-parse', '--verify', '--quiet', `v${version}^{commit}`], { cwd: root });
  if (tag.status === 0) return String(tag.stdout).trim();
  const additions = git('log', '--reverse', '--diff-filter=A', '--name-only', '--format=commit %H', '--', 'migrations');
  const isNewer = (file: string) => (/Migration\w+(?=\.ts$)/.exec(file)?.[0] ?? '') > lastMigration;
  const began = additions
    .split('commit ')
    .map((text) => text.split(/\s+/))
    .find(([, ...files]) => files.some(isNewer));
  const [commit = git('log', '-1', '--format=%H', `-S"version": "${VERSION}"`, '--', 'package.json')] = began ?? [];
  return git('rev-parse', `${commit}^`);
}

/** Unpacks the code of the version before into an empty folder, and installs its packages. */
export async function installVersionBefore(folder: string): Promise<InstalledVersion> {
  const commit = await commitBefore();
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  process.stdout.write(`${commit} installed in ${folder}\n`);
  return installedVersion(folder);
}

/** Returns the version in a folder whose packages are installed. */
export function installedVersion(folder: string): InstalledVersion {
  if (!existsSync(join(folder, 'node_modules'))) throw new Error(`${folder}: expected installed packages`);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { version, folder };
}
