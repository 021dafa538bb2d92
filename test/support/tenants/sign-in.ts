import { Session } from '../../../database/session.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import type { Role } from '../../../entities/member/role.ts';
import { findPerson } from '../../../entities/member/statements.ts';
import { hashPassword } from '../../../procedures/sign-in/password.ts';
import { sealTotpSecret } from '../../../procedures/sign-in/second-factor.ts';
import { generateToken } from '../../../procedures/sign-in/tokens.ts';
import { generateTotpSecret, totpCode, totpStep } from '../../../procedures/sign-in/totp.ts';
import { asOwner, database, sql } from '../database/database.ts';
import { services } from './member.ts';

export const PASSWORD = 'correct horse battery staple';
export const passwordHash = await hashPassword(PASSWORD);

/** The link of an invitation or a reset that was shown. */
export function shown({ link }: { link: string | null }): string {
  if (link === null) throw new Error('link: expected a link that is shown');
  return link;
}

export const newEmail = () => `${newUniqueId()}@example.com`;

/** Creates an invitation without the procedure of an admin. Returns the token of its link. */
export async function invite(
  { id: company }: { id: number },
  email: string,
  {
    role = 'editor',
    frameworks = null,
    mailed = false,
  }: { role?: Role; frameworks?: number[] | null; mailed?: boolean } = {},
): Promise<string> {
  const { token, tokenHash } = generateToken();
  await asOwner(
    (run) =>
      run(
        `insert into invitation (company_id, unique_id, email, role, frameworks, token_hash, mailed, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, now() + interval '7 days')`,
        company,
        newUniqueId(),
        email,
        role,
        frameworks,
        tokenHash,
        mailed,
      ),
    { company, user: OPERATOR.uniqueId },
  );
  return token;
}

/** Creates a reset link of a person. Returns its token. */
export async function createResetLink(person: string, { mailed = false } = {}): Promise<string> {
  const { token, tokenHash } = generateToken();
  await sql(
    `insert into reset_link (token_hash, person_id, mailed, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    tokenHash,
    person,
    mailed,
  );
  return token;
}

/** Sets up TOTP for a person. Returns the code of a time step; each works once. */
export async function setUpTotp(person: string): Promise<(steps?: number) => string> {
  if (services.encryption === undefined) throw new Error('services: expected encryption');
  const secret = generateTotpSecret();
  await sql(
    'update person set totp_secret = $2, totp_confirmed_at = now() where unique_id = $1',
    person,
    sealTotpSecret(services.encryption, person, secret),
  );
  return (steps = 0) => totpCode(secret, totpStep(Date.now()) + steps);
}

/** Changes or ends a member as an admin would. */
export const updateMember = (
  { id: company }: { id: number },
  member: string,
  change: { role?: Role; isEnded?: boolean },
): Promise<unknown> =>
  asOwner(
    (run) =>
      run(
        `update member set role = coalesce($3, role), ended_at = case when $4::boolean then now() end
         where company_id = $1 and unique_id = $2`,
        company,
        member,
        change.role ?? null,
        change.isEnded ?? false,
      ),
    { company, user: OPERATOR.uniqueId },
  );

export const readPerson = (person: string) => new Session(database, null, 'test').one(findPerson, { person });
