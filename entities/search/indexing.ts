import { isKnownEventInSql } from '../audit/fields.ts';
import { lastSeal, nextSeals, sealedEvent } from '../audit/seal-reading.ts';
import { isUnfrozen, isWritable } from '../company/closing.ts';
import { FIRST_ID } from '../ids.ts';
import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { SEARCH_TYPES } from './document.ts';
import type { SearchType } from './document.ts';

/** Maximum number of events that one claim reads. */
export const MAX_SEALS = 200;
/** Seconds for which a process has the documents of a company. After a kill others wait for its end. */
const LEASE_SECONDS = 10;

const LEASE_END = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;
const IS_FREE = (alias: string) => `(${alias}.lease_until is null or ${alias}.lease_until < clock_timestamp())`;

/** Companies whose documents do not follow the last seal yet. `isNew` is true for one without a position. */
export const findSearchCompanies = readStatement<object, { id: number; isNew: boolean }>(
  'search.companies',
  `select c.id, r.company_id is null as "isNew" from company c left join search_reader r on r.company_id = c.id
  where (r.company_id is null or ${IS_FREE('r')} and (r.building is not null or r.position < ${lastSeal('c.id')}))
    and ${isWritable('c.id')}`,
  'all companies',
);

/**
 * Adds the positions of companies from before the index, and of those that came from another cell: all of their objects are added
 * to the index, and then what has changed since.
 */
export const addSearchReaders = defineStatement<object, never>(
  'search.add-readers',
  `insert into search_reader (company_id, position, building)
  select c.id, ${lastSeal('c.id')}, '${SEARCH_TYPES[0]}' from company c where ${isUnfrozen('c.id')} and c.arriving_at is null
    and not exists (select from search_reader r where r.company_id = c.id) on conflict do nothing`,
  'all companies',
);

/** Work on the documents of a company. */
export interface SearchClaim {
  /** Name of the lease, which each write has. */
  lease: string;
  /** Type whose objects are being added, and the last id that was; null when all are there. */
  building: SearchType | null;
  builtId: string | null;
  /** Objects that the next events have changed, and the number of the last one. Null before an event that this version does not know. */
  changed: { type: SearchType; id: string }[];
  position: string | null;
  /** Number of these events. */
  events: number;
}

/** Takes the documents of the company, with the next events. No row if another process has them, or there is nothing to do. */
export const claimDocuments = bookkeepingWrite<object, SearchClaim>(
  'search.claim',
  ({ company }) => `with claimed as (
    update search_reader r set lease_until = ${LEASE_END}
    where r.company_id = ${company} and ${IS_FREE('r')} and (r.building is not null or r.position < ${lastSeal(company)})
      and ${isWritable(company)}
    returning r.position, r.building, r.built_id, r.lease_until),
  event as materialized (
    select s.seq, e.resource_type, e.resource_id, ${isKnownEventInSql('e')} as is_known
    from (${nextSeals('claimed', company, MAX_SEALS)}) s cross join lateral ${sealedEvent('s')} e
    where s.building is null),
  readable as (
    select * from event where seq < coalesce((select min(seq) from event where not is_known), 9223372036854775807))
  select lease_until::text as lease, building, built_id as "builtId", (select max(seq)::text from readable) as position,
    (select count(*)::int from readable) as events,
    (select coalesce(json_agg(json_build_object('type', resource_type, 'id', resource_id)), '[]') from (
      select distinct resource_type, resource_id from readable
      where resource_type in (${SEARCH_TYPES.map((type) => `'${type}'`).join(', ')})) one) as changed
  from claimed`,
);

const TABLES_WITH_INTEGER_IDS: ReadonlySet<SearchType> = new Set(['framework', 'department']);

/** Ids of the next objects of a type. @param after the last one before them; null for the first ones */
export const pageIds = readStatement<{ type: SearchType; after: string | null; limit: number }, { id: string }>(
  'search.page-ids',
  ({ company, type, after, limit }) =>
    SEARCH_TYPES.map((table) => {
      const [column, start] = TABLES_WITH_INTEGER_IDS.has(table)
        ? ['id', `coalesce(${after}::text, '0')::int`]
        : ['unique_id', `coalesce(${after}::text, '${FIRST_ID}')::uuid`];
      return `select id from (select ${column}::text as id from ${table} where company_id = ${company} and ${type}::text = '${table}'
      and ${column} > case when ${type}::text = '${table}' then ${start} end order by ${column} limit ${limit}::int) ${table}_page`;
    }).join('\n  union all '),
);

interface DocumentWrite {
  lease: string;
  types: readonly SearchType[];
  ids: readonly string[];
  frameworks: readonly number[];
  readScopes: readonly string[];
  changes: readonly string[];
  words: readonly string[];
  goneTypes: readonly SearchType[];
  goneIds: readonly string[];
  /** Position after the write; null leaves it. */
  position: string | null;
  building: SearchType | null;
  builtId: string | null;
  /** True ends the lease. */
  isLast: boolean;
}

/** Writes and deletes documents. No row if the lease has ended: another process works on them. */
export const writeDocuments = bookkeepingWrite<DocumentWrite, { id: number }>(
  'search.write',
  (given) => `with held as materialized (
    select company_id from search_reader
    where company_id = ${given.company} and lease_until = ${given.lease}::timestamptz for no key update),
  written as (
    insert into search_document (company_id, type, object_id, framework_id, scope, changed_at, words)
    select held.company_id, d.type, d.id, d.framework, d.scope, d.changed, d.words::tsvector
    from held cross join unnest(${given.types}::text[], ${given.ids}::text[], ${given.frameworks}::int[], ${given.readScopes}::text[],
      ${given.changes}::timestamptz[], ${given.words}::text[]) d(type, id, framework, scope, changed, words)
    on conflict (company_id, type, object_id) do update set changed_at = excluded.changed_at, words = excluded.words
    where search_document.changed_at <> excluded.changed_at or search_document.words <> excluded.words),
  removed as (
    delete from search_document d using held, unnest(${given.goneTypes}::text[], ${given.goneIds}::text[]) g(type, id)
    where d.company_id = held.company_id and d.type = g.type and d.object_id = g.id)
  update search_reader r set position = coalesce(${given.position}::bigint, r.position), building = ${given.building}::text,
    built_id = ${given.builtId}::text, lease_until = case when not ${given.isLast}::boolean then r.lease_until end
  from held where r.company_id = held.company_id returning r.company_id as id`,
);

/** Ends a lease without a write. */
export const releaseDocuments = bookkeepingWrite<Pick<SearchClaim, 'lease'>, never>(
  'search.release',
  ({ company, lease }) => `update search_reader set lease_until = null
  where company_id = ${company} and lease_until = ${lease}::timestamptz`,
);

/** Events of all companies that the search does not show yet, for metrics. */
export const findSearchLag = readStatement<object, { seals: number }>(
  'search.lag',
  `select coalesce(sum(${lastSeal('c.id')} - coalesce(r.position, 0)), 0)::float8 as seals
  from company c left join search_reader r on r.company_id = c.id`,
  'all companies',
);
