import { PERSONAL_TABLES } from '../../entities/personal-data/index.ts';
import type { RewriteScope } from '../../entities/rewrite/rewrite-request.ts';
import { acquireLease, openConnections } from '../connection/connections.ts';
import { withOptions } from '../connection/kysely-pool.ts';
import { Database } from '../database.ts';
import { openOrm } from '../orm/open.ts';
import { grantStatements } from '../orm/privileges.ts';
import { isMigrated } from '../orm/migrations.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import { inspectData } from '../upgrade/inspect.ts';
import type { Rewriter } from '../driver.ts';
import { databaseFiles } from './data-directory.ts';
import { maintenance } from './maintenance.ts';
import { CREATE_SERVICE_ROLE, SERVICE_ROLE, SET_SERVICE_ROLE } from './service-role.ts';
import { EmbeddedServer } from './server.ts';
import { superuserQuery, embeddedOwner } from './superuser.ts';
import type { SuperuserQuery } from './superuser.ts';

/** One connection executes everything, so more requests wait than for a connection to PostgreSQL. */
const MAX_QUEUE_LENGTH = 1000;
/** Reads that follow each other on the connection before others, such as a write, get it. */
const MAX_PIPELINED_READS = 32;
/** Maximum number of milliseconds for all migrations, and for the rewrite of tables. */
const MAINTENANCE_TIMEOUT_MS = 600_000;

/** Opens the embedded database, in memory or in a folder that no other process uses. */
export async function openPglite(folder?: string): Promise<Database> {
  const server = new EmbeddedServer(folder);
  await server.open();
  return embeddedDatabase(server, folder);
}

/** Returns the database of a server. The first query opens it. */
export function embeddedDatabase(server: EmbeddedServer, folder?: string): Database {
  const listenerByChannel = new Map<string, () => void>();
  const { pool, run, transaction, close } = openConnections(
    {
      stream: server.stream,
      user: 'postgres',
      database: 'postgres',
      onConnect: (client) => void client.on('notification', ({ channel }) => listenerByChannel.get(channel)?.()),
    },
    {
      connections: 1,
      queueLength: MAX_QUEUE_LENGTH,
      // A statement cannot be canceled, so the deadline of its request is its only limit.
      queryTimeoutMs: Infinity,
      // There is no server to reach: a new connection waits only for the statement that runs.
      connectTimeoutMs: 0,
      maxPipelinedReads: MAX_PIPELINED_READS,
    },
  );
  const query = (name: string, text: string) =>
    run({ name, text, values: [] }, { write: false, deadline: performance.now() + TIMEOUTS_MS.request });
  const command = async (text: string, deadline: number) => {
    const { client, release } = await acquireLease(pool, { write: true, deadline });
    await client.query(text).finally(() => release());
  };
  const asSuperuser = superuserQuery(pool);
  const inspect = () => inspectData(async (_, text) => ({ rows: await asSuperuser(text) }));
  const superuserCommand = async (text: string) => {
    const deadline = performance.now() + MAINTENANCE_TIMEOUT_MS;
    await command('reset role', deadline);
    try {
      await command(text, deadline);
    } finally {
      await command(SET_SERVICE_ROLE, deadline);
    }
  };
  const openEmbeddedOrm = () => openOrm('postgresql://postgres@localhost/postgres', pool);
  return new Database({
    openOrm: openEmbeddedOrm,
    // It cannot be unreachable, only busy, so a lookup waits as long as its request.
    lookupTimeoutMs: TIMEOUTS_MS.request,
    run,
    // All other statements wait until it ends, so `work` must not wait for a statement outside of it.
    transaction,
    migrate: async () => {
      const { pending } = await inspect();
      const deadline = performance.now() + MAINTENANCE_TIMEOUT_MS;
      await command('reset role', deadline);
      // Without pending migrations the ORM is not loaded, which takes longer than the rest.
      if (pending.length > 0) await withOptions({ deadline }, async () => (await openEmbeddedOrm()).migrator.up());
      await command(CREATE_SERVICE_ROLE, deadline);
      await command(grantStatements(SERVICE_ROLE), deadline);
      await command('revoke temporary on database postgres from public', deadline);
      await command(SET_SERVICE_ROLE, deadline);
    },
    isMigrated: () => isMigrated(query),
    inspect,
    embedded: {
      owner: embeddedOwner(pool),
      rewriter: rewriter(asSuperuser, superuserCommand),
      maintenance: maintenance(asSuperuser),
    },
    missingPrivileges: async () => undefined,
    excessPrivileges: async () => undefined,
    ...(folder !== undefined && { files: databaseFiles(pool, folder) }),
    listen: async (listeners) => {
      for (const [channel, listener] of Object.entries(listeners)) listenerByChannel.set(channel, listener);
      return async () => listenerByChannel.clear();
    },
    close: async () => {
      try {
        await close();
      } finally {
        await server.close();
      }
    },
  });
}

/**
 * Deleted values stay in free space, in indexes and in statistics: `vacuum` only marks the space as free. `vacuum full` writes new
 * files. `analyze` keeps the statistics of an empty table, so they are deleted. If the process is killed, the request stays for the next start.
 * @param command runs a statement outside of a transaction, as the superuser
 */
function rewriter(query: SuperuserQuery, command: (text: string) => Promise<void>): Rewriter {
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
      // A checkpoint removes the former files of the tables.
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
