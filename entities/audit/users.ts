import { OPERATOR } from '../company/user.ts';
import type { Actor } from '../company/user.ts';
import { FORMER_MEMBER } from '../member/forget.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { ActorsById } from './changes.ts';

/** A user with the names that it had. */
export interface UserRow extends Actor {
  /** The names, each from an event on, the oldest first. Null if none is recorded. */
  names: readonly { from: number; name: string }[] | null;
}

const aggregated = (id: string, name: string) =>
  `json_agg(json_build_object('from', ${id}, 'name', ${name}) order by ${id})`;

/**
 * Users by id, with the names that they had: of members from the records of identity, of keys from their events. The sub-select
 * of the key is a fence: row-level security keeps PostgreSQL from using an index for a value that it has to cast.
 */
export const findUsers = readStatement<{ ids: readonly string[] }, UserRow>(
  'user.by-ids',
  ({ company, ids }) => `select u.unique_id as "uniqueId", u.name, u.kind, case u.kind
    when 'human' then (select ${aggregated('i.event_id', 'i.name')} from identity i
      where i.company_id = ${company} and i.member_id = u.unique_id)
    else (select ${aggregated('e.id', `coalesce(e.changes -> 'name' ->> 'to', e.changes ->> 'name')`)}
      from (select k.unique_id::text as id from api_key k where k.company_id = ${company} and k.user_id = u.unique_id offset 0) k
        join audit_event e on e.company_id = ${company} and e.resource_type = 'apiKey' and e.resource_id = k.id
      where e.action in ('apiKey.create', 'apiKey.update') and e.changes ? 'name')
    end as names
  from company_user u where u.company_id = ${company} and u.unique_id = any(${ids}::uuid[])`,
);

/** The users as an event shows them: with the names that they had then. Contract, section 26. @param event id of the event */
export const usersAt = (users: ReadonlyMap<string, UserRow>, event: string): ActorsById => ({
  get: (id) => {
    const user = users.get(id);
    return user && { uniqueId: user.uniqueId, name: nameAt(user, Number(event)), kind: user.kind };
  },
});

/** The name of a user from before its first record is that of the record. Without records it has none. */
function nameAt({ uniqueId, name, names }: UserRow, event: number): string {
  const [first] = names ?? [];
  if (names === null || first === undefined)
    return uniqueId === OPERATOR.uniqueId || name === FORMER_MEMBER ? name : uniqueId;
  return (names.findLast(({ from }) => from <= event) ?? first).name;
}
