import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { SEARCH_TYPES } from '../../entities/search/document.ts';
import {
  MAX_SEALS,
  addSearchReaders,
  claimDocuments,
  findSearchCompanies,
  findSearchLag,
  pageIds,
  releaseDocuments,
  writeDocuments,
} from '../../entities/search/indexing.ts';
import type { SearchClaim } from '../../entities/search/indexing.ts';
import type { SearchObject } from '../../entities/search/objects.ts';
import { toVector } from '../../entities/search/words.ts';
import { slices } from '../core/slices.ts';
import type { CompaniesJob } from '../jobs/job.ts';
import { readSearchObjects, textsOf } from './objects.ts';
import type { ObjectId } from './objects.ts';

/** Milliseconds after new seals until the documents follow, so that changes of one object, and words of several, are written once. */
const COLLECT_MS = 800;
/** Objects of a company from before the index that one slice adds. */
const BUILD_PAGE_SIZE = 200;
/** Characters of the words that one statement writes. The embedded database serves no other request meanwhile. */
const MAX_WRITTEN_CHARACTERS = 60_000;

/** Documents that this process wrote. */
const documents = { written: 0 };

/** Keeps the documents of the search, as another reader of the seals. Contract, section 33. */
export const indexing: CompaniesJob = {
  kind: 'companies',
  name: 'index-search',
  failure: 'search: indexing failed',
  companyFailure: 'search: indexing a company failed',
  intervalMs: 1000,
  gauges: [
    {
      name: 'search_seals_waiting',
      help: 'Sealed events that the search does not show yet; NaN if the query fails',
      statement: findSearchLag,
      columns: ['seals'],
    },
  ],
  counters: [
    { name: 'search_documents_total', help: 'Documents that this process wrote for the search', counts: documents },
  ],
  open({ database, session }) {
    /** Resolves when there may be seals that the last search has missed. */
    let sealed = database.seals.next();
    return {
      async companies() {
        sealed = database.seals.next();
        const companies = await session.run(findSearchCompanies, {});
        if (companies.some(({ isNew }) => isNew)) await session.run(addSearchReaders, {});
        return companies.map(({ id }) => id);
      },
      runSlice: (company) => indexNext(session.asOperator(company)),
      async next() {
        await sealed;
        await wait(COLLECT_MS, undefined, { ref: false });
      },
    };
  },
};

/** The state of the building after a page. */
function nextBuild({ building }: SearchClaim, page: readonly ObjectId[]): Pick<SearchClaim, 'building' | 'builtId'> {
  if (building !== null && page.length === BUILD_PAGE_SIZE) return { building, builtId: page.at(-1)?.id ?? null };
  const next = building === null ? undefined : SEARCH_TYPES[SEARCH_TYPES.indexOf(building) + 1];
  return { building: next ?? null, builtId: null };
}

/**
 * Writes the documents of the next events, or of the next objects of a company from before the index. Each is that of the object as it is
 * now. Another process may continue after any statement.
 * @returns true if there may be more
 */
export async function indexNext(session: Session): Promise<boolean> {
  const claim = await session.first(claimDocuments, {});
  if (claim === undefined) return false;
  try {
    return await indexClaimed(session, claim);
  } catch (error) {
    // The next try need not wait for the end of the lease.
    await session.run(releaseDocuments, claim).catch(() => {});
    throw error;
  }
}

async function indexClaimed(session: Session, claim: SearchClaim): Promise<boolean> {
  const { building, lease, position } = claim;
  const changed: ObjectId[] =
    building === null
      ? claim.changed
      : (await session.run(pageIds, { type: building, after: claim.builtId, limit: BUILD_PAGE_SIZE })).map(
          ({ id }) => ({
            type: building,
            id,
          }),
        );
  const objects = await readSearchObjects(session, changed);
  const gone = changed.filter(({ type, id }) => !objects.some((object) => object.type === type && object.id === id));
  const { company } = session.principal;
  let rest = objects;
  for (;;) {
    const part: { object: SearchObject; words: string }[] = [];
    let characters = 0;
    for (const object of rest) {
      const words = await slices.run(company, () => toVector(company, object.framework, textsOf(object)));
      part.push({ object, words });
      characters += words.length;
      if (characters > MAX_WRITTEN_CHARACTERS) break;
    }
    rest = rest.slice(part.length);
    const isLast = rest.length === 0;
    const written = await session.first(writeDocuments, {
      lease,
      types: part.map(({ object }) => object.type),
      ids: part.map(({ object }) => object.id),
      frameworks: part.map(({ object }) => object.framework),
      readScopes: part.map(({ object }) => object.scope),
      changes: part.map(({ object }) => object.changedAt),
      words: part.map(({ words }) => words),
      goneTypes: isLast ? gone.map(({ type }) => type) : [],
      goneIds: isLast ? gone.map(({ id }) => id) : [],
      position: isLast ? position : null,
      ...(isLast ? nextBuild(claim, changed) : { building, builtId: claim.builtId }),
      isLast,
    });
    if (written === undefined) return false;
    documents.written += part.length;
    if (isLast) return building !== null || claim.events === MAX_SEALS;
  }
}
