import type { Database } from './database.ts';

const remembered = new WeakMap<Database, Promise<Buffer>>();

/** The secret with which cursors are signed: the same in every process on one database, asked for once in each. */
export function cursorSecret(database: Database): Promise<Buffer> {
  const known = remembered.get(database);
  if (known !== undefined) return known;
  const asked = read(database);
  remembered.set(database, asked);
  asked.catch(() => remembered.delete(database));
  return asked;
}

async function read(database: Database): Promise<Buffer> {
  const rows = await database.query<{ value: Uint8Array }>('secret', `select value from secret where name = $1`, [
    'cursor',
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the secret of cursors is missing from the database');
  return Buffer.from(row.value);
}
