import { PGlite } from '@electric-sql/pglite';
import type { PGliteInterface } from '@electric-sql/pglite';

// Loaded before the service where it runs on the embedded database, which no other process can look into: answers what
// the suite asks of that database, beside the service.

export interface SqlRequest {
  id: number;
  text: string;
  values: unknown[];
}
export type SqlResponse = { id: number } & ({ rows: unknown[] } | { error: string });

let openedDatabase: PGliteInterface | undefined;
const createPglite = PGlite.create.bind(PGlite);
const createAndKeep = async (options: Parameters<typeof createPglite>[0]) => {
  const pglite = await createPglite(options);
  openedDatabase = pglite;
  return pglite;
};
Object.defineProperty(PGlite, 'create', { value: createAndKeep });

async function runSql({ id, text, values }: SqlRequest): Promise<SqlResponse> {
  try {
    if (openedDatabase === undefined) throw new Error('no database is open');
    // As its superuser, whom no policy keeps out.
    const rows = await openedDatabase.transaction(async (own) => {
      await own.exec('set local role postgres');
      return (await own.query(text, values)).rows;
    });
    return { id, rows };
  } catch (error) {
    return { id, error: String(error) };
  }
}

process.on('message', (question: SqlRequest) => {
  void runSql(question).then((told) => process.send?.(told));
});
process.channel?.unref(); // it is no reason to stay
