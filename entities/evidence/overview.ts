import { readStatement } from '../statements/define-statement.ts';
import { isExpiring } from './expiring.ts';
import { isReachable } from './reachable.ts';

/** Maximum number of listed pieces of evidence. */
export const MAX_EXPIRING_EVIDENCE = 10;

interface ExpiringRow {
  uniqueId: string;
  name: string;
  validUntil: string;
  type: 'task' | 'vendor';
  parent: string;
  title: string;
  /** The same in all rows. */
  total: number;
}

/** Expiring evidence that the scopes and the frameworks of the principal reach: those that end first, and the number of all. */
export const expiringEvidence = readStatement<{ before: string }, ExpiringRow>(
  'overview.evidence',
  (placeholders) => `with expiring as materialized (
    select e.unique_id, e.valid_until from evidence e
    where e.company_id = ${placeholders.company} and ${isExpiring('e', `${placeholders.before}::date`)}
      and ${isReachable('e', placeholders)})
  select e.unique_id as "uniqueId", e.name, e.valid_until as "validUntil",
    case when t.unique_id is null then 'vendor' else 'task' end as type,
    coalesce(t.unique_id, v.unique_id) as parent, coalesce(t.title, v.name) as title,
    (select count(*)::int from expiring) as total
  from (select * from expiring order by valid_until, unique_id limit ${MAX_EXPIRING_EVIDENCE}) first
  join evidence e on e.company_id = ${placeholders.company} and e.unique_id = first.unique_id
  left join task t on t.company_id = e.company_id and t.unique_id = e.task_id
  left join vendor v on v.company_id = e.company_id and v.unique_id = e.vendor_id
  order by e.valid_until, e.unique_id`,
);
