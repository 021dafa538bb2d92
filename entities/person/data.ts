import type { QueuedMailKind } from '../mail/queued-mail.ts';
import { ACCOUNT_VERBS } from '../member/member.ts';
import type { AccountVerb } from '../member/member.ts';
import { toSnakeCase } from '../schema/audited-resource.ts';
import type { ImportAnswer } from '../import/answers.ts';
import type { OpenIdentity } from '../member/identity-digest.ts';
import type { Role } from '../member/role.ts';
import type { SignInRow } from '../sign-in/sign-in-log.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { ViewPage } from '../view/view.ts';

/** Maximum number of rows of one kind, the newest. It bounds the memory that one response takes. */
export const MAX_DATA_ROWS = 10_000;

/** A person, and the companies of whose rows a session shows. */
interface DataOf {
  person: string;
  /** The only company of a session of single sign-on; null for all companies. */
  singleSignOnCompany: number | null;
}

/** Condition of the companies that a session shows. */
const isShown = (company: string, singleSignOnCompany: string) =>
  `(${singleSignOnCompany}::int is null or ${company} = ${singleSignOnCompany}::int)`;

interface ProfileRow {
  uniqueId: string;
  email: string;
  name: string;
  createdAt: string;
  hasPassword: boolean;
  hasTotp: boolean;
  recoveryCodes: number;
  lastCompany: number | null;
  provenAt: string | null;
  /** Address to which a link waits; null without one. */
  newEmail: { email: string; expiresAt: string } | null;
  /** Mails of the last day, and those that wait, the newest first. */
  mails: { kind: QueuedMailKind; at: string }[];
}

/** The row of a person, without the settings of mails. Times in JSON are text, which `toIso` reads. No secret and no hash leaves the database. */
export const findProfile = readStatement<{ person: string }, ProfileRow>(
  'data.profile',
  ({
    person,
  }) => `select unique_id as "uniqueId", email, name, created_at as "createdAt", password is not null as "hasPassword",
    totp_confirmed_at is not null as "hasTotp", last_company_id as "lastCompany", proven_at as "provenAt",
    (select json_build_object('email', l.email, 'expiresAt', l.expires_at::text) from email_link l
      where l.person_id = p.unique_id and l.expires_at > now()) as "newEmail",
    (select coalesce(json_agg(json_build_object('kind', q.kind, 'at', q.created_at::text) order by q.created_at desc), '[]')
      from queued_mail q where q.person_id = p.unique_id) as mails,
    (select count(*)::int from recovery_code c where c.person_id = p.unique_id) as "recoveryCodes"
  from person p where unique_id = ${person}`,
  'all companies',
);

/** Numbers of what a member made, counted from the events and from the imports. */
const MADE = ['task', 'vendor', 'comment', 'evidence'] as const;
type Made = Record<(typeof MADE)[number] | 'import' | 'event', number>;

/** A membership, also one that has ended, with the numbers of what the member made. */
interface MembershipData {
  company: number;
  companyName: string;
  uniqueId: string;
  role: Role;
  frameworks: number[] | null;
  endsAt: string | null;
  joinedAt: string;
  endedAt: string | null;
  issuer: string | null;
  subject: string | null;
  made: Made;
  /** Time of the last change of each kind of the account; null without one. */
  changed: Record<AccountVerb, string | null>;
}

/** The memberships of a person, except in companies that have forgotten the person. It reads the events of each member once. */
export const listMembershipData = readStatement<DataOf, MembershipData>(
  'data.memberships',
  ({
    person,
    singleSignOnCompany,
  }) => `select m.company_id as company, c.name as "companyName", m.unique_id as "uniqueId", m.role,
    m.frameworks, m.ends_at as "endsAt", m.created_at as "joinedAt", m.ended_at as "endedAt", m.single_sign_on as issuer,
    m.single_sign_on_subject as subject,
    json_build_object(${Object.entries(ACCOUNT_VERBS)
      .map(([property, verb]) => `'${verb}', m.${toSnakeCase(property)}::text`)
      .join(', ')}) as changed, json_build_object(${MADE.map((type) => `'${type}', made.${type}`).join(', ')},
      'event', made.event, 'import', (select count(*) from import i
        where i.company_id = m.company_id and i.created_by_id = m.unique_id)) as made
  from member m join company c on c.id = m.company_id cross join lateral (
    select count(*) as event, ${MADE.map((type) => `count(*) filter (where e.action = '${type}.create') as ${type}`).join(', ')}
    from audit_event e where e.company_id = m.company_id and e.user_id = m.unique_id) made
  where m.person_id = ${person} and ${isShown('m.company_id', singleSignOnCompany)} order by m.company_id`,
  'all companies',
);

