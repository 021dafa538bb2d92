import { defineStatement, readStatement } from '../statements/define-statement.ts';

interface UnclaimedMember {
  /** uniqueId of the member. */
  member: string;
  /** uniqueId of the person as whom nobody signs in. */
  unclaimed: string;
  email: string;
}

/** Member of a company whose unclaimed person has an email, or is linked to an account of single sign-on. */
export const findUnclaimedMember = readStatement<
  { forCompany: number; email: string; issuer: string; subject: string },
  UnclaimedMember
>(
  'member.unclaimed',
  ({ forCompany, email, issuer, subject }) => `select m.unique_id as member, p.unique_id as unclaimed,
    p.unclaimed_email as email
  from member m join person p on p.unique_id = m.person_id and p.unclaimed_email is not null
  where m.company_id = ${forCompany}::int
    and (p.unclaimed_email = ${email} or m.single_sign_on = ${issuer} and m.single_sign_on_subject = ${subject})
  order by p.unclaimed_email <> ${email}, m.unique_id limit 1`,
  'all companies',
);

/**
 * Gives an unclaimed person its email back, with a name and a password. No row if it is an active member of another company too: an
 * admin of this one, who has the link of the invitation, must not choose the password there.
 */
export const restorePerson = defineStatement<
  { unclaimed: string; name: string; password: string | null; isProven: boolean },
  { unique_id: string }
>(
  'person.restore',
  ({ company, unclaimed, name, password, isProven }) => `update person p
  set email = p.unclaimed_email, unclaimed_email = null, name = ${name}, password = ${password},
    proven_at = case when ${isProven}::boolean then now() end
  where p.unique_id = ${unclaimed}::uuid and p.unclaimed_email is not null
    and not exists (select from person o where o.email = p.unclaimed_email)
    and not exists (select from member m where m.person_id = p.unique_id and m.company_id <> ${company}::int)
  returning p.unique_id`,
  'all companies',
);

/** Makes another person the person of an unclaimed member. No row if that changed meanwhile. */
export const claimMember = defineStatement<
  { member: string; unclaimed: string; person: string },
  { ended_at: string | null }
>(
  'member.claim',
  ({ company, member, unclaimed, person }) => `update member set person_id = ${person}::uuid
  where company_id = ${company} and unique_id = ${member} and person_id = ${unclaimed}::uuid returning ended_at`,
);
