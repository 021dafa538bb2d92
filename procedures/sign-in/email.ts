import { z } from 'zod';
import { findPerson } from '../../entities/member/statements.ts';
import { deleteEmailLink, findEmailLink } from '../../entities/person/email-link.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { changeEmail } from '../member/email.ts';
import { passwordInput, tokenInput } from '../schemas/people.ts';
import { SignInError, requirePersonHere, unknownLink } from './attempts.ts';
import type { SignInRequest } from './attempts.ts';
import { verifyPassword } from './password.ts';
import { hashToken } from './tokens.ts';

export const EmailInput = z.strictObject({ token: tokenInput, password: passwordInput.optional() });

/**
 * Gives an account the address to which a link was mailed. The sessions stay. The link of an admin works only for the person, who has
 * a session or sends the password: it was the admin who chose the mailbox.
 * @param signedIn uniqueId of the person of the session; undefined without one
 * @returns the uniqueId of the person
 * @throws ApiError 404, 409 if another account has the address, 421, 422 for a missing or wrong password, 429, 503
 */
export function useEmailLink(
  { session, services, attempts, browser }: SignInRequest,
  signedIn: string | undefined,
  { token, password }: z.output<typeof EmailInput>,
): Promise<string> {
  const tokenHash = hashToken(token);
  return attempts.limit({ address: browser.address }, async () => {
    const found = await session.first(findEmailLink, { tokenHash });
    if (found === undefined) throw unknownLink();
    const { person_id: person, by_admin: byAdmin } = found;
    await requirePersonHere(session, person);
    if (byAdmin && signedIn !== person) {
      const { email, password: stored } = await session.one(findPerson, { person });
      await attempts.limit({ email }, async () => {
        if (password === undefined)
          throw new SignInError(
            'missing_password',
            'unprocessable',
            'password: required, because an admin asked for this change; or sign in first',
            person,
          );
        if (!(await verifyPassword(password, stored)))
          throw new SignInError(
            'wrong_password',
            'unprocessable',
            'password: not the password of your account',
            person,
          );
      });
    }
    return session.transaction(async (inside) => {
      // Before the link: a new link is made in this order too.
      const locked = await inside.first(lockPerson, { person });
      const link = await inside.first(deleteEmailLink, { tokenHash });
      if (locked === undefined || link === undefined) throw unknownLink();
      const { name, email } = locked;
      const account = { person, name, email };
      await changeEmail(inside, services, { account, email: link.email, isProven: true, by: { kind: 'person', name } });
      return person;
    });
  });
}
