import { openEmbedded } from '../../entities/database/embedded.ts';
import { knownMigrations } from '../../entities/database/migrations.ts';
import { Session } from '../../entities/database/session.ts';
import { operatorOf } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { BadSetting } from '../config.ts';
import { databaseFolder } from '../data-folder.ts';
import { unpack } from './archive.ts';
import type { Manifest } from './archive.ts';

const REQUEST_ID = 'backup';

type Trail = Awaited<ReturnType<ReturnType<typeof callerOf>['audit']['verify']>>;

/** What a backup was found to hold. */
export interface Proof {
  madeAt: string;
  /** Rows of each table. */
  rows: Manifest['rows'];
  /** What verifying the trail of each company says. */
  trails: ({ company: number; name: string } & Pick<Trail, 'intact' | 'reason' | 'sealed' | 'head'>)[];
}

/**
 * Unpacks a backup into an empty folder, opens the database in it and holds it to the manifest and to its own trail. The
 * schema is brought up to date first, as a start would.
 * @throws BadSetting where the backup is not whole, or not for this version
 */
export async function prove(file: string, folder: string): Promise<Proof> {
  const manifest = await unpack(file, folder);
  const known = new Set(await knownMigrations());
  const unknown = manifest.migrations.find((name) => !known.has(name));
  if (unknown !== undefined) throw new BadSetting(`${file} was made by a newer version, with ${unknown}`);
  const database = await openEmbedded(databaseFolder(folder)).catch((cause: unknown) => {
    throw new BadSetting(`${file} cannot be opened; it was made by PostgreSQL ${manifest.postgresql}`, { cause });
  });
  try {
    const { migrations, rows } = manifest;
    const found = await database.files?.contents();
    if (JSON.stringify([found?.migrations, found?.rows]) !== JSON.stringify([migrations, rows])) {
      throw new BadSetting(`${file} holds other rows than it says`);
    }
    await database.migrate();
    const trails: Proof['trails'] = [];
    for (const { id, name } of await callerOf(database, null).company.list()) {
      const { intact, reason, sealed, head } = await callerOf(database, operatorOf(id)).audit.verify({});
      trails.push({ company: id, name, intact, reason, sealed, head });
    }
    return { madeAt: manifest.madeAt, rows, trails };
  } finally {
    await database.close();
  }
}

const callerOf = (...[database, principal]: Parameters<typeof sessionOf>) =>
  createCaller({ requestId: REQUEST_ID, address: null, caller: 'operator', session: sessionOf(database, principal) })
    .management;

const sessionOf = (
  database: ConstructorParameters<typeof Session>[0],
  principal: ConstructorParameters<typeof Session>[1],
) => new Session(database, principal, REQUEST_ID);
