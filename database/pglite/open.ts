import type { ClientBase } from 'pg';
import { acquireLease, openConnections } from '../connection/connections.ts';
import { withDeadline } from '../connection/kysely-pool.ts';
import { Database } from '../database.ts';
import { openOrm } from '../orm/open.ts';
import { grantStatements } from '../orm/privileges.ts';
import { isMigrated } from '../orm/migrations.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import { databaseFiles } from './data-directory.ts';
import { EmbeddedServer } from './server.ts';

/** Role of the service. PGlite's default role is a superuser, which bypasses row-level security. */
const SERVICE_ROLE = 'compliance_app';

const CREATE_SERVICE_ROLE = `do $$ begin create role ${SERVICE_ROLE}; exception when duplicate_object then null; end $$`;
/** Does nothing before the first migration, which is followed by the creation of the role. */
const SET_SERVICE_ROLE = `select set_config('role', rolname, false) from pg_roles where rolname = '${SERVICE_ROLE}'`;

/** Commands that give a connection a new session. PGlite has only one, which keeps its state when a connection ends. */
const NEW_SESSION = [
  'rollback',
  'discard all',
  'listen api_key_changed',
  SET_SERVICE_ROLE,
];

/** One connection executes everything, so more requests wait than for a connection to PostgreSQL. */
const MAX_QUEUE_LENGTH = 1000;
/** Reads that follow each other on the connection before others, such as a write, get it. */
const MAX_PIPELINED_READS = 32;
/** Maximum number of milliseconds for all migrations. */
const MIGRATION_TIMEOUT_MS = 600_000;

/** Opens the embedded database, in memory or in a folder that no other process uses. */
export async function openPglite(folder?: string): Promise<Database> {
  const server = new EmbeddedServer(folder);
  await server.open();
  let onKeysChanged = () => {};
  const startSession = async (client: ClientBase) => {
    client.on('notification', () => onKeysChanged());
    for (const command of NEW_SESSION) await client.query(command);
  };
  const { pool, run, transaction, close } = openConnections(
    { stream: server.stream, user: 'postgres', database: 'postgres', onConnect: startSession },
    {
      connections: 1,
      queueLength: MAX_QUEUE_LENGTH,
      // A statement cannot be canceled, so the deadline of its request is its only limit.
      queryTimeoutMs: Infinity,
      maxPipelinedReads: MAX_PIPELINED_READS,
    },
  );
  const query = (name: string, text: string) =>
    run({ name, text, values: [] }, { write: false, deadline: performance.now() + TIMEOUTS_MS.request });
  const command = async (text: string, deadline: number) => {
    const { client, release } = await acquireLease(pool, { write: true, deadline });
    await client.query(text).finally(() => release());
  };
  let orm: ReturnType<typeof openOrm> | undefined;
  const openEmbeddedOrm = () => (orm ??= openOrm('postgresql://postgres@localhost/postgres', pool));
  return new Database({
    pool,
    openOrm: openEmbeddedOrm,
    run,
    // All other statements wait until it ends, so `work` must not wait for a statement outside of it.
    transaction,
    withDeadline,
    migrate: async () => {
      const deadline = performance.now() + MIGRATION_TIMEOUT_MS;
      await command('reset role', deadline);
      const applied = await withDeadline(deadline, async () => (await openEmbeddedOrm()).migrator.up());
      if (applied.length > 0) {
        await command(CREATE_SERVICE_ROLE, deadline);
        await command(grantStatements(SERVICE_ROLE), deadline);
        await command('revoke temporary on database postgres from public', deadline);
      }
      await command(SET_SERVICE_ROLE, deadline);
    },
    isMigrated: () => isMigrated(query),
    missingPrivileges: async () => undefined,
    excessPrivileges: async () => undefined,
    ...(folder !== undefined && { files: databaseFiles(pool, folder) }),
    listenForKeyChanges: async (listener) => {
      onKeysChanged = listener;
      return async () => {};
    },
    close: async () => {
      await close();
      await server.close();
    },
  });
}
