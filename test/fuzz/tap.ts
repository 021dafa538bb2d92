import { PGlite } from '@electric-sql/pglite';
import type { PGliteInterface } from '@electric-sql/pglite';

// Loaded before the service where it runs on the embedded database, which no other process can look into: answers what
// the suite asks of that database, beside the service.

export interface Question {
  id: number;
  text: string;
  values: unknown[];
}
export type Told = { id: number } & ({ rows: unknown[] } | { error: string });

let opened: PGliteInterface | undefined;
const create = PGlite.create.bind(PGlite);
const remember = async (options: Parameters<typeof create>[0]) => {
  const pglite = await create(options);
  opened = pglite;
  return pglite;
};
Object.defineProperty(PGlite, 'create', { value: remember });

async function answer({ id, text, values }: Question): Promise<Told> {
  try {
    if (opened === undefined) throw new Error('no database is open');
    // As its superuser, whom no policy keeps out.
    const rows = await opened.transaction(async (own) => {
      await own.exec('set local role postgres');
      return (await own.query(text, values)).rows;
    });
    return { id, rows };
  } catch (error) {
    return { id, error: String(error) };
  }
}

process.on('message', (question: Question) => {
  void answer(question).then((told) => process.send?.(told));
});
process.channel?.unref(); // it is no reason to stay
