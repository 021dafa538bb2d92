import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';

const latestMatch = (pattern: string) => globSync(pattern).toSorted().at(-1);

/** Where `initdb` and `postgres` are: Debian keeps them off the path. */
export const postgresBinDirectory = () => latestMatch('/usr/lib/postgresql/*/bin');
/** `PostgreSQL 15.20`. */
export const postgresVersion = () =>
  execFileSync(`${postgresBinDirectory()}/postgres`, ['--version'])
    .toString()
    .replace(/^.*\(PostgreSQL\) ([\d.]+).*$/s, 'PostgreSQL $1');
export const faketimeLibrary = () => latestMatch('/usr/lib/*/faketime/libfaketime.so.1');

const userExists = (name: string) => {
  try {
    return execFileSync('id', ['-u', name], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
};

/** What the suite needs beside Node.js, each with how to get it. */
const PREREQUISITES = [
  { what: 'Linux with /proc', is: () => existsSync('/proc/self/fd'), get: 'there is no other way' },
  { what: 'PostgreSQL’s programs', is: () => postgresBinDirectory() !== undefined, get: 'apt-get install postgresql' },
  { what: 'libfaketime', is: () => faketimeLibrary() !== undefined, get: 'apt-get install libfaketime' },
  { what: 'root, to mount a small tmpfs', is: () => process.getuid?.() === 0, get: 'run it as root' },
  { what: 'a user postgres, for its processes', is: () => userExists('postgres'), get: 'apt-get install postgresql' },
  { what: 'mount', is: () => existsSync('/usr/bin/mount') || existsSync('/bin/mount'), get: 'apt-get install mount' },
];

/** A line for each need. @returns whether all are met */
export function checkPrerequisites(print: (line: string) => void): boolean {
  const missing = PREREQUISITES.filter(({ is }) => !is());
  for (const need of PREREQUISITES)
    print(missing.includes(need) ? `missing  ${need.what}: ${need.get}` : `found    ${need.what}`);
  return missing.length === 0;
}
