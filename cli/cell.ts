import { initTRPC } from '@trpc/server';
import { errorLine } from '../database/errors.ts';
import { readSecret } from '../database/installation.ts';
import { connectOwner } from '../database/postgresql/owner.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { Settings } from '../server/config/settings.ts';

/** Creates the command that prints the secrets that all cells share and that a migration has made here. It calls no server. */
export function cellCommands({ cursorSecret, migrationDatabaseUrl, databaseUrl }: Settings) {
  const t = initTRPC.meta<Meta>().create();
  return {
    secrets: t.procedure
      .meta({ description: 'Print the CURSOR_SECRET of an installation that has set none, for its other cells' })
      .query(async () => {
        if (cursorSecret !== undefined)
          throw new ConfigError('CURSOR_SECRET: is already set; use its value in the other cells');
        const url = migrationDatabaseUrl ?? databaseUrl;
        if (url === undefined) throw new ConfigError('DATABASE_URL: required for cells, which need PostgreSQL');
        const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
        return `CURSOR_SECRET=${(await readCursorSecret(url, name)).toString('base64')}`;
      }),
  };
}

/** @throws ConfigError that names the setting, if the database cannot be read */
async function readCursorSecret(url: string, name: string): Promise<Buffer> {
  try {
    const owner = await connectOwner(url);
    try {
      return await readSecret({ query: (_, text, values) => owner.query(text, values) }, 'cursor');
    } finally {
      await owner.close();
    }
  } catch (error) {
    throw new ConfigError(`${name}: ${errorLine(error)}`, { cause: error });
  }
}
