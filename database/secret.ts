/** The database of a secret. */
interface Queryable {
  query<Row>(name: string, text: string, values: unknown[]): Promise<Row[]>;
}

/** Reads a secret that all processes on the database share. @throws Error if the database has no such secret */
export async function readSecret(database: Queryable, name: string): Promise<Buffer> {
  const text = 'select value from secret where name = $1';
  const [row] = await database.query<{ value: Uint8Array }>(`secret.${name}`, text, [name]);
  if (row === undefined) throw new Error(`secret: the database has no row named ${name}`);
  return Buffer.from(row.value);
}
