import { z } from 'zod';
import { companyIsOpen } from '../../entities/company/closing.ts';
import { findPerson } from '../../entities/member/statements.ts';
import { findLinkChallenge, insertLinkChallenge, useLinkChallenge } from '../../entities/single-sign-on/challenge.ts';
import type { AnySession } from '../core/context.ts';
import { codeInput, passwordInput } from '../schemas/people.ts';
import { SignInError, listFailure, movedAway, requireSecondFactor } from '../sign-in/attempts.ts';
import type { SignedIn, SignInRequest } from '../sign-in/attempts.ts';
import { verifyPassword } from '../sign-in/password.ts';
import { generateToken, hashToken } from '../sign-in/tokens.ts';
import { ProviderAccount } from './account.ts';
import { deletedMeanwhile, signInAccount } from './sign-in.ts';
import type { PasswordRequiredError } from './sign-in.ts';

export const LinkInput = z.strictObject({ password: passwordInput, code: codeInput.optional() });

/** A verified account that waits for the password of a person. */
const WaitingLink = z.object({ issuer: z.string(), clientId: z.string(), account: ProviderAccount });

/**
 * Stores an account that waits for a password.
 * @returns the token for the cookie of the browser
 * @throws ApiError 409 if the person was deleted meanwhile
 */
export async function beginLink(
  session: AnySession,
  { source: { company, issuer, clientId }, account, person }: PasswordRequiredError,
): Promise<string> {
  const { token, tokenHash } = generateToken();
  const details = JSON.stringify({ issuer, clientId, account } satisfies z.input<typeof WaitingLink>);
  const stored = await session.first(insertLinkChallenge, { hash: tokenHash, forCompany: company, person, details });
  if (stored === undefined) throw deletedMeanwhile();
  return token;
}

/**
 * Links the account of a callback with the person whose password this is, and signs in.
 * @param linkToken from the cookie of the browser; undefined without one
 * @throws ApiError 401 if the code of the second factor is missing or wrong; 422 for a wrong password, and for a link that has
 *   expired or was used; as `signInWithClaims`
 */
export function linkWithPassword(
  request: SignInRequest,
  linkToken: string | undefined,
  { password, code }: z.output<typeof LinkInput>,
): Promise<SignedIn> {
  const { session, attempts, browser } = request;
  return attempts.limit({ address: browser.address }, async () => {
    if (linkToken === undefined) throw expired();
    const hash = hashToken(linkToken);
    const challenge = await session.first(findLinkChallenge, { hash });
    if (challenge === undefined) throw expired();
    const { company_id: company } = challenge;
    const { account: claims, ...provider } = WaitingLink.parse(challenge.details);
    const person = await session.first(findPerson, { person: challenge.person_id });
    if (person === undefined) throw expired();
    const link = async () => {
      if (!(await verifyPassword(password, person.password))) throw wrongPassword(person.unique_id);
      const { movedTo } = await session.asOperator(company).one(companyIsOpen, {});
      if (movedTo !== null) throw movedAway(movedTo, person.unique_id);
      await requireSecondFactor(request, person, code);
      const source = { company, ...provider };
      return session.transaction(async (inside) => {
        if ((await inside.first(useLinkChallenge, { hash })) === undefined) throw expired();
        return signInAccount(inside, request, { source, claims, passwordHash: person.password });
      });
    };
    const attempt = { method: 'sso', email: person.email, onlyCompany: company } as const;
    return listFailure(request, attempt, () => attempts.limit({ email: person.email }, link));
  });
}

const wrongPassword = (person: string) =>
  new SignInError('wrong_password', 'unprocessable', 'password: not the password of your account', person);

const expired = () =>
  new SignInError(
    'unknown_token',
    'unprocessable',
    'This sign-in has expired, or was used before. Start single sign-on again.',
  );
