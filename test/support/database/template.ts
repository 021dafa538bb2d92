import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from './client.ts';

// Databases that are migrated once for each state of the migrations. Those of the tests are copies, so none waits for migrations.

const root = join(import.meta.dirname, '..', '..', '..');
const CACHE = join(root, 'node_modules', '.cache', 'templates');
/** Everything that decides what migrations make of an empty database. */
const SOURCES = [
  'migrations/*',
  'database/orm/*.ts',
  'database/pglite/*.ts',
  'node_modules/@electric-sql/pglite*/package.json',
];
const DAY_MS = 86_400_000;
/** Templates of other branches are kept for so long after their last use. */
const MAX_AGE_MS = 7 * DAY_MS;
/** Key of the advisory lock under which a run makes the template on PostgreSQL: an arbitrary number that nothing else uses. */
const TEMPLATE_LOCK_ID = 7_305_020_150;

const checksum = (): string =>
  hash(
    'sha256',
    globSync(SOURCES, { cwd: root })
      .toSorted()
      .map((file) => `${file}\n${readFileSync(join(root, file), 'utf8')}`)
      .join('\n'),
  ).slice(0, 16);

/** Name of the archive in the folder of a template. The data directory itself is beside it, as `pglite`. */
const ARCHIVE = 'pglite.tar';

/** Returns the folder of the migrated embedded database. Makes it if the migrations have changed. */
export async function embeddedTemplate(): Promise<string> {
  const folder = join(CACHE, checksum());
  if (existsSync(folder)) {
    await utimes(folder, new Date(), new Date());
    return folder;
  }
  await mkdir(CACHE, { recursive: true });
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - (await stat(path)).mtimeMs > MAX_AGE_MS) await rm(path, { recursive: true, force: true });
  }
  const made = await mkdtemp(`${folder}-`);
  const data = join(made, 'pglite');
  const [{ openPglite }, { PGlite }] = await Promise.all([
    import('../../../database/pglite/open.ts'),
    import('@electric-sql/pglite'),
  ]);
  const database = await openPglite(data);
  await database.migrate();
  await database.close();
  const pglite = await PGlite.create(data);
  await writeFile(join(made, ARCHIVE), Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()));
  await pglite.close();
  // Another run may have been faster.
  await rename(made, folder).catch(() => rm(made, { recursive: true }));
  return folder;
}

/** Path of the archive of a template, for `openPglite`. */
export const templateArchive = (folder: string): string => join(folder, ARCHIVE);

/**
 * Puts a migrated database into a data directory that has none, so that a service starts on it without preparing one.
 * @param dataDir DATA_DIR of the service
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  // Each run of tests loads this module, and most need only the functions above.
  const [{ databaseDir }, { recordPreparation }] = await Promise.all([
    import('../../../server/config/data-dir.ts'),
    import('../../../server/config/data-dir.ts'),
  ]);
  if (existsSync(databaseDir(dataDir))) return;
  await cp(join(await embeddedTemplate(), 'pglite'), databaseDir(dataDir), { recursive: true });
  await recordPreparation(dataDir);
}

/** Returns the name of a migrated database on a server. Makes it if the migrations have changed. */
export function postgreSqlTemplate(server: string): Promise<string> {
  const name = `compliance_template_${checksum()}`;
  return withClient(server, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK_ID]);
    const used = `comment on database ${name} is '${Date.now()}'`;
    const { rows } = await admin.query<{ name: string; used: string | null }>(
      `select datname as name, shobj_description(oid, 'pg_database') as used from pg_database
       where datname like 'compliance\\_template\\_%'`,
    );
    for (const other of rows)
      if (other.name !== name && Date.now() - Number(other.used) > MAX_AGE_MS)
        await admin.query(`drop database ${other.name} with (force)`);
    // Without the comment, the run that made it was ended before it was ready.
    if (rows.some((row) => row.name === name && row.used !== null)) {
      await admin.query(used);
      return name;
    }
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`create database ${name}`);
    const { openPostgreSql } = await import('../../../database/postgresql/open.ts');
    const database = await openPostgreSql(Object.assign(new URL(server), { pathname: `/${name}` }).href);
    await database.migrate();
    await database.close();
    await admin.query(used);
    return name;
  });
}
