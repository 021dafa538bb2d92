import { accessibleParent, writeConditions } from '../schema/access.ts';
import { childConditions } from '../schema/children.ts';
import type { ChangeParameters } from '../schema/field-types.ts';
import type { Resource } from '../schema/resource-definition.ts';
import type { Actor } from '../company/user.ts';
import { metadataJoins, ownMetadata, toCreator, toUpdater, withMetadata } from './change-metadata.ts';
import type { ChangeMetadata, MetadataRow, OwnMetadata } from './change-metadata.ts';
import { batchedWrite, defineStatement, pipelinedRead, readStatement } from './define-statement.ts';
import type { Placeholders } from './define-statement.ts';
import {
  columnsWithMetadata,
  insertColumns,
  ownColumns,
  placeholderOf,
  updateReturningCurrent,
  valueOf,
} from './columns.ts';
import type { UpdateResult } from './columns.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { IfMatch } from './entity-tag.ts';
import { frameworkOfNew, frameworkOfRow, referenceChecks, referenceConditions } from './references.ts';
import type { ReferenceChecks } from './references.ts';

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
const stateAsOf = (
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

interface RowKey {
  uniqueId: string;
}
/** Key of a row to change, and its precondition. */
interface RowMatch extends RowKey {
  ifMatch: IfMatch;
}

const isText = (value: unknown) => typeof value === 'string';

interface StatementOptions<Item extends object, Fields extends object, Extra extends object> {
  /** Conditions of an insert beside the references, in SQL. */
  insertConditions?: (placeholders: Placeholders<Item>) => string[];
  /**
   * SQL of the new value of fields, in place of the given one. The columns of the row are those of the table.
   * @param given SQL of the values of all fields without this
   */
  newValues?: (
    placeholders: Placeholders<ChangeParameters<Fields> & Extra & RowMatch>,
    given: Record<keyof Fields, string>,
  ) => Partial<Record<keyof Fields, string>>;
  /** Conditions of a deletion, in SQL. */
  deleteConditions?: (placeholders: Placeholders<RowMatch>) => string[];
  /** Conditions of an update, in SQL, for these new values of the fields. */
  updateConditions?: (
    placeholders: Placeholders<ChangeParameters<Fields> & Extra & RowMatch>,
    newValues: Record<keyof Fields, string>,
  ) => string[];
}

/**
 * Statements that read, insert, update and delete a resource by its `uniqueId`.
 * @typeParam Extra input of the update beside the changes of the fields
 */
export function resourceStatements<
  Created extends object,
  Fields extends object,
  Derived extends object,
  Extra extends object = object,
  ReadOnly extends object = object,
>(
  resource: Resource<Created, Fields, Derived, ReadOnly>,
  {
    newValues,
    insertConditions = () => [],
    updateConditions = () => [],
    deleteConditions = () => [],
  }: StatementOptions<RowKey & Created & Fields, Fields, Extra> = {},
) {
  const { type, table, fields, access } = resource;
  type Item = RowKey & Created & Fields;
  type Row = Item & ReadOnly & OwnMetadata;
  type UpdateInput = ChangeParameters<Fields> & Extra & RowMatch;

  const select = ({ company, uniqueId }: Placeholders<RowKey>) =>
    `select ${columnsWithMetadata(resource, table)} from ${table} ${metadataJoins(table)}
  where ${table}.company_id = ${company} and ${table}.unique_id = ${uniqueId}`;

  /** Conditions of the filters, each of which is null or has values separated by commas. */
  const filterConditions = (placeholders: object) =>
    Object.entries(resource.filterColumns).map(([name, column]) => {
      const values = placeholderOf(placeholders, name);
      return `(${values}::text is null or ${table}.${column} = any(string_to_array(${values}, ',')))`;
    });

  const conditionsOf = (placeholders: Placeholders<RowMatch>, operation: 'write' | 'delete') => [
    ...writeConditions(resource, placeholders, operation),
    ...(operation === 'delete' ? [...childConditions(resource, placeholders), ...deleteConditions(placeholders)] : []),
    matchesEntityTag(resource, placeholders),
  ];

  const update = (placeholders: Placeholders<UpdateInput>) => {
    const key: Placeholders<RowMatch> = placeholders;
    const givenValues = fields.map((field) => {
      const { name, column, isNullable } = field;
      const value = valueOf(placeholders, field);
      const current = `${table}.${column}`;
      const given = placeholderOf(placeholders, `${name}Given`);
      const newValue = isNullable
        ? `case when ${given}::boolean then ${value} else ${current} end`
        : `coalesce(${value}, ${current})`;
      return [name, newValue] as const;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the fields
    const given = Object.fromEntries(givenValues) as Record<keyof Fields, string>;
    const values: Record<keyof Fields, string> = { ...given, ...newValues?.(placeholders, given) };
    const newValueList = fields.map(({ name }) => placeholderOf(values, name)).join(', ');
    const conditions = [
      ...resource.rules.map(({ condition }) => `(${condition((name) => placeholderOf(values, name))}) is not false`),
      ...updateConditions(placeholders, values),
      ...referenceConditions(resource, { placeholders: key, framework: frameworkOfRow(resource), table }),
    ];
    const columns = fields.map(({ column }) => column).join(', ');
    const current = fields.map(({ column }) => `${table}.${column}`).join(', ');
    return updateReturningCurrent(
      resource,
      key,
      `(${columns}, version, updated_at, updated_by_id) = row(${newValueList}, ${table}.version + 1, now(), ${key.user}::uuid)`,
      [`(${current}) is distinct from (${newValueList})`, ...conditions, ...conditionsOf(key, 'write')],
    );
  };

  const toWritten = (row: Row, createdBy: Actor, updatedBy: Actor): Item & ReadOnly & Derived & ChangeMetadata => ({
    ...withMetadata<Item & ReadOnly>(row, createdBy, updatedBy),
    ...resource.deriveFields(row),
  });

  return {
    resource,
    get: pipelinedRead<RowKey, Row & MetadataRow>(`${type}.get`, (placeholders) => select(placeholders)),
    /** No row if the resource did not exist at that time. */
    getAsOf: readStatement<RowKey & { asOf: string }, Row & MetadataRow>(
      `${type}.as-of`,
      (placeholders) =>
        `with ${stateAsOf(placeholders, resource)} select ${columnsWithMetadata(resource, 'state', 'past')} from state ${metadataJoins('state')}`,
    ),
    /** No row if a condition does not hold, or it belongs to another resource that the principal cannot access. */
    insert: batchedWrite<Item, Row>(
      `${type}.insert`,
      (placeholders) => {
        const { columns, values } = insertColumns(resource, placeholders);
        const returning = `returning ${ownColumns(resource, table, 'creation')}, ${ownMetadata(table)}`;
        const given = { placeholders, framework: frameworkOfNew(resource, placeholders) };
        const conditions = ['true', ...referenceConditions(resource, given), ...insertConditions(placeholders)];
        if (access.parents.length === 0)
          return `insert into ${table} (${columns}) select ${values} where ${conditions.join(' and ')} ${returning}`;
        const parent = accessibleParent(resource, placeholders, (field) => placeholderOf(placeholders, field));
        return `with ${parent} insert into ${table} (${columns})
  select ${values} from parent where ${conditions.join(' and ')} ${returning}`;
      },
      // Other transactions may wait for its lock on the parent.
      (item) => access.parents.map(({ field }): unknown => Reflect.get(item, field)).find(isText) ?? item.uniqueId,
    ),
    /** Updates the row if the conditions and the entity tag match and any field changes. Returns the row in any case. */
    update: batchedWrite<UpdateInput, UpdateResult<Row>>(`${type}.update`, update, ({ uniqueId }) => uniqueId),
    /** Says which of the references can be used in a framework. Not a read: it locks them. */
    checkReferences: defineStatement<{ framework: number }, ReferenceChecks>(
      `${type}.references`,
      (placeholders) =>
        `select ${referenceChecks(resource, { placeholders, framework: `${placeholders.framework}::int` })}`,
    ),
    /** No row if there is none, or its entity tag does not match. */
    delete: defineStatement<RowMatch, RowKey>(
      `${type}.delete`,
      (placeholders) => `delete from ${table}
  where ${table}.company_id = ${placeholders.company} and ${table}.unique_id = ${placeholders.uniqueId}
    and ${conditionsOf(placeholders, 'delete').join(' and ')}
  returning ${table}.unique_id as "uniqueId"`,
    ),
    /** Resources that belong to another one, after an id, in the order of their list: UUIDv7 ids ascend with time. By the field of the parent. */
    ofParent: new Map(
      access.parents.map(({ field, column }) => [
        field,
        readStatement<{ parent: string; afterId: string; limit: number }, Row & MetadataRow>(
          `${type}.of-${field}`,
          (placeholders) => `select ${columnsWithMetadata(resource, table)}
  from ${table} ${metadataJoins(table)}
  where ${table}.company_id = ${placeholders.company} and ${table}.${column} = ${placeholders.parent}::uuid
    and ${[`${table}.unique_id ${access.newestFirst ? '<' : '>'} ${placeholders.afterId}::uuid`, ...filterConditions(placeholders)].join(' and ')}
  order by ${table}.unique_id${access.newestFirst ? ' desc' : ''} limit ${placeholders.limit}`,
        ),
      ]),
    ),
    /** A resource that `updatedBy` has just written. */
    toWritten,
    /** A resource with its users. */
    toRecord: (row: Row & MetadataRow) => toWritten(row, toCreator(row), toUpdater(row)),
  };
}
