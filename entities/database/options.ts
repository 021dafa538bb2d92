import { fileURLToPath } from 'node:url';
import type { Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { entities } from '../index.ts';

/** What the ORM is told whichever driver it has. */
export const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: fileURLToPath(new URL('../../migrations', import.meta.url)),
    snapshotName: 'snapshot',
    allOrNothing: true,
    disableForeignKeys: false,
    silent: true,
  },
} satisfies Partial<Options>;
