import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { binDirectory } from '../../../support/servers/postgresql.ts';

/** Name and version, such as `PostgreSQL 15.20`. */
export const postgresVersion = () =>
  execFileSync(`${binDirectory}/postgres`, ['--version'])
    .toString()
    .replace(/^.*\(PostgreSQL\) ([\d.]+).*$/s, 'PostgreSQL $1');
export const faketimeLibrary = (): string | undefined => globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];

const userExists = (name: string) => {
  try {
    return execFileSync('id', ['-u', name], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
};

/** Requirements of the suite besides Node.js, with their installation. */
const PREREQUISITES = [
  { name: 'Linux with /proc', isMet: () => existsSync('/proc/self/fd'), fix: 'run the suite on Linux' },
  {
    name: 'PostgreSQL server programs',
    isMet: () => binDirectory !== undefined,
    fix: 'apt-get install postgresql',
  },
  { name: 'libfaketime', isMet: () => faketimeLibrary() !== undefined, fix: 'apt-get install libfaketime' },
  { name: 'root privileges, to mount a tmpfs', isMet: () => process.getuid?.() === 0, fix: 'run the suite as root' },
  { name: 'the user postgres', isMet: () => userExists('postgres'), fix: 'apt-get install postgresql' },
  {
    name: 'mount',
    isMet: () => existsSync('/usr/bin/mount') || existsSync('/bin/mount'),
    fix: 'apt-get install mount',
  },
];

/** Prints a line for each requirement. @returns true if all are met */
export function checkPrerequisites(print: (line: string) => void): boolean {
  const missing = PREREQUISITES.filter(({ isMet }) => !isMet());
  for (const requirement of PREREQUISITES) {
    const { name, fix } = requirement;
    print(missing.includes(requirement) ? `missing  ${name}: ${fix}` : `found    ${name}`);
  }
  return missing.length === 0;
}
