import type { Actor } from '../company/user.ts';
import { frameworkCondition } from './access.ts';

/** Properties that show users beside the creator and the updater, in the order of the digest of entity tags. */
export const PEOPLE_PROPERTIES = ['assignee', 'mentions'] as const satisfies (keyof People)[];
export type PeopleProperty = keyof People;

/** Users whom responses show as `{uniqueId, name, kind}`. */
export interface PeopleField {
  readonly name: PeopleProperty;
  /** Column with the id of a user, or with an array of them. */
  readonly column: string;
  readonly isList: boolean;
}

type Named = Pick<Actor, 'name'>;
/** The people of an object. Only their names count here. */
export interface People {
  readonly assignee?: Named | null;
  readonly mentions?: readonly Named[];
}

/** Names of the people whom an object shows, in the order of the digest of entity tags. */
export const peopleNames = (item: People): string[] =>
  PEOPLE_PROPERTIES.flatMap((property) => item[property] ?? []).map(({ name }) => name);

/** SQL of the ids of the people of a row, in the same order, as an array that may contain null. */
export const peopleIds = (people: readonly PeopleField[], alias: string) =>
  PEOPLE_PROPERTIES.flatMap((property) => people.filter(({ name }) => name === property))
    .map(({ column, isList }) => (isList ? `${alias}.${column}` : `array[${alias}.${column}]`))
    .join(' || ');

const ACTOR = `json_build_object('uniqueId', u.unique_id, 'name', u.name, 'kind', u.kind)`;

/** SQL of the people of a row as a response shows them. A subquery, as an update cannot join its new values. */
export const peopleColumn = ({ name, column, isList }: PeopleField, alias: string) =>
  isList
    ? `(select coalesce(json_agg(${ACTOR} order by one.position), '[]') from unnest(${alias}.${column}) with ordinality one(id, position)
    join company_user u on u.company_id = ${alias}.company_id and u.unique_id = one.id) as "${name}"`
    : `(select ${ACTOR} from company_user u where u.company_id = ${alias}.company_id and u.unique_id = ${alias}.${column}) as "${name}"`;

/**
 * SQL condition: the id is that of an active member who may see the framework. The member stays so until the transaction ends, so that
 * no event after the end of a member gives them anything.
 * @param framework SQL of the framework
 */
export const memberUsable = (company: string, id: string, framework: string) => `exists (
    select from member m where m.company_id = ${company} and m.unique_id = ${id} and m.ended_at is null
      and ${frameworkCondition(framework, 'm.frameworks', true)} for share)`;
