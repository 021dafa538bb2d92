import { z } from 'zod';
import { violates } from '../../database/errors.ts';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { Role } from '../../entities/member/role.ts';
import { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import { restorePerson } from '../../entities/member/claim.ts';
import { findPersonByEmail, insertPerson } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import { findInvitation, markInvitationUsed } from '../../entities/sign-in/statements.ts';
import type { AnySession } from '../core/context.ts';
import { parseInput } from '../core/errors.ts';
import { claim } from '../member/claim.ts';
import { join } from '../member/identity.ts';
import { codeInput, newPasswordInput, passwordInput, personNameInput, tokenInput } from '../schemas/people.ts';
import { SignInError, listFailure, movedAway, requireSecondFactor } from './attempts.ts';
import type { SignedIn, SignInRequest } from './attempts.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { lockUnchanged } from './sign-in.ts';
import { hashToken } from './tokens.ts';
import { startWebSession } from './web-sessions.ts';

export const InvitationInput = z.strictObject({
  token: tokenInput,
  name: personNameInput('Name of a new person').optional(),
  password: passwordInput,
  code: codeInput.optional(),
});
type Input = z.output<typeof InvitationInput>;

export const InvitationToken = InvitationInput.pick({ token: true });

/** Fields of a person who has no account yet. */
const NewPersonInput = z.object({ name: personNameInput('Name'), password: newPasswordInput });

type Invitation = NonNullable<typeof findInvitation.row>;

/** A person whose password was verified, or one to insert. */
interface Invited {
  uniqueId: string;
  name: string;
  /** Undefined for a new person. */
  existing?: PersonRow;
  /** Hash of the password of a new person. */
  password: string | null;
  hasSecondFactor: boolean;
}

/** An invitation as the invited person sees it before accepting. */
interface InvitationView {
  /** Name of the company. */
  company: string;
  email: string;
  role: Role;
  /** True if accepting needs the password of an account. */
  account: boolean;
}

/**
 * Shows an invitation, and changes nothing. An unknown token counts for the limits of sign-in, as it does when accepting.
 * @throws ApiError 404, 421, 429
 */
export function lookAtInvitation(
  { session, attempts, browser }: SignInRequest,
  { token }: z.output<typeof InvitationToken>,
): Promise<InvitationView> {
  return attempts.limit({ address: browser.address }, async () => {
    const { invitation, person } = await findOpen(session, token);
    const { companyName: company, email, role } = invitation;
    return { company, email, role, account: person !== undefined };
  });
}

/** Finds an invitation that can be accepted, and the person who has its email. @throws SignInError 404, 421 */
async function findOpen(session: AnySession, token: string) {
  const invitation = await session.first(findInvitation, { tokenHash: hashToken(token) });
  if (invitation === undefined) throw unknownInvitation();
  if (invitation.movedTo !== null) throw movedAway(invitation.movedTo);
  return { invitation, person: await session.first(findPersonByEmail, { email: invitation.email }) };
}

/**
 * Accepts an invitation: a new person chooses a password, an existing one gives it. The person acts for the company from
 * now on, and the audit event of the new member is attributed to that member. An unclaimed member gets the person.
 * @throws ApiError 400, 401, 404, 409, 421, 422, 429. Nothing has changed then.
 */
export function acceptInvitation(request: SignInRequest, input: Input): Promise<SignedIn> {
  const { session, attempts, browser } = request;
  const attempt = async () => {
    const { invitation, person } = await findOpen(session, input.token);
    // Hashes run before the transaction, which holds a connection.
    const invited =
      person === undefined ? await newPerson(input) : await existingPerson(request, input, person, invitation);
    return session.transaction((inside) => accept(inside, request, invitation, invited));
  };
  return listFailure(request, { method: 'password' }, () => attempts.limit({ address: browser.address }, attempt));
}

const unknownInvitation = () =>
  new SignInError(
    'unknown_token',
    'not_found',
    'token: not found; the invitation was used, revoked or replaced, or has expired',
  );

async function newPerson(input: Input): Promise<Invited> {
  const { name, password } = parseInput(NewPersonInput, input);
  return { uniqueId: newUniqueId(), name, password: await hashPassword(password), hasSecondFactor: false };
}

/** Verifies the password and the second factor of a person. Failures count for the account too. */
function existingPerson(
  request: SignInRequest,
  { password, code }: Input,
  person: PersonRow,
  { email }: Invitation,
): Promise<Invited> {
  return request.attempts.limit({ email }, async () => {
    if (person.password === null) {
      const message =
        'password: your account has none; sign in with single sign-on, or ask the operator for a reset link';
      throw new SignInError('no_password', 'unprocessable', message, person.unique_id);
    }
    if (!(await verifyPassword(password, person.password))) {
      const message = 'password: not the password of your account';
      throw new SignInError('wrong_password', 'unprocessable', message, person.unique_id);
    }
    const hasSecondFactor = await requireSecondFactor(request, person, code);
    return { uniqueId: person.unique_id, name: person.name, existing: person, password: null, hasSecondFactor };
  });
}

/** Uses the invitation, and inserts the person, the member and the session. */
async function accept(
  inside: AnySession,
  request: SignInRequest,
  { company, invitation, email, role, frameworks, member, unclaimed }: Invitation,
  { uniqueId, name: givenName, existing, password, hasSecondFactor }: Invited,
): Promise<SignedIn> {
  const memberId = member ?? newUniqueId();
  const principal = memberPrincipal({ company, uniqueId: memberId, name: givenName, role, frameworks });
  const asMember = inside.actingAs(principal, request.requestId);
  if ((await asMember.first(markInvitationUsed, { invitation })) === undefined) throw unknownInvitation();
  const invitee = { uniqueId, email, name: givenName, password };
  const person = existing?.unique_id ?? (await createPerson(asMember, invitee, unclaimed));
  const { name } = existing === undefined ? invitee : await lockUnchanged(inside, existing);
  const isMember = unclaimed !== null && (await claim(asMember, { member: memberId, unclaimed, person }));
  if (!isMember && (await join(asMember, { person, name, email, role, frameworks })) !== memberId)
    throw new ApiError('conflict', 'token: you are a member of this company already; sign in');
  const companies = await inside.run(findCompaniesOfPerson, { person, singleSignOnCompany: null });
  if (!companies.some(({ id }) => id === company))
    throw new ApiError('unprocessable', 'password: this company requires single sign-on; sign in with it');
  return startWebSession(inside, request, { person, company, method: 'password', hasSecondFactor });
}

/** Creates a person, or gives an unclaimed one its email back. @returns the uniqueId @throws ApiError 409 */
async function createPerson(
  asMember: Session,
  invitee: { uniqueId: string; email: string; name: string; password: string | null },
  unclaimed: string | null,
): Promise<string> {
  try {
    const restored = unclaimed === null ? undefined : await asMember.first(restorePerson, { ...invitee, unclaimed });
    const created = restored ?? (await asMember.first(insertPerson, invitee));
    if (created !== undefined) return created.unique_id;
  } catch (error) {
    if (!violates(error, 'person_email_unique')) throw error;
  }
  throw new ApiError('conflict', 'password: your account was just created; send its password');
}
