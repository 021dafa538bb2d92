import type { Actor } from '../company/user.ts';
import { frameworkCondition } from './access.ts';
import type { RowTime } from './children.ts';

/** Properties that show users beside the creator and the updater, in the order of the digest of entity tags. */
export const PEOPLE_PROPERTIES = [
  'assignee',
  'reviewer',
  'mentions',
  'owner',
  'lastReview',
  'assessment',
  'resolved',
  'check',
] as const satisfies (keyof People)[];
export type PeopleProperty = keyof People;

/** Users whom responses show as `{uniqueId, name, kind}`. */
export interface PeopleField {
  readonly name: PeopleProperty;
  readonly column: string;
  /** Content of the column: the id of a user, an array of them, or a review, which has the id as `by`. */
  readonly shape: 'one' | 'list' | 'review';
  /** Keys of a review that earlier ones lack. */
  readonly laterKeys: readonly string[];
}

/** What somebody did once, as a column holds it. */
export interface StoredAct {
  /** ISO 8601, UTC. */
  at: string;
  /** Id of the user. */
  by: string;
}

/** A review as its column holds it. */
export interface StoredReview extends StoredAct {
  note: string;
}

type Named = Pick<Actor, 'name'>;
/** The people of an object. Only their names count here. */
export interface People {
  readonly assignee?: Named | null;
  readonly reviewer?: Named | null;
  readonly mentions?: readonly Named[];
  readonly owner?: Named | null;
  readonly lastReview?: { readonly by: Named } | null;
  readonly assessment?: { readonly by: Named } | null;
  readonly resolved?: { readonly by: Named } | null;
  readonly check?: { readonly by: Named } | null;
}

/** Names of the people whom an object shows, in the order of the digest of entity tags. */
export const peopleNames = (item: People): string[] =>
  PEOPLE_PROPERTIES.flatMap((property): Named | readonly Named[] => {
    const value = item[property] ?? [];
    return 'by' in value ? value.by : value;
  }).map(({ name }) => name);

/** SQL of the array of ids in a column, by its shape. */
const IDS: Readonly<Record<PeopleField['shape'], (column: string) => string>> = {
  one: (column) => `array[${column}]`,
  list: (column) => column,
  review: (column) => `array[(${column}->>'by')::uuid]`,
};

/** SQL of the ids of the people of a row, in the same order, as an array that may contain null. */
export const peopleIds = (people: readonly PeopleField[], alias: string) =>
  PEOPLE_PROPERTIES.flatMap((property) => people.filter(({ name }) => name === property))
    .map(({ column, shape }) => IDS[shape](`${alias}.${column}`))
    .join(' || ');

const ACTOR = `json_build_object('uniqueId', u.unique_id, 'name', u.name, 'kind', u.kind)`;

/** SQL of the user with an id, as responses show it. A subquery, as an update cannot join its new values. */
export const actorOf = (alias: string, id: string) =>
  `(select ${ACTOR} from company_user u where u.company_id = ${alias}.company_id and u.unique_id = ${id})`;

/**
 * SQL of the people of a row as a response shows them.
 * @param at time of the row. One that is created has no review.
 */
export function peopleColumn({ name, column, shape, laterKeys }: PeopleField, alias: string, at: RowTime): string {
  if (shape === 'review' && at === 'creation') return `null as "${name}"`;
  const laterNulls = at === 'now' ? laterKeys.map((key) => `jsonb_build_object('${key}', null) || `).join('') : '';
  /** Without a value nothing is looked up. */
  const unlessNull = (sql: string) => `case when ${alias}.${column} is not null then ${sql} end`;
  const shown = {
    one: unlessNull(actorOf(alias, `${alias}.${column}`)),
    list: `(select coalesce(json_agg(${ACTOR} order by one.position), '[]') from unnest(${alias}.${column}) with ordinality one(id, position)
    join company_user u on u.company_id = ${alias}.company_id and u.unique_id = one.id)`,
    review: unlessNull(
      `${laterNulls}${alias}.${column} || jsonb_build_object('by', ${actorOf(alias, `(${alias}.${column}->>'by')::uuid`)})`,
    ),
  };
  return `${shown[shape]} as "${name}"`;
}

/**
 * SQL condition: the id is that of an active member who may see the framework. The member stays so until the transaction ends, so that
 * no event after the end of a member gives them anything.
 * @param framework SQL of the framework
 * @param excludesAuditors true if the member may not be an auditor
 */
export const memberUsable = (company: string, id: string, framework: string, excludesAuditors = false) => `exists (
    select from member m where m.company_id = ${company} and m.unique_id = ${id} and m.ended_at is null${excludesAuditors ? ` and m.role <> 'auditor'` : ''}
      and ${frameworkCondition(framework, 'm.frameworks', true)} for share)`;
