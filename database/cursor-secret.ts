import type { Database } from './database.ts';

const secrets = new WeakMap<Database, Promise<Buffer>>();

/** Secret that signs cursors. All processes on one database share it, and each process reads it once. */
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
  if (row === undefined) throw new Error('secret: the database has no row named cursor');
  return Buffer.from(row.value);
}
