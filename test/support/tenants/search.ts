import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { addSearchReaders } from '../../../entities/search/indexing.ts';
import { indexNext } from '../../../procedures/search/job.ts';
import { database } from '../database/database.ts';
import { sealAll } from './webhooks.ts';

/** Makes the search of a company that of all its events, as the job of the service does. */
export async function indexAll(company: { id: number }): Promise<void> {
  await sealAll(company);
  await new Session(database, null, 'search').run(addSearchReaders, {});
  const session = new Session(database, operatorPrincipal(company.id), 'search');
  while (await indexNext(session));
}

interface Searcher {
  search: {
    find: (input: {
      q: string;
      type?: 'task';
      limit?: number;
    }) => Promise<{ items: { type: string; title: string }[] }>;
  };
}

/** Type and title of what a caller finds, best first. */
export async function find({ search }: Searcher, q: string, input: object = {}): Promise<string[]> {
  const { items } = await search.find({ q, ...input });
  return items.map(({ type, title }) => `${type}: ${title}`);
}
