import { generateKeyPairSync } from 'node:crypto';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '../../database/version.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { loadSettings } from '../../server/config/settings.ts';
import { binDirectory, startPostgreSql, hasPostgreSql } from '../support/servers/postgresql.ts';
import { withClient } from '../support/database/client.ts';
import { databaseUrl } from '../support/database/database.ts';
import { until } from '../support/servers/until.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';

const root = join(import.meta.dirname, '../..');
const readText = (name: string) => readFile(join(root, name), 'utf8');

interface Manifest {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
}
const manifest = JSON.parse(await readText('package.json')) as Manifest;

/** Instructions of the Dockerfile with their arguments. */
const dockerfile = (await readText('Dockerfile'))
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ instruction: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
const imageLines = dockerfile.slice(dockerfile.findLastIndex(({ instruction }) => instruction === 'FROM'));
const instructions = (instruction: string) =>
  imageLines.filter((line) => line.instruction === instruction).map(({ rest }) => rest);
const imageEnvironment = Object.fromEntries(
  instructions('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
);
/** Directories of this repository that the image contains. */
const imageFolders = instructions('COPY').flatMap((line) => /^(\w+) \1$/.exec(line)?.[1] ?? []);
/** Those with code. The guides are shown, not run. */
const codeFolders = imageFolders.filter((name) => name !== 'docs');

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      depends_on?: object;
      configs?: { source: string }[];
      entrypoint?: string[];
    }
  >;
  configs: Record<string, { content: string }>;
}
/** Values for the variables of the compose file, which `.env` sets in production. */
const composeVariables: Record<string, string> = {
  POSTGRES_PASSWORD: 'postgres1',
  OWNER_PASSWORD: 'owner1',
  APP_PASSWORD: 'app1',
  BACKUP_PASSWORD: 'backup1',
  BACKUP_HOURS: '24',
  BACKUP_DAYS: '14',
  OPERATOR_TOKEN: 'token'.repeat(8),
  APP_URL: 'https://compliance.example.com',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  TIMESTAMP_URL: 'https://timestamp.example.com',
};
const composeText = (await readText('deploy/compose.yaml')).replaceAll(
  /\$\{(\w+):(?:\?|-[^}]*)\}/g,
  (_, name: string) => composeVariables[name] ?? '',
);
const compose = parse(composeText) as Compose;
const apiEnvironment = compose.services['api']?.environment ?? {};

