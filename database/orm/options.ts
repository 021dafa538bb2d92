import type { Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { entities } from '../../entities/index.ts';
import { MIGRATIONS_DIR } from './migrations.ts';

/** ORM options for all drivers. */
export const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: MIGRATIONS_DIR,
    snapshotName: 'snapshot',
    allOrNothing: true,
    disableForeignKeys: false,
    silent: true,
  },
} satisfies Partial<Options>;
