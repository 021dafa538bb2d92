import type { ExternalIdType } from './external-id.ts';
import { defineStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** Key of an external id within a company and type. */
export interface ExternalIdKey {
  /** Framework of the task; `NO_FRAMEWORK` for a vendor. */
  framework: number;
  source: string;
  externalId: string;
}

/** Condition: `x` is the reservation of the external id. */
export const isReservation = (type: ExternalIdType, placeholders: Placeholders<ExternalIdKey>) =>
  `x.company_id = ${placeholders.company} and x.resource_type = '${type}' and x.framework_id = ${placeholders.framework}::int
    and x.source = ${placeholders.source}::text and x.external_id = ${placeholders.externalId}::text`;

/** The id as an element of the column `external_ids`. */
export const listedEntry = ({ source, externalId }: Placeholders<ExternalIdKey>) =>
  `jsonb_build_array(jsonb_build_object('source', ${source}::text, 'externalId', ${externalId}::text))`;

const lockKey = (type: string, company: string, framework: string, source: string, externalId: string) =>
  `hashtextextended('external-id ' || ${type} || ' ' || ${company}::text || ' ' || ${framework}::text || ' ' || ${source} || ' ' || ${externalId}, 0)`;

/**
 * CTE `locked`: locks the external id until the end of the transaction, before the statement locks a row or writes.
 * A batch locks all its external ids first, in one order. Without this lock the statement could hold the reservation that
 * the batch needs next, and wait for a count that the batch has changed: a deadlock.
 */
export const lockedExternalId = (
  type: ExternalIdType,
  { company, framework, source, externalId }: Placeholders<ExternalIdKey>,
) =>
  `locked as materialized (select pg_advisory_xact_lock(
    ${lockKey(`'${type}'`, `${company}::int`, `${framework}::int`, `${source}::text`, `${externalId}::text`)}))`;

/** CTE `reserved`: reserves the external id for a new object, from the only row of `from`. Empty if it is reserved already. */
export const insertedReservation = (
  type: ExternalIdType,
  placeholders: Placeholders<ExternalIdKey>,
  resourceId: string,
  from: string,
) => {
  const { company, framework, source, externalId } = placeholders;
  return `reserved as (
    insert into external_id (company_id, resource_type, framework_id, source, external_id, resource_id)
    select ${company}::int, '${type}', ${framework}::int, ${source}::text, ${externalId}::text, ${resourceId}
    from ${from}
    on conflict do nothing
    returning resource_id)`;
};

/** CTE `reserved`: moves the reservation of a deleted object to a new one. Empty if another request was first. */
export const movedReservation = (
  type: ExternalIdType,
  placeholders: Placeholders<ExternalIdKey & { reservedId: string; uniqueId: string }>,
  from: string,
) => `reserved as (
    update external_id x set resource_id = ${placeholders.uniqueId}::uuid
    from ${from} and ${isReservation(type, placeholders)} and x.resource_id = ${placeholders.reservedId}::uuid
    returning x.resource_id)`;

/** External ids of a batch, as columns. */
interface ExternalIdColumns {
  type: ExternalIdType;
  frameworks: readonly number[];
  sources: readonly string[];
  externalIds: readonly string[];
}

/** Locks external ids until the end of the transaction, in the order of their lock keys. */
export const lockExternalIds = defineStatement<ExternalIdColumns, never>(
  'external-id.lock',
  ({ company, type, frameworks, sources, externalIds }) => `select pg_advisory_xact_lock(ordered.key) from (
    select distinct ${lockKey(`${type}::text`, `${company}::int`, 'given.framework', 'given.source', 'given.external_id')} as key
    from unnest(${frameworks}::int[], ${sources}::text[], ${externalIds}::text[]) given (framework, source, external_id)
    order by key) ordered`,
);

/** Input of `lockTargets`: objects by `uniqueId`, and by external id. */
export type Targets = Omit<ExternalIdColumns, 'type'> & { uniqueIds: readonly string[] };

/** An object that a batch changes. */
export interface LockedTarget {
  uniqueId: string;
  framework: number;
  externalIds: { source: string; externalId: string }[];
}

/** Locks the existing objects of a batch in the order of their ids, so that opposite batches do not deadlock. */
export const lockTargets = (type: ExternalIdType) =>
  defineStatement<Targets, LockedTarget>(
    `${type}.lock-targets`,
    ({ company, uniqueIds, frameworks, sources, externalIds }) => `with target as materialized (
    select id from unnest(${uniqueIds}::uuid[]) id
    union all
    select x.resource_id
    from unnest(${frameworks}::int[], ${sources}::text[], ${externalIds}::text[]) given (framework, source, external_id)
    join external_id x on x.company_id = ${company} and x.resource_type = '${type}' and x.framework_id = given.framework
      and x.source = given.source and x.external_id = given.external_id)
  select o.unique_id as "uniqueId", ${type === 'task' ? 'o.framework_id' : '0'} as framework, o.external_ids as "externalIds"
  from ${type} o where o.company_id = ${company} and o.unique_id = any(array(select id from target))
  order by o.unique_id for update`,
  );