describe('production code', () => {
  test('imports only packages that are dependencies, each in one exact version', async () => {
    const imported = new Set<string>();
    for (const folder of codeFolders) {
      for (const file of await readdir(join(root, folder), { recursive: true })) {
        if (!file.endsWith('.ts')) continue;
        const code = await readText(join(folder, file));
        for (const [, name = ''] of code.matchAll(/(?:from |import\(|import\.meta\.resolve\()'([^'.][^']*)'/g)) {
          if (!isBuiltin(name)) imported.add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
        }
      }
    }
    expect([...imported]).toContain('pg');
    expect([...imported].filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([]);
    for (const version of Object.values(manifest.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('is in the image, and the build context contains nothing else', async () => {
    expect(imageFolders).toEqual(['cli', 'database', 'docs', 'entities', 'migrations', 'procedures', 'server']);
    const allowed = (await readText('.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
    expect(allowed.toSorted()).toEqual(
      ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE', 'app', 'clients', ...imageFolders]
        .map((name) => `!${name}`)
        .toSorted(),
    );
    expect(await readText('.dockerignore')).toMatch(/^\*$/m);
    for (const folder of codeFolders) {
      for (const file of await readdir(join(root, folder), { recursive: true })) {
        if (!file.endsWith('.ts')) continue;
        for (const [, path = ''] of (await readText(join(folder, file))).matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
          expect(['package.json', ...codeFolders]).toContain(join(dirname(join(folder, file)), path).split('/')[0]);
        }
      }
    }
  });
});

describe('the image', () => {
  test('contains the builds of the application and of the packages for clients, and nothing else of that stage', () => {
    expect(instructions('COPY').filter((line) => line.includes('--from=builds'))).toEqual([
      '--from=builds /app/app/dist app/dist',
      '--from=builds /app/dist/packages dist/packages',
    ]);
  });

  test('starts like npm start, as a user other than root', () => {
    const [command = ''] = instructions('CMD');
    const arenas = `MALLOC_ARENA_MAX=${imageEnvironment['MALLOC_ARENA_MAX']}`;
    expect(`${arenas} exec ${(JSON.parse(command) as string[]).join(' ')}`).toBe(manifest.scripts['start']);
    // A number, so that a platform can verify that it is not root. Another user belongs to the group 0.
    expect(instructions('USER')).toEqual(['1000']);
    expect(instructions('RUN')).toEqual([expect.stringMatching(/install -d -o 1000 -g 0 -m 770 \/data$/)]);
    expect(imageLines.findIndex(({ instruction }) => instruction === 'USER')).toBeGreaterThan(
      imageLines.findLastIndex(({ instruction }) => instruction === 'RUN'),
    );
  });

  test('sets existing settings only, and stores data in its volume', () => {
    const { NODE_ENV, MALLOC_ARENA_MAX, TMPDIR, ...settings } = imageEnvironment;
    expect({ NODE_ENV, MALLOC_ARENA_MAX }).toEqual({ NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' });
    // Received files wait in TMPDIR, also with a read-only root.
    expect(TMPDIR).toBe(settings['DATA_DIR']);
    expect(loadSettings(settings)).toMatchObject({ host: settings['HOST'], dataDir: settings['DATA_DIR'] });
    expect(Object.keys(settings)).toEqual(['HOST', 'DATA_DIR']);
    expect(settings['HOST']).toBe('::'); // both families
    expect(instructions('VOLUME')).toEqual([settings['DATA_DIR']]);
    expect(instructions('EXPOSE')).toEqual([String(loadSettings({}).port)]);
  });
});

describe('the compose file', () => {
  test('documents every variable of .env, and sets existing settings only', async () => {
    expect(composeText).not.toContain('${');
    for (const name of Object.keys(composeVariables))
      expect(await readText('deploy/compose.yaml')).toMatch(new RegExp(`^#.*${name}`, 'm'));
    const known = (await readText('docs/operations.md')).match(/`[A-Z_]+`/g) ?? [];
    for (const name of Object.keys(apiEnvironment)) expect(known).toContain(`\`${name}\``);
    expect(loadSettings(apiEnvironment)).toMatchObject({
      databaseUrl: apiEnvironment['DATABASE_URL'],
      migrationDatabaseUrl: apiEnvironment['MIGRATION_DATABASE_URL'],
      redisUrl: apiEnvironment['REDIS_URL'],
      operatorToken: composeVariables['OPERATOR_TOKEN'],
      appUrl: composeVariables['APP_URL'],
      encryptionKey: composeVariables['ENCRYPTION_KEY'],
    });
  });

  test('starts the services that its URLs name first', () => {
    const hosts = ['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'REDIS_URL'].map(
      (name) => new URL(apiEnvironment[name] ?? '').hostname,
    );
    expect(Object.keys(compose.services['api']?.depends_on ?? {}).toSorted()).toEqual([...new Set(hosts)].toSorted());
    for (const host of hosts) expect(Object.keys(compose.services)).toContain(host);
  });
});

describe('an installation without development dependencies', () => {
  let folder: string;
  let installed: string;
  let installedEntries: Set<string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-'));
    installed = join(folder, 'app');
    await mkdir(installed);
    const lock = JSON.parse(await readText('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean; optional?: boolean }>;
    };
    const copy = (name: string) =>
      cp(join(root, name), join(installed, name), { recursive: true, mode: constants.COPYFILE_FICLONE });
    for (const name of ['package.json', ...imageFolders]) await copy(name);
    for (const [name, { dev, devOptional, link, optional }] of Object.entries(lock.packages)) {
      // A nested package is copied with its parent; an optional one may not be installed on this machine.
      const isTopLevel = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name) && !dev && !devOptional && !link;
      if (isTopLevel && (optional !== true || existsSync(join(root, name)))) await copy(name);
    }
    execFileSync('chmod', ['-R', 'a-w', installed]);
    installedEntries = await entriesOf(installed);
  });
  afterAll(async () => {
    execFileSync('chmod', ['-R', 'u+w', installed]);
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Lists the files and folders in a folder with their sizes and times of change. A start by root, for whom no file is
   * read-only, would change an entry.
   */
  async function entriesOf(path: string): Promise<Set<string>> {
    const entries = ['.', ...(await readdir(path, { recursive: true }))].map(async (name) => {
      const { size, mtimeMs } = await lstat(join(path, name));
      return `${name} ${size} ${mtimeMs}`;
    });
    return new Set(await Promise.all(entries));
  }

  /** A table that makes the schema of the database differ from that of the entities. */
  const OTHER_TABLE = 'create table of_another_application (id integer primary key)';

  /** Settings of a start whose cache of compiled modules is where it is without tests. */
  const production = () => ({ DATA_DIR: join(folder, 'data'), HOME: join(folder, 'home'), NODE_COMPILE_CACHE: '' });

  /** Pages of each kind, which need the guides and every package that makes them. */
  const PAGES = ['/docs', '/docs/contract', '/docs/mcp', '/docs/commands', '/docs/reference', '/llms.txt'];

  /** Returns those pages that a service shows. */
  async function shownPages(origin: string): Promise<string[]> {
    const shown: string[] = [];
    for (const path of PAGES) if ((await fetch(origin + path)).ok) shown.push(path);
    return shown;
  }

  /** Runs the health check of the image against a server on this port. */
  function check(port: string): number | null {
    const command = JSON.parse(instructions('HEALTHCHECK')[0]?.replace(/^.*?CMD /, '') ?? '') as [string, ...string[]];
    expect(command[0]).toBe('node');
    return spawnSync(process.execPath, command.slice(1), { env: { PORT: port } }).status;
  }

  test.runIf(databaseUrl === undefined)(
    'starts on the embedded database from a read-only folder and leaves it as it was, and its health check works',
    async () => {
      const databaseFolder = databaseDir(production().DATA_DIR);
      await mkdir(databaseFolder, { recursive: true });
      const other = new PGlite({ dataDir: databaseFolder, loadDataDir: await dataDir() });
      await other.exec(OTHER_TABLE);
      await other.close();
      const started = await startServiceProcess(production(), undefined, installed);
      expect(started.output).toContain('svc_sk_live_');
      const { port } = new URL(started.url);
      expect(check(port)).toBe(0);
      expect(await shownPages(started.url)).toEqual(PAGES);
      expect(await stopServiceProcess(started)).toBe(0);
      expect(check(port)).toBe(1);
      expect([...installedEntries.symmetricDifference(await entriesOf(installed))]).toEqual([]);
    },
  );

  /** Makes one backup with the command of the compose file, and stops it. @returns the lines that it wrote */
  async function runBackup(settings: Record<string, string>): Promise<string> {
    const [shell = '', ...args] =
      compose.services['backup']?.entrypoint?.map((text) => text.replaceAll('$$', '$')) ?? [];
    const environment = { ...compose.services['backup']?.environment, ...settings };
    const PATH = `${binDirectory}:${process.env['PATH']}`;
    const child = spawn(shell, args, { env: { PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += String(data)));
    await until(() => Promise.resolve(/^backup: .*\n/m.test(output)), 'a backup', 60_000);
    child.kill('SIGTERM');
    expect(await exited).toEqual([expect.any(Number), null]);
    return output;
  }

  // Uses a separate server, because roles exist once per server.
  test.runIf(databaseUrl !== undefined && hasPostgreSql)(
    'starts on PostgreSQL from a read-only folder with the roles of the compose file, whose backup is complete',
    async () => {
      const server = await startPostgreSql();
      try {
        const source = compose.services['postgres']?.configs?.[0]?.source ?? '';
        const statements = compose.configs[source]?.content.split(';\n') ?? [];
        for (const statement of statements.filter((text) => text.trim() !== '')) await server.sql(statement);
        const { host } = new URL(server.url);
        const urlOnServer = (name: string) => Object.assign(new URL(apiEnvironment[name] ?? ''), { host }).href;
        await withClient(urlOnServer('MIGRATION_DATABASE_URL'), (other) => other.query(OTHER_TABLE));
        const started = await startServiceProcess(
          {
            ...production(),
            DATABASE_URL: urlOnServer('DATABASE_URL'),
            MIGRATION_DATABASE_URL: urlOnServer('MIGRATION_DATABASE_URL'),
            OPERATOR_TOKEN: composeVariables['OPERATOR_TOKEN'] ?? '',
          },
          undefined,
          installed,
        );
        const ready = await fetch(`${started.url}/readyz`);
        expect(await ready.json()).toEqual({ status: 'ok' });
        expect(await shownPages(started.url)).toEqual(PAGES);
        expect(await stopServiceProcess(started)).toBe(0);
        expect([...installedEntries.symmetricDifference(await entriesOf(installed))]).toEqual([]);

        const { hostname: PGHOST, port: PGPORT } = new URL(server.url);
        const BACKUP_DIR = join(folder, 'backups');
        const old = 'compliance-20200101T000000Z.dump';
        await mkdir(BACKUP_DIR);
        for (const name of [old, `${old}.part`]) await writeFile(join(BACKUP_DIR, name), '');
        await utimes(join(BACKUP_DIR, old), 0, 0);
        const failed = await runBackup({ BACKUP_DIR, PGHOST, PGPORT, PGUSER: 'nobody' });
        expect(failed).toMatch(/"nobody" does not exist\nbackup: failed\n$/);
        expect(await readdir(BACKUP_DIR)).toEqual([old]);
        expect(await runBackup({ BACKUP_DIR, PGHOST, PGPORT })).toMatch(/^backup: \S+\.dump\n$/);
        const dumps = await readdir(BACKUP_DIR);
        expect(dumps).toEqual([expect.stringMatching(/^compliance-2\d{7}T\d{6}Z\.dump$/)]);
        expect(dumps).not.toEqual([old]);
        const program = join(binDirectory ?? '', 'pg_restore');
        const data = ['--file=-', '--data-only', '--table=data_version', join(BACKUP_DIR, dumps[0] ?? '')];
        expect(execFileSync(program, data, { encoding: 'utf8' })).toContain(`\t${VERSION}`);
      } finally {
        await server.remove();
      }
    },
  );
});
