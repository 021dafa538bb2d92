import { readStatement } from '../statements/define-statement.ts';
import type { SearchType } from './document.ts';

/** Maximum number of documents that a search orders: those that changed last. */
const MAX_HITS = 1000;

interface Wanted {
  types: readonly SearchType[];
  /** Beginnings of words, all of which a document must have. */
  words: readonly string[];
}

interface FoundDocument {
  /** False while the documents of the company are being made. */
  ready: boolean;
  type: SearchType | null;
  id: string | null;
}

/** Documents that the scopes and the frameworks of the principal reach, the best first. No row for a company without documents. */
export const findDocuments = readStatement<Wanted, FoundDocument>(
  'search.find',
  ({ company, scopes, keyFrameworks, types, words }) => `select r.building is null as ready, f.type, f.id
  from search_reader r left join lateral find_documents(
    ${types}::text[], ${scopes}::text[], ${keyFrameworks}::int[], ${words}::text[], ${MAX_HITS}) with ordinality f(type, id, position)
    on r.building is null
  where r.company_id = ${company} order by f.position`,
);
