import { CHALLENGE_MINUTES } from '../sign-in/sign-in-challenge.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/**
 * SQL that deletes one expired challenge, so that the table does not grow. Two or more could deadlock with a concurrent
 * statement.
 */
const DELETE_EXPIRED = `delete from sign_in_challenge where hash = (
    select c.hash from sign_in_challenge c where c.expires_at < now() order by c.expires_at limit 1)`;

interface NewChallenge {
  hash: Buffer;
  forCompany: number;
  /** JSON. */
  details: string;
}

/** Inserts the challenge of a sign-in at the provider of a company. */
export const insertSsoChallenge = defineStatement<NewChallenge, never>(
  'sso-challenge.insert',
  ({ hash, forCompany, details }) => `with expired as (${DELETE_EXPIRED})
  insert into sign_in_challenge (hash, kind, company_id, details, expires_at)
  values (${hash}, 'sso', ${forCompany}::int, ${details}::jsonb, now() + interval '${CHALLENGE_MINUTES} minutes')`,
  'all companies',
);

interface ChallengeRow {
  company_id: number;
  details: unknown;
}

/**
 * Deletes the challenge of a sign-in, so that it works once. Returns no row if it is unknown, used or expired. That of a company which
 * was moved away stays, for the second request of a browser that got 421.
 */
export const useSsoChallenge = defineStatement<{ hash: Buffer }, ChallengeRow & { movedTo: string | null }>(
  'sso-challenge.use',
  ({ hash }) => `with found as materialized (
    select s.hash, s.company_id, s.details, c.moved_to as "movedTo"
    from sign_in_challenge s join company c on c.id = s.company_id
    where s.hash = ${hash} and s.kind = 'sso' and s.expires_at > now()),
  used as (
    delete from sign_in_challenge s using found where s.hash = found.hash and found."movedTo" is null returning s.hash)
  select company_id, details, "movedTo" from found where "movedTo" is not null or exists (select from used)`,
  'all companies',
);

/** Inserts the challenge of an account that waits for the password of a person. No row if the person was deleted. */
export const insertLinkChallenge = defineStatement<NewChallenge & { person: string }, { kind: string }>(
  'link-challenge.insert',
  ({ hash, forCompany, person, details }) => `with expired as (${DELETE_EXPIRED})
  insert into sign_in_challenge (hash, kind, company_id, person_id, details, expires_at)
  select ${hash}::bytea, 'sso_link', ${forCompany}::int, p.unique_id, ${details}::jsonb,
    now() + interval '${CHALLENGE_MINUTES} minutes'
  from (select unique_id from person where unique_id = ${person}::uuid for key share) p returning kind`,
  'all companies',
);

const IS_LINK = `kind = 'sso_link' and expires_at > now()`;

/** Reads the challenge of a link, which stays until the password is right. */
export const findLinkChallenge = readStatement<{ hash: Buffer }, ChallengeRow & { person_id: string }>(
  'link-challenge.find',
  ({ hash }) => `select company_id, person_id, details from sign_in_challenge where hash = ${hash} and ${IS_LINK}`,
  'all companies',
);

/** Deletes the challenge of a link, so that it works once. Of concurrent statements, one returns a row. */
export const useLinkChallenge = defineStatement<{ hash: Buffer }, { company_id: number }>(
  'link-challenge.use',
  ({ hash }) => `delete from sign_in_challenge where hash = ${hash} and ${IS_LINK} returning company_id`,
  'all companies',
);
