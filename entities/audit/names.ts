import { frameworkCondition } from '../schema/access.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { RESOURCE_TYPES, resourceOf } from './fields.ts';

/** Resources by type and id, as two arrays of the same length. */
interface ResourceIds {
  types: readonly string[];
  ids: readonly string[];
}

export interface ResourceName {
  type: string;
  id: string;
  /** The current name, or that of the last event; null if the principal may not see the resource. */
  name: string | null;
  isDeleted: boolean;
}

const namedResources = RESOURCE_TYPES.map(resourceOf).flatMap(({ type, table, hasFramework, name }) =>
  name === null ? [] : [{ type, source: name, isOwn: name.table === table, hasFramework }],
);

/** Types whose resources have a name. */
export const NAMED_TYPES: ReadonlySet<string> = new Set(namedResources.map(({ type }) => type));

/** The name of a resource `w` of one type. The `case` casts ids of this type only: those of others may be no such number. */
const currentName = (
  { type, source: { table, companyColumn, idColumn, column }, isOwn, hasFramework }: (typeof namedResources)[number],
  { company, keyFrameworks }: Placeholders<ResourceIds>,
) => {
  const idType = idColumn === 'unique_id' ? 'uuid' : 'int';
  const inFramework = isOwn && hasFramework ? ` and ${frameworkCondition('r.framework_id', keyFrameworks)}` : '';
  return `select r.${column} as name from ${table} r where w.type = '${type}' and r.${companyColumn} = ${company}
      and r.${idColumn} = case w.type when '${type}' then w.id::${idType} end${inFramework}`;
};

const nameColumns = namedResources
  .filter(({ isOwn }) => isOwn)
  .map(({ type, source: { column } }) => `when '${type}' then e.changes -> '${column}'`)
  .join(' ');

/**
 * Names of resources of any types, each from the key of its table. A resource without a row has the name of its last event,
 * from the index of histories. Both obey the frameworks of the principal.
 */
export const findResourceNames = readStatement<ResourceIds, ResourceName>(
  'audit.resource-names',
  (placeholders) => {
    const { company, keyFrameworks, types, ids } = placeholders;
    return `select w.type, w.id, coalesce(present.name, last.name #>> '{}') as name, present.name is null as "isDeleted"
  from unnest(${types}::text[], ${ids}::text[]) w(type, id)
  left join lateral (
    ${namedResources.map((resource) => currentName(resource, placeholders)).join('\n    union all ')}) present on true
  left join lateral (
    select case when jsonb_typeof(newest.name) = 'string' then newest.name end as name from (
      select case w.type ${nameColumns} end as name from audit_event e
      where present.name is null and e.company_id = ${company} and e.resource_type = w.type and e.resource_id = w.id
        and ${frameworkCondition('e.framework_id', keyFrameworks, true)}
      order by e.id desc limit 1) newest) last on true`;
  },
);
