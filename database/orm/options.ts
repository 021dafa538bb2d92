import type { Options } from '@mikro-orm/core';
import { entities } from '../../entities/index.ts';
import { MIGRATIONS_DIR } from './migrations.ts';
import { Migrator } from './migrator.ts';

/** ORM options for all drivers. */
export const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: MIGRATIONS_DIR,
    snapshotName: 'snapshot',
    // Only `npm run migration:create` writes the snapshot, not a start: other tables in the database must not enter it.
    snapshotOnMigrate: false,
    // Each migration has its own transaction: what is applied stays, and a kill repeats at most one.
    allOrNothing: false,
    disableForeignKeys: false,
    silent: true,
  },
} satisfies Partial<Options>;
