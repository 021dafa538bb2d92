import type { Database } from './database.ts';

const secrets = new WeakMap<Database, Promise<Buffer>>();

/** The secret with which cursors are signed: the same in every process on one database, asked for once in each. */
export function cursorSecret(database: Database): Promise<Buffer> {
  const cached = secrets.get(database);
  if (cached !== undefined) return cached;
  const pending = readSecret(database);
  secrets.set(database, pending);
  pending.catch(() => secrets.delete(database));
  return pending;
}

async function readSecret(database: Database): Promise<Buffer> {
  const rows = await database.query<{ value: Uint8Array }>(
    'secret.cursor',
    `select value from secret where name = $1`,
    ['cursor'],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the secret of cursors is missing from the database');
  return Buffer.from(row.value);
}
