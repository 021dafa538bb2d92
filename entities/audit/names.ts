import { frameworkCondition } from '../schema/access.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { RESOURCE_TYPES, resourceOf } from './fields.ts';

interface ResourceKey {
  type: string;
  uniqueId: string;
}

/**
 * The keys as two arrays, and their ids by the type of their column. They are parameters of that type because row-level
 * security keeps PostgreSQL from using an index for a value that it has to cast.
 */
interface NamesInput {
  types: readonly string[];
  ids: readonly string[];
  uuids: readonly string[];
  integers: readonly number[];
}

export interface ResourceName {
  type: string;
  id: string;
  /** The current name, or that of the last event; null if there is none, or if the principal may not see the resource. */
  name: string | null;
  isDeleted: boolean;
}

const namedResources = RESOURCE_TYPES.map(resourceOf).flatMap(
  ({ type, table, hasFramework, mayLackFramework, name, auditedColumns }) =>
    name === null
      ? []
      : [
          {
            type,
            source: name,
            isOwn: name.table === table,
            isAudited: Object.values(auditedColumns).includes(name.column),
            hasFramework,
            mayLackFramework,
            isUuid: name.idColumn === 'unique_id',
          },
        ],
);
type NamedResource = (typeof namedResources)[number];
const resourceByType: ReadonlyMap<string, NamedResource> = new Map(
  namedResources.map((resource) => [resource.type, resource]),
);

/** Names of one type. Ids of other types find no row, or one that the join leaves out. */
function presentNames(
  {
    type,
    source: { table, companyColumn, idColumn, column },
    isOwn,
    hasFramework,
    mayLackFramework,
    isUuid,
  }: NamedResource,
  { company, keyFrameworks, uuids, integers }: Placeholders<NamesInput>,
): string {
  const ids = isUuid ? `${uuids}::uuid[]` : `${integers}::int[]`;
  const inFramework =
    isOwn && hasFramework ? ` and ${frameworkCondition('r.framework_id', keyFrameworks, mayLackFramework)}` : '';
  return `select '${type}' as type, r.${idColumn}::text as id, r.${column} as name from ${table} r
      where r.${companyColumn} = ${company} and r.${idColumn} = any(${ids})${inFramework}`;
}

const nameColumns = namedResources
  .filter(({ isOwn, isAudited }) => isOwn && isAudited)
  .map(({ type, source: { column } }) => `when '${type}' then e.changes -> '${column}'`)
  .join(' ');

/**
 * Names of resources of any types, each from the key of its table. A resource without a row has the name of its last event,
 * from the index of histories, if events have names. Both obey the frameworks of the principal.
 */
export const findResourceNames = readStatement<NamesInput, ResourceName>('audit.resource-names', (placeholders) => {
  const { company, keyFrameworks, types, ids } = placeholders;
  return `select w.type, w.id, coalesce(present.name, last.name #>> '{}') as name, present.id is null as "isDeleted"
  from unnest(${types}::text[], ${ids}::text[]) w(type, id)
  left join (
    ${namedResources.map((resource) => presentNames(resource, placeholders)).join('\n    union all ')}) present using (type, id)
  left join lateral (
    select case when jsonb_typeof(newest.name) = 'string' then newest.name end as name from (
      select case w.type ${nameColumns} end as name from audit_event e
      where present.id is null and e.company_id = ${company} and e.resource_type = w.type and e.resource_id = w.id
        and ${frameworkCondition('e.framework_id', keyFrameworks, true)}
      order by e.id desc limit 1) newest) last on true`;
});

/** Input of `findResourceNames`, without the types that have no names. Undefined if no resource is left. */
export function namesInput(resources: readonly ResourceKey[]): NamesInput | undefined {
  const named = [...new Map(resources.map((key) => [`${key.type} ${key.uniqueId}`, key])).values()].flatMap(
    ({ type, uniqueId }) => {
      const resource = resourceByType.get(type);
      return resource === undefined ? [] : [{ type, uniqueId, isUuid: resource.isUuid }];
    },
  );
  if (named.length === 0) return undefined;
  return {
    types: named.map(({ type }) => type),
    ids: named.map(({ uniqueId }) => uniqueId),
    uuids: named.filter(({ isUuid }) => isUuid).map(({ uniqueId }) => uniqueId),
    integers: named.filter(({ isUuid }) => !isUuid).map(({ uniqueId }) => Number(uniqueId)),
  };
}
