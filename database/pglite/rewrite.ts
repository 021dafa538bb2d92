import { PERSONAL_TABLES } from '../../entities/personal-data/index.ts';
import type { RewriteScope } from '../../entities/rewrite/rewrite-request.ts';
import type { Rewriter } from '../driver.ts';
import type { SuperuserQuery } from './superuser.ts';

/**
 * Deleted values stay in free space, in indexes and in statistics: `vacuum` only marks the space as free. `vacuum full` writes new
 * files. `analyze` keeps the statistics of an empty table, so they are deleted. A kill leaves the request for the next start.
 * @param command runs a statement outside of a transaction, as the superuser
 */
export function rewriter(query: SuperuserQuery, command: (text: string) => Promise<void>): Rewriter {
  const requestedScopes = async () => {
    const [exists] = await query<object>(`select 1 where to_regclass('rewrite_request') is not null`);
    return exists === undefined ? [] : query<{ scope: RewriteScope }>('select scope from rewrite_request');
  };
  return {
    isRequested: async () => (await requestedScopes()).length > 0,
    async run() {
      const scopes = await requestedScopes();
      if (scopes.length === 0) return 0;
      const tables = scopes.some(({ scope }) => scope === 'all') ? await everyTable(query) : PERSONAL_TABLES;
      const list = tables.map((table) => `"${table}"`).join(', ');
      const regclasses = tables.map((table) => `'"${table}"'::regclass`).join(', ');
      await query(`delete from pg_statistic where starelid in (${regclasses})
        or starelid in (select indexrelid from pg_index where indrelid in (${regclasses}))`);
      await command(`vacuum (full, analyze) ${list}`);
      await command('vacuum full pg_statistic');
      // The files of the tables before are removed at a checkpoint.
      await command('checkpoint');
      await query('delete from rewrite_request');
      return tables.length;
    },
  };
}

async function everyTable(query: SuperuserQuery): Promise<string[]> {
  const rows = await query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  return rows.map(({ name }) => name);
}