interface IdentityData extends OpenIdentity {
  total: number;
  company: number;
  /** Seal of the event; null until it is sealed. As text, because it is a bigint. */
  sequence: string | null;
  eventUniqueId: string;
  at: string;
}

/** The records that open the digests in the events of a person, the newest first. */
export const listIdentityData = readStatement<DataOf, IdentityData>(
  'data.identities',
  ({
    person,
    singleSignOnCompany,
  }) => `select count(*) over ()::int as total, i.company_id as company, i.identity, i.salt, i.name,
    i.email, s.seq::text as sequence, e.unique_id as "eventUniqueId", e.occurred_at as at
  from member m join identity i on i.company_id = m.company_id and i.member_id = m.unique_id
    join audit_event e on e.company_id = i.company_id and e.id = i.event_id
    left join audit_seal s on s.company_id = i.company_id and s.event_id = i.event_id
  where m.person_id = ${person} and ${isShown('m.company_id', singleSignOnCompany)}
  order by i.event_id desc, i.company_id limit ${MAX_DATA_ROWS}`,
  'all companies',
);

type SignInData = Pick<SignInRow, 'at' | 'event' | 'method' | 'address' | 'userAgent'> & {
  total: number;
  company: number;
};

/** The entries in the lists of sign-ins, the newest first. */
export const listSignInData = readStatement<DataOf, SignInData>(
  'data.sign-ins',
  ({
    person,
    singleSignOnCompany,
  }) => `select count(*) over ()::int as total, e.company_id as company, e.at, e.event, e.method,
    e.address, e.user_agent as "userAgent"
  from member m join sign_in e on e.company_id = m.company_id and e.member_id = m.unique_id
  where m.person_id = ${person} and ${isShown('m.company_id', singleSignOnCompany)}
  order by e.at desc, e.id desc limit ${MAX_DATA_ROWS}`,
  'all companies',
);

interface InvitationData {
  company: number;
  companyName: string;
  uniqueId: string;
  email: string;
  role: Role;
  frameworks: number[] | null;
  endsAt: string | null;
  createdAt: string;
  expiresAt: string;
  usedAt: string | null;
  revokedAt: string | null;
}

/**
 * The invitations to the email of a person, the newest first. Old ones are kept for some time too. A person who has not proven to read the mails of
 * the address sees none of a company where they are no member, because these may be for somebody else.
 */
export const listInvitationData = readStatement<DataOf, InvitationData>(
  'data.invitations',
  ({
    person,
    singleSignOnCompany,
  }) => `select i.company_id as company, c.name as "companyName", i.unique_id as "uniqueId", i.email,
    i.role, i.frameworks, i.ends_at as "endsAt", i.created_at as "createdAt", i.expires_at as "expiresAt", i.used_at as "usedAt",
    i.revoked_at as "revokedAt"
  from person p join invitation i on i.email = p.email join company c on c.id = i.company_id
  where p.unique_id = ${person} and ${isShown('i.company_id', singleSignOnCompany)}
    and (p.proven_at is not null
      or exists (select from member m where m.company_id = i.company_id and m.person_id = p.unique_id))
  order by i.created_at desc, i.unique_id limit ${MAX_DATA_ROWS}`,
  'all companies',
);

interface OwnRows {
  views: { uniqueId: string; name: string; page: ViewPage; query: string; shared: boolean }[];
  importAnswers: ImportAnswer[];
  watches: number;
  inboxItems: number;
}

/** Rows of the member of the session in tables that no statement for all companies reaches. */
export const findOwnRows = readStatement<object, OwnRows>(
  'data.own-rows',
  ({
    company,
    user,
  }) => `select coalesce((select json_agg(json_build_object('uniqueId', unique_id, 'name', name, 'page', page,
      'query', query, 'shared', shared) order by name, unique_id)
    from view where company_id = ${company} and member_id = ${user}::uuid), '[]') as views,
    coalesce((select answers from import_answers where company_id = ${company} and member_id = ${user}::uuid), '[]') as "importAnswers",
    (select count(*)::int from watch where company_id = ${company} and member_id = ${user}::uuid) as watches,
    (select count(*)::int from inbox_item where company_id = ${company} and member_id = ${user}::uuid) as "inboxItems"`,
);
