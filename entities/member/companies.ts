import type { Role } from './role.ts';
import { isServedOrMoved } from '../company/closing.ts';
import { readStatement } from '../statements/define-statement.ts';

interface CompanyOfPerson {
  id: number;
  name: string;
  role: Role;
  /** uniqueId of the member. */
  member: string;
  /** URL of the cell to which the company was moved; null while it is in this one. */
  movedTo: string | null;
  /** Last day of the membership in the time zone of the company; null without one. */
  endsAt: string | null;
  timeZone: string;
}

/**
 * Open companies for which a person may act, the one used last first, and behind them those that were moved away. After single sign-on it is only the company of the identity
 * provider. Otherwise a company that requires single sign-on from the domain of the person is left out, unless the person is its
 * last admin.
 */
export const findCompaniesOfPerson = readStatement<
  { person: string; singleSignOnCompany: number | null },
  CompanyOfPerson
>(
  'person.companies',
  ({ person, singleSignOnCompany }) => `select c.id, c.name, m.role, m.unique_id as member, c.moved_to as "movedTo",
    m.ends_at as "endsAt", c.time_zone as "timeZone"
  from member m
    join person p on p.unique_id = m.person_id
    join company c on c.id = m.company_id
    left join sso x on x.company_id = m.company_id and x.required and split_part(p.email, '@', 2) = any(x.confirmed_domains)
  where m.person_id = ${person}::uuid and m.ended_at is null and ${isServedOrMoved('c')} and case
    when ${singleSignOnCompany}::int is not null then m.company_id = ${singleSignOnCompany}::int
    else x.company_id is null or m.role = 'admin' and not exists (select from member o
      where o.company_id = m.company_id and o.role = 'admin' and o.ended_at is null and o.unique_id <> m.unique_id)
  end
  order by c.moved_to is not null, c.id is distinct from p.last_company_id, c.id`,
  'all companies',
);

/** URL of the cell that has the companies of a person who has none here. No row, or null, for another person. */
export const findNewCell = readStatement<{ person: string }, { movedTo: string | null }>(
  'person.new-cell',
  ({ person }) => `select c.moved_to as "movedTo" from member m join company c on c.id = m.company_id
  where m.person_id = ${person}::uuid and m.ended_at is null and ${isServedOrMoved('c')}
  order by c.moved_to is not null, c.id limit 1`,
  'all companies',
);
