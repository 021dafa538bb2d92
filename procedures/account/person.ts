import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { findPerson } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import type { Context, WebSession } from '../core/context.ts';
import { SignInError } from '../sign-in/attempts.ts';
import { verifyPassword } from '../sign-in/password.ts';

/** Context of `accountProcedure`. */
export type AccountContext = Pick<Context, 'attempts' | 'address'> & { session: Session; webSession: WebSession };

/** Reads the person of a session. */
export const readPerson = ({ session, webSession: { person } }: AccountContext): Promise<PersonRow> =>
  session.one(findPerson, { person });

/**
 * Runs a check of a password or a code. A stolen session allows no more guesses than the sign-in: the limits count both.
 * @param error thrown if the check fails
 * @throws ApiError 429 after too many failures
 */
export async function requireSecret(
  { attempts, address }: AccountContext,
  { email }: PersonRow,
  error: SignInError,
  check: () => Promise<boolean>,
): Promise<void> {
  const attempt = async () => {
    if (!(await check())) throw error;
  };
  await (attempts === undefined ? attempt() : attempts.limit({ address, email }, attempt));
}

/**
 * Verifies the current password of a person.
 * @param field name of the field with the password
 * @returns the hash of the password
 * @throws ApiError 422, also for a person who has none, 429
 */
export async function requirePassword(
  ctx: AccountContext,
  person: PersonRow,
  field: string,
  password: string,
): Promise<string> {
  const { password: hash, unique_id } = person;
  if (hash === null)
    throw new ApiError('unprocessable', `${field}: this account has no password; it uses single sign-on`);
  const message = `${field}: expected your current password`;
  const error = new SignInError('wrong_password', 'unprocessable', message, unique_id);
  await requireSecret(ctx, person, error, () => verifyPassword(password, hash));
  return hash;
}
