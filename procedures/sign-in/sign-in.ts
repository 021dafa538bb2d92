import { z } from 'zod';
import { findPersonByEmail } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import type { AnySession } from '../core/context.ts';
import { codeInput, emailInput, passwordInput } from '../schemas/people.ts';
import { SignInError, listFailure, movedAway, requireSecondFactor } from './attempts.ts';
import type { SignedIn, SignInRequest } from './attempts.ts';
import { verifyPassword } from './password.ts';
import { startWebSession } from './web-sessions.ts';
import { findCompanies } from '../member/companies.ts';

export const SignInInput = z.strictObject({ email: emailInput, password: passwordInput, code: codeInput.optional() });

type LockedPerson = NonNullable<typeof lockPerson.row>;

/** No person has this id. */
const NO_PERSON = '00000000-0000-0000-0000-000000000000';

/**
 * Signs in with an email and a password. An unknown email, a wrong password and a person without a company cause the same
 * queries, one hash and the same error.
 * @throws ApiError 401, 429; 421 with the right password if the companies of the person were moved away
 */
export function signInWithPassword(
  request: SignInRequest,
  { email, password, code }: z.output<typeof SignInInput>,
): Promise<SignedIn> {
  const { session, attempts, browser } = request;
  const attempt = async () => {
    const person = await session.first(findPersonByEmail, { email });
    const id = person?.unique_id ?? NO_PERSON;
    const [company] = await findCompanies(session, { person: id, singleSignOnCompany: null });
    const isRight = await verifyPassword(password, person?.password ?? null);
    if (person === undefined) throw wrongCredentials('unknown_email');
    if (!isRight) throw wrongCredentials('wrong_password', id);
    if (company === undefined) throw wrongCredentials('no_company', id);
    if (company.movedTo !== null) throw movedAway(company.movedTo, id);
    const hasSecondFactor = await requireSecondFactor(request, person, code);
    return session.transaction(async (inside) => {
      await lockUnchanged(inside, person);
      return startWebSession(inside, request, { person: id, company: company.id, method: 'password', hasSecondFactor });
    });
  };
  return listFailure(request, { method: 'password', email }, () =>
    attempts.limit({ address: browser.address, email }, attempt),
  );
}

/** The error of a sign-in: it never says if the email has an account. */
export const wrongCredentials = (problem: 'unknown_email' | 'wrong_password' | 'no_company', person?: string) =>
  new SignInError(
    problem,
    'unauthorized',
    'The email or the password is wrong, or your company requires single sign-on.',
    person,
  );

/**
 * Locks a person whose password was verified. No session starts with a password that was changed in the meantime.
 * @returns the person, as it is now
 * @throws SignInError 401 if the password was changed, or the person was deleted
 */
export async function lockUnchanged(inside: AnySession, person: PersonRow): Promise<LockedPerson> {
  const locked = await inside.first(lockPerson, { person: person.unique_id });
  if (locked === undefined) throw wrongCredentials('unknown_email');
  if (locked.password !== person.password) throw wrongCredentials('wrong_password', person.unique_id);
  return locked;
}
