import type { SignInEvent, SignInMethod } from './sign-in.ts';
import { emailOf } from '../person/person.ts';
import { toIso } from '../statements/change-metadata.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** Browser of an entry. */
export interface EntryBrowser {
  userAgent: string;
  address: string | null;
}

/** Columns of an entry. @param s alias of a session */
const sessionColumns = (s: string) => ({
  company: `${s}.company_id`,
  method: `case when ${s}.single_sign_on then 'sso' when ${s}.passkey then 'passkey' else 'password' end`,
  address: `${s}.address`,
  userAgent: `${s}.user_agent`,
});

/**
 * SQL that adds an entry for each row of `session`, a part of the same statement with rows of `web_session`.
 * @param columns SQL of columns that differ from those of the session
 */
export function addSessionEntries(
  event: SignInEvent,
  columns: Partial<ReturnType<typeof sessionColumns>> = {},
): string {
  const { company, method, address, userAgent } = { ...sessionColumns('session'), ...columns };
  return `insert into sign_in (company_id, member_id, email, event, method, address, user_agent)
    select m.company_id, m.unique_id, p.email, '${event}', ${method}, ${address}, ${userAgent}
    from session join member m on m.company_id = ${company} and m.person_id = session.person_id
      join person p on p.unique_id = session.person_id`;
}

interface FailedSignIn extends EntryBrowser {
  method: SignInMethod;
  /** Person whom the attempt names; null for nobody. */
  person: string | null;
  /** The only company that the method can sign in to; null for each company of the person. */
  onlyCompany: number | null;
  /** Email of the attempt, stored only if it names no member. */
  email: string | null;
}

/**
 * Adds a failed attempt for each company of the person. Those of ended members count if the person has no other. An attempt
 * that names no member is stored without a company. The statement does the same work whether the email has an account or not.
 */
export const addFailedSignIn = defineStatement<FailedSignIn, never>(
  'sign-in.add-failed',
  ({ method, person, onlyCompany, email, address, userAgent }) => `with named as (
    select m.company_id, m.unique_id, ${emailOf('p')} as email from member m join person p on p.unique_id = m.person_id
    where m.person_id = ${person}::uuid and case
      when ${onlyCompany}::int is not null then m.company_id = ${onlyCompany}::int
      else m.ended_at is null or not exists (
        select from member o where o.person_id = m.person_id and o.ended_at is null)
    end),
  listed as (
    insert into sign_in (company_id, member_id, email, event, method, address, user_agent)
    select company_id, unique_id, email, 'failed', ${method}::text, ${address}::text, ${userAgent}::text from named)
  insert into unknown_sign_in (email, method, address, user_agent)
  select ${email}::text, ${method}::text, ${address}::text, ${userAgent}::text where not exists (select from named)`,
  'all companies',
);

export interface SignInRow {
  /** 1 for an entry of a company, 0 for an attempt that names nobody. */
  source: number;
  id: string;
  at: string;
  member: string | null;
  email: string | null;
  event: SignInEvent;
  method: SignInMethod;
  address: string | null;
  userAgent: string;
}

/** An entry in responses. Contract, section 24. */
export const toSignInRecord = ({ source: _source, id: _id, at, ...row }: SignInRow) => ({ ...row, at: toIso(at) });

/** A page after a row. */
interface PageInput extends Pick<SignInRow, 'at' | 'id' | 'source'> {
  limit: number;
}

/** Position before the newest row. */
export const NEWEST: Pick<SignInRow, 'at' | 'id' | 'source'> = { at: 'infinity', id: '0', source: 0 };

/** SQL of the rows of a table, newest first, after a position. */
const rowsAfter = (source: 0 | 1, { at, id, source: last, limit }: Placeholders<PageInput>, condition: string) => `
  select ${source} as source, e.id::text as id, e.at, ${source === 1 ? 'e.member_id' : 'null::uuid'} as member, e.email,
    ${source === 1 ? 'e.event' : `'failed'`} as event, e.method, e.address, e.user_agent as "userAgent"
  from ${source === 1 ? 'sign_in' : 'unknown_sign_in'} e
  where ${condition} and (e.at, e.id, ${source}) < (${at}::timestamptz, ${id}::bigint, ${last}::int)
  order by e.at desc, e.id desc limit ${limit}::int`;

/** Entries of the company, newest first. */
export const pageSignIns = readStatement<PageInput, SignInRow>('sign-in.page', (placeholders) =>
  rowsAfter(1, placeholders, `e.company_id = ${placeholders.company}`),
);

/** Entries of a member of the company, newest first. */
export const pageSignInsOfMember = readStatement<PageInput & { member: string }, SignInRow>(
  'sign-in.page-of-member',
  (placeholders) =>
    rowsAfter(1, placeholders, `e.company_id = ${placeholders.company} and e.member_id = ${placeholders.member}::uuid`),
);

/** Entries of the company and attempts that name nobody, newest first. For the operator only. */
export const pageAllSignIns = readStatement<PageInput, SignInRow>(
  'sign-in.page-all',
  (placeholders) => `select * from (
    (${rowsAfter(1, placeholders, `e.company_id = ${placeholders.company}::int`)})
    union all (${rowsAfter(0, placeholders, 'true')})) e
  order by at desc, id::bigint desc, source desc limit ${placeholders.limit}::int`,
  'all companies',
);
