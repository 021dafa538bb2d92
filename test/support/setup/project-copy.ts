import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const execute = promisify(execFile);

/** A copy of the project, until the end of the test. */
interface ProjectCopy {
  folder: string;
  /** Runs a command of bash in the copy, on the embedded database. Fails the test if the command fails. */
  run: (command: string) => Promise<{ stdout: string; stderr: string }>;
}

/**
 * Copies the tracked files of the project to a temporary folder. The copy shares the installed packages, and has caches of its own,
 * so that a command in it does not change those of the project.
 */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'project-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { stdout } = await execute('git', ['ls-files', '-z'], { cwd: root });
  const files = stdout.split('\0').filter((name) => name !== '');
  for (const parent of new Set(files.map((file) => dirname(file))))
    await mkdir(join(folder, parent), { recursive: true });
  await Promise.all(files.map((file) => copyFile(join(root, file), join(folder, file))));
  for (const packages of ['node_modules', 'app/node_modules', 'docs/clients/node_modules'])
    await linkPackages(join(root, packages), join(folder, packages));
  const { DATABASE_URL: _databaseUrl, ...env } = process.env;
  return {
    folder,
    run: (command) =>
      execute('bash', ['-ec', command], { cwd: folder, env }).catch((error: { stdout: string; stderr: string }) =>
        expect.fail(`${command}: ${error.stdout}${error.stderr}`),
      ),
  };
}

/** Links each package of a folder. The links of npm to the workspaces lead to those of the copy. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name.startsWith('@')) await linkPackages(source, target);
    else if (entry.name === '.bin' || !entry.name.startsWith('.')) await symlink(source, target);
  }
}
