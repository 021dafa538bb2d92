import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { binDirectory } from '../../support/servers/postgresql.ts';
import { SEARCH_PATH, hasPgBouncer } from '../../support/servers/pgbouncer.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const INSTALL_PGBOUNCER = '.ci/install-pgbouncer';

const responds = (program: string, ...args: string[]) =>
  spawnSync(program, args, { env: { PATH: SEARCH_PATH } }).status === 0;

/** Debian packages that the suite needs besides PgBouncer, and the checks for them. */
const PACKAGES = [
  { name: 'postgresql', isInstalled: () => binDirectory !== undefined },
  { name: 'patroni', isInstalled: () => responds('patroni', '--version') },
  { name: 'etcd-server', isInstalled: () => responds('etcd', '--version') },
  { name: 'etcd-client', isInstalled: () => responds('etcdctl', 'version') },
  { name: 'haproxy', isInstalled: () => responds('haproxy', '-v') },
  { name: 'redis-server', isInstalled: () => responds('redis-server', '--version') },
];

const missingPackages = (packages: typeof PACKAGES): string[] =>
  packages.filter(({ isInstalled }) => !isInstalled()).map(({ name }) => name);

/** Command that installs HAProxy; none if it is installed. */
export const missingHaproxy = (): string[] =>
  missingPackages(PACKAGES.filter(({ name }) => name === 'haproxy')).map((name) => `apt-get install -y ${name}`);

/** Commands that install what is missing; none if the suite can run. */
export function missingPrograms(): string[] {
  const packages = missingPackages(PACKAGES);
  return [
    ...(packages.length === 0 ? [] : [`apt-get install -y ${packages.join(' ')}`]),
    ...(hasPgBouncer ? [] : [INSTALL_PGBOUNCER]),
  ];
}

/** Runs the commands, as root. */
export function install(commands: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const command of ['apt-get update', ...commands]) {
    const [program = '', ...args] = command.split(' ');
    execFileSync(program, args, { cwd: ROOT, env, stdio: 'inherit' });
  }
}

const versionOf = (program: string, args: string[], pattern: RegExp) =>
  pattern.exec(spawnSync(program, args, { env: { PATH: SEARCH_PATH }, encoding: 'utf8' }).stdout)?.[1] ?? '?';

export const haproxyVersion = (): string => `HAProxy ${versionOf('haproxy', ['-v'], /version ([\d.]+)/)}`;

/** Names and versions of the programs, for the report. */
export const programVersions = (): string =>
  [
    `PostgreSQL ${versionOf(join(binDirectory ?? '', 'postgres'), ['--version'], /\) ([\d.]+)/)}`,
    `Patroni ${versionOf('patroni', ['--version'], /([\d.]+)/)}`,
    `etcd ${versionOf('etcd', ['--version'], /([\d.]+)/)}`,
    haproxyVersion(),
    `PgBouncer ${versionOf('pgbouncer', ['--version'], /([\d.]+)/)}`,
    `Redis ${versionOf('redis-server', ['--version'], /v=([\d.]+)/)}`,
  ].join(', ');
