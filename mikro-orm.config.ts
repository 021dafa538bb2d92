import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './database/orm/options.ts';
import { loadSettings } from './server/config/settings.ts';

/** For the ORM's command line: `npx mikro-orm migration:create` and `migration:check`. Needs DATABASE_URL. */
export default defineConfig({
  ...ormOptions,
  clientUrl: loadSettings().databaseUrl ?? 'postgresql://127.0.0.1:5432/compliance',
});
