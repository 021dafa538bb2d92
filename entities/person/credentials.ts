import { defineStatement } from '../statements/define-statement.ts';

/**
 * SQL that revokes the links of a person to a new password or address. Whoever replaces a password or an address may do it because
 * somebody else has them.
 * @param person placeholder of the uniqueId
 */
export const revokedLinks = (
  person: string,
) => `reset_links as (delete from reset_link where person_id = ${person}::uuid),
  email_links as (delete from email_link where person_id = ${person}::uuid)`;

/** Sets a new password, and removes the passkeys and the links. The second factor stays. */
export const resetPersonPassword = defineStatement<{ person: string; password: string }, never>(
  'person.reset-password',
  ({ person, password }) => `with ${revokedLinks(person)},
  passkeys as (delete from passkey where person_id = ${person}::uuid)
  update person set password = ${password} where unique_id = ${person}::uuid`,
  'all companies',
);

/**
 * Proves the address of a person for the first time, and removes everything with which somebody could sign in before: it may belong
 * to whoever had the address first without reading its mails. `endWebSessions` belongs to it.
 * @param password the new one; null for a person who signs in with single sign-on
 */
export const provePerson = defineStatement<{ person: string; password: string | null }, never>(
  'person.prove-first',
  ({ person, password }) => `with ${revokedLinks(person)},
  passkeys as (delete from passkey where person_id = ${person}::uuid),
  codes as (delete from recovery_code where person_id = ${person}::uuid),
  challenges as (delete from sign_in_challenge where person_id = ${person}::uuid)
  update person set proven_at = now(), password = ${password}, totp_secret = null, totp_confirmed_at = null, totp_last_step = null
  where unique_id = ${person}::uuid`,
  'all companies',
);

/** Proves the address of a person without a change of credentials. No row if it is proven, or no person has it. */
export const proveEmail = defineStatement<{ email: string }, { unique_id: string; proven_at: string }>(
  'person.prove-email',
  ({ email }) =>
    `update person set proven_at = now() where email = ${email} and proven_at is null returning unique_id, proven_at`,
  'all companies',
);

const PLACEHOLDER_DOMAIN = '@unclaimed.invalid';

/** True for the email of a person as whom nobody signs in. */
export const isPlaceholder = (email: string): boolean => email.endsWith(PLACEHOLDER_DOMAIN);

/**
 * Gives a person another address, and revokes the links. An address that another account has is an error, except for a person as whom
 * nobody signs in: it becomes unclaimed with it, so that an admin does not learn who has an account.
 * @param isProven true if somebody proved to read the mails of the address
 * @param maySignIn false for a person who is an active member nowhere
 */
export const setEmail = defineStatement<
  { person: string; email: string; isProven: boolean; maySignIn: boolean },
  { unique_id: string }
>(
  'person.set-email',
  ({ person, email, isProven, maySignIn }) => `with ${revokedLinks(person)},
  taken as (select not ${maySignIn}::boolean
    and exists (select from person o where o.email = ${email} and o.unique_id <> ${person}::uuid) as by_another)
  update person set email = case when by_another then unique_id || '${PLACEHOLDER_DOMAIN}' else ${email} end,
    unclaimed_email = case when by_another then ${email} end,
    password = case when not by_another then password end, totp_secret = case when not by_another then totp_secret end,
    totp_confirmed_at = case when not by_another then totp_confirmed_at end,
    proven_at = case when ${isProven}::boolean then now() end
  from taken where unique_id = ${person}::uuid returning unique_id`,
  'all companies',
);
