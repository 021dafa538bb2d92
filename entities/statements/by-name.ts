import { foldedSql } from '../fold-case.ts';

export interface Names {
  names: readonly string[];
}

/** A name as it was given. The id is null for a name that several have. */
export interface NamedId {
  name: string;
  id: string | null;
}

/**
 * SQL that finds ids by name, ignoring case. The names are folded once, not for each pair.
 * @param rows table with its condition
 */
export const byName = (names: string, id: string, name: string, rows: string) => `with named as materialized (
    select ${id} as id, ${foldedSql(name)} as folded from ${rows}),
  given as materialized (select n.name, ${foldedSql('n.name')} as folded from unnest(${names}::text[]) n (name))
  select given.name, case when count(*) = 1 then min(named.id::text) end as id
  from given join named on named.folded = given.folded group by given.name`;
