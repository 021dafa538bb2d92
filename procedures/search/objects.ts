import type { Session } from '../../database/session.ts';
import { SEARCH_TYPES } from '../../entities/search/document.ts';
import type { SearchType } from '../../entities/search/document.ts';
import { readMembers, readObjects } from '../../entities/search/objects.ts';
import type { SearchObject } from '../../entities/search/objects.ts';
import type { DocumentTexts } from '../../entities/search/words.ts';
import { htmlToText } from '../core/html.ts';

export interface ObjectId {
  type: SearchType;
  id: string;
}

/** The objects with these ids that the session may read now, in the order of the ids. */
export async function readSearchObjects(session: Session, ids: readonly ObjectId[]): Promise<SearchObject[]> {
  const pages = SEARCH_TYPES.flatMap((type) => {
    const ofType = { ids: ids.filter((one) => one.type === type).map(({ id }) => id) };
    return ofType.ids.length === 0 ? [] : [session.run(type === 'member' ? readMembers : readObjects(type), ofType)];
  });
  const found = new Map((await Promise.all(pages)).flat().map((object) => [`${object.type} ${object.id}`, object]));
  return ids.flatMap(({ type, id }) => found.get(`${type} ${id}`) ?? []);
}

/** The texts of an object, without markup. */
export const textsOf = ({ titles, texts, html }: SearchObject): DocumentTexts => ({
  titles,
  texts: [htmlToText(html), ...texts],
});
