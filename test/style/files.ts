import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The files of the project that Git knows or does not ignore. */
export const projectFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => existsSync(file));
