/**
 * CTEs that end in `state`: the row of `table` with id `:uniqueId` as it was at `:asOf`, rebuilt from its events; none
 * where it was not there. Contract, section 6.
 *
 * Of the events until that moment the last by id counts, and with it all before: ids of one row's events stand in the
 * order of its changes, moments only nearly, as a transaction that began earlier may have waited for another.
 */
export const stateAsOf = (table: 'task' | 'vendor') => `
  trail as materialized (
    select e.id, e.occurred_at, e.user_id, e.action, e.changes from audit_event e
    where e.company_id = :company and e.resource_type = '${table}' and e.resource_id = :uniqueId
      and e.id <= (select max(until.id) from audit_event until where until.company_id = :company
        and until.resource_type = '${table}' and until.resource_id = :uniqueId and until.occurred_at <= :asOf::timestamptz)),
  made as (select * from trail where action = '${table}.create' order by id desc limit 1),
  last as (select * from trail order by id desc limit 1),
  changed as (
    select distinct on (field.key) field.key, field.value->'to' as value
    from made, trail, jsonb_each(trail.changes) field
    where trail.id > made.id and trail.action = '${table}.update'
    order by field.key, trail.id desc),
  state as (
    select row.* from made, last, lateral jsonb_populate_record(null::${table},
      made.changes
      || coalesce((select jsonb_object_agg(key, value) from changed), '{}')
      || jsonb_build_object(
        'company_id', :company::int,
        'version', (made.changes->>'version')::int
          + (select count(*) from trail where trail.id > made.id and trail.action = '${table}.update'),
        'updated_at', last.occurred_at,
        'updated_by_id', last.user_id)) row
    where last.action <> '${table}.delete')`;
