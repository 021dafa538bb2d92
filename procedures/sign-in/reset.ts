import { z } from 'zod';
import { findPersonByEmail } from '../../entities/member/statements.ts';
import { provePerson, resetPersonPassword } from '../../entities/person/credentials.ts';
import { endWebSessions } from '../../entities/sign-in/session-end.ts';
import { deleteResetLink, findResetLink, lockPerson } from '../../entities/sign-in/statements.ts';
import { recordOwnChange } from '../member/account-events.ts';
import { mailResetLink } from '../member/reset-link.ts';
import { emailInput, newPasswordInput, tokenInput } from '../schemas/people.ts';
import { requirePersonHere, unknownLink } from './attempts.ts';
import type { SignInRequest } from './attempts.ts';
import { hashPassword } from './password.ts';
import { hashToken } from './tokens.ts';

export const ResetInput = z.strictObject({ token: tokenInput, password: newPasswordInput });

/**
 * Sets a new password with a reset link, which works once. It ends all sessions of the person and removes the passkeys. The second
 * factor stays, unless the link proves the address for the first time: then everything older is removed.
 * @returns the uniqueId of the person
 * @throws ApiError 404, 421 if the companies of the person were moved away, 429, 503 while a company of the person is frozen
 */
export function resetPassword(
  { session, services, attempts, browser }: SignInRequest,
  { token, password }: z.output<typeof ResetInput>,
): Promise<string> {
  const tokenHash = hashToken(token);
  return attempts.limit({ address: browser.address }, async () => {
    const found = await session.first(findResetLink, { tokenHash });
    if (found === undefined) throw unknownLink();
    const { person_id: person } = found;
    await requirePersonHere(session, person);
    const passwordHash = await hashPassword(password); // before the transaction, which holds a connection
    return session.transaction(async (inside) => {
      // Before the link: a new link is made in this order too.
      const locked = await inside.first(lockPerson, { person });
      const link = await inside.first(deleteResetLink, { tokenHash });
      if (locked === undefined || link === undefined) throw unknownLink();
      const change = link.mailed && !locked.isProven ? provePerson : resetPersonPassword;
      await inside.run(change, { person, password: passwordHash });
      await inside.run(endWebSessions, { person, except: null });
      await recordOwnChange(inside, services, { person, name: locked.name, email: locked.email }, 'passwordReset');
      return person;
    });
  });
}

export const ForgotInput = z.strictObject({ email: emailInput });

/**
 * Mails a reset link to a person who has forgotten the password. Without an account of this email, and without mail, nothing happens.
 * The caller has responded already, so that neither the response nor its time tells who has an account.
 */
export async function mailForgottenPassword(
  { session, services }: Pick<SignInRequest, 'session' | 'services'>,
  { email }: z.output<typeof ForgotInput>,
): Promise<void> {
  if (!services.hasMail) return;
  const found = await session.first(findPersonByEmail, { email });
  if (found === undefined) return;
  await session.transaction(async (inside) => {
    const { unique_id: person } = found;
    const locked = await inside.first(lockPerson, { person });
    // The address may belong to somebody else by now.
    if (locked?.email !== email) return;
    await mailResetLink(inside, services, { person, name: locked.name, email }, { by: null, company: null });
  });
}
