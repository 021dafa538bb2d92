import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The code of a version, installed in a folder. */
export interface InstalledVersion {
  version: string;
  folder: string;
}

const root = join(import.meta.dirname, '..', '..', '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const versionIn = (text: string) => (JSON.parse(text) as { version: string }).version;

/** This code. */
export const currentVersion = (): InstalledVersion => ({
  version: versionIn(git('show', ':package.json')),
  folder: root,
});

/**
 * Finds the last commit of the version before: the parent of the commit that wrote the present number into package.json. Needs
 * the whole history.
 */
function commitBefore(): string {
  const [line = ''] = git('grep', '-h', '"version":', '--', 'package.json').split('\n');
  const introduced = git('log', '-1', '--format=%H', `-S${line.trim()}`, '--', 'package.json');
  return git('rev-parse', introduced === '' ? 'HEAD' : `${introduced}^`);
}

/** Unpacks the code of the version before into an empty folder, and installs its packages. */
export function installVersionBefore(folder: string): InstalledVersion {
  const archive = execFileSync('git', ['archive', commitBefore()], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  return installedVersion(folder);
}

/** Returns the version in a folder whose packages are installed. */
export function installedVersion(folder: string): InstalledVersion {
  if (!existsSync(join(folder, 'node_modules'))) throw new Error(`${folder}: expected installed packages`);
  return { version: versionIn(execFileSync('cat', [join(folder, 'package.json')], { encoding: 'utf8' })), folder };
}
