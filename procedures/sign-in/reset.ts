import { z } from 'zod';
import { endWebSessions } from '../../entities/sign-in/session-end.ts';
import { deleteResetLink, findResetLink, resetPersonPassword } from '../../entities/sign-in/statements.ts';
import { newPasswordInput, tokenInput } from '../schemas/people.ts';
import { SignInError, requirePersonHere } from './attempts.ts';
import type { SignInRequest } from './attempts.ts';
import { hashPassword } from './password.ts';
import { hashToken } from './tokens.ts';

export const ResetInput = z.strictObject({ token: tokenInput, password: newPasswordInput });

/**
 * Sets a new password with a reset link, which works once, and ends all sessions of the person. The second factor stays.
 * @returns the uniqueId of the person
 * @throws ApiError 404, 421 if the companies of the person were moved away, 429
 */
export function resetPassword(
  { session, attempts, browser }: SignInRequest,
  { token, password }: z.output<typeof ResetInput>,
): Promise<string> {
  const tokenHash = hashToken(token);
  return attempts.limit({ address: browser.address }, async () => {
    const found = await session.first(findResetLink, { tokenHash });
    if (found === undefined) throw unknownLink();
    await requirePersonHere(session, found.person_id);
    const passwordHash = await hashPassword(password); // before the transaction, which holds a connection
    return session.transaction(async (inside) => {
      const link = await inside.first(deleteResetLink, { tokenHash });
      if (link === undefined) throw unknownLink();
      await inside.run(resetPersonPassword, { person: link.person_id, password: passwordHash });
      await inside.run(endWebSessions, { person: link.person_id, except: null });
      return link.person_id;
    });
  });
}

const unknownLink = () =>
  new SignInError('unknown_token', 'not_found', 'token: not found; the link was used or replaced, or has expired');
