import type { Session } from '../../database/session.ts';
import type { SearchType } from '../../entities/search/document.ts';
import { byType, readMembers, readObjects } from '../../entities/search/objects.ts';
import type { SearchObject } from '../../entities/search/objects.ts';
import type { DocumentTexts } from '../../entities/search/words.ts';
import { htmlToText } from '../core/html.ts';

export interface ObjectId {
  type: SearchType;
  id: string;
}

/** The objects with these ids that the session may read now, in the order of the ids. */
export async function readSearchObjects(session: Session, ids: readonly ObjectId[]): Promise<SearchObject[]> {
  const given = byType(ids);
  const [objects, members] = await Promise.all([
    ids.length === given.member.length ? [] : session.run(readObjects, given),
    given.member.length === 0 ? [] : session.run(readMembers, given),
  ]);
  const found = new Map([...objects, ...members].map((object) => [`${object.type} ${object.id}`, object]));
  return ids.flatMap(({ type, id }) => found.get(`${type} ${id}`) ?? []);
}

/** The texts of an object, without markup. */
export const textsOf = ({ titles, texts, html }: SearchObject): DocumentTexts => ({
  titles,
  texts: [htmlToText(html), ...texts],
});
