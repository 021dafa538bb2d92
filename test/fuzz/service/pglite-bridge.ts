import { PGlite } from '@electric-sql/pglite';

// Preloaded into a service that runs on the embedded database, which no other process can open. Runs SQL that the suite sends
// over IPC, and sends the rows back.

export interface SqlRequest {
  id: number;
  text: string;
  values: unknown[];
}
export type SqlResponse = { id: number } & ({ rows: unknown[] } | { error: string });

let openedDatabase: PGlite | undefined;
const setDatabase = (pglite: PGlite) => (openedDatabase = pglite);

// The service queries its database when it opens it. The last one is current: a start may open and close others before.
const query: PGlite['query'] = Reflect.get(PGlite.prototype, 'query');
Object.defineProperty(PGlite.prototype, 'query', {
  value(this: PGlite, ...parameters: Parameters<typeof query>) {
    setDatabase(this);
    return query.apply(this, parameters);
  },
});

async function runSql({ id, text, values }: SqlRequest): Promise<SqlResponse> {
  try {
    if (openedDatabase === undefined) throw new Error('no database is open');
    // The superuser bypasses row-level security.
    const rows = await openedDatabase.transaction(async (transaction) => {
      await transaction.exec('set local role postgres');
      return (await transaction.query(text, values)).rows;
    });
    return { id, rows };
  } catch (error) {
    return { id, error: String(error) };
  }
}

process.on('message', (request: SqlRequest) => {
  void runSql(request).then((response) => process.send?.(response));
});
// The IPC channel must not keep the process alive.
process.channel?.unref();
