import type { Resource } from '../schema/resource-definition.ts';
import type { Placeholders } from './define-statement.ts';

/** A value as a literal of type jsonb. https://www.postgresql.org/docs/current/sql-syntax-lexical.html */
const jsonLiteral = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`;

/**
 * CTEs that end in `state`: the row of a resource as it was at `asOf`, rebuilt from its audit events. `state` is empty if
 * the row did not exist then. Contract, section 6.
 *
 * The last event until `asOf` is found by id, with all events before it. Ids of one row's events follow the order of its
 * changes. Times follow it only nearly, because a transaction that began earlier may have waited for another. Every event after
 * the creation has `{from, to}` of its columns and raises the version, whatever its verb. A deletion is the last one.
 */
export const stateAsOf = (
  { company, uniqueId, asOf }: Placeholders<{ uniqueId: string; asOf: string }>,
  { type, table, earlierValues, hasFramework, access: { parents } }: Resource,
) => `
  events as materialized (
    select e.id, e.occurred_at, e.user_id, e.action, e.framework_id, e.parent_type, e.parent_id, e.changes from audit_event e
    where e.company_id = ${company} and e.resource_type = '${type}' and e.resource_id = ${uniqueId}
      and e.id <= (select max(until.id) from audit_event until where until.company_id = ${company}
        and until.resource_type = '${type}' and until.resource_id = ${uniqueId} and until.occurred_at <= ${asOf}::timestamptz)),
  created as (select * from events where action = '${type}.create' order by id desc limit 1),
  latest as (select * from events order by id desc limit 1),
  changes as (
    select distinct on (field.key) field.key, field.value->'to' as value
    from created, events, jsonb_each(events.changes) field
    where events.id > created.id
    order by field.key, events.id desc),
  state as (
    select row.* from created, latest, lateral jsonb_populate_record(null::${table},
      ${jsonLiteral(earlierValues)} || created.changes
      || coalesce((select jsonb_object_agg(key, value) from changes), '{}')
      || jsonb_build_object(
        'company_id', ${company}::int,${hasFramework ? ` 'framework_id', latest.framework_id,` : ''}
        ${parents.map((parent) => `'${parent.column}', case latest.parent_type when '${parent.resource.type}' then latest.parent_id end,`).join(' ')}
        'version', (created.changes->>'version')::int
          + (select count(*) from events where events.id > created.id),
        'updated_at', latest.occurred_at,
        'updated_by_id', latest.user_id)) row
    where latest.action <> '${type}.delete')`;
