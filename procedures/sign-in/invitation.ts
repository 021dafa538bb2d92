import { z } from 'zod';
import { violates } from '../../database/errors.ts';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { Role } from '../../entities/member/role.ts';
import { restorePerson } from '../../entities/member/claim.ts';
import { findPersonByEmail, insertPerson } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import { findMemberships, renamePerson } from '../../entities/person/account.ts';
import { provePerson } from '../../entities/person/credentials.ts';
import { endWebSessions } from '../../entities/sign-in/session-end.ts';
import { findInvitation, lockPerson, markInvitationUsed } from '../../entities/sign-in/statements.ts';
import type { AnySession } from '../core/context.ts';
import { parseInput } from '../core/errors.ts';
import { recordOwnChange } from '../member/account-events.ts';
import type { Account, MailSender } from '../member/account-events.ts';
import { identifyEverywhere, join, claim } from '../member/identity.ts';
import { findCompanies } from '../member/companies.ts';
import { isOver } from '../schemas/time-zone.ts';
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

/** A person to insert, one whose password was verified, or one whom the link proves. */
interface Invited {
  uniqueId: string;
  name: string;
  /** Undefined for a new person. */
  existing?: PersonRow;
  /** Hash of the password of a new person, or of one whom the link proves; null for one whose password was verified. */
  password: string | null;
  hasSecondFactor: boolean;
}

/** An invitation as the invited person sees it before accepting. */
interface InvitationView {
  /** Name of the company. */
  company: string;
  email: string;
  role: Role;
  /** True if accepting needs the password of an account. Null for a link that was shown, because whoever has it must not learn about accounts. */
  account: boolean | null;
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
    return { company, email, role, account: invitation.mailed ? isProven(person) : null };
  });
}

/** Finds an invitation that can be accepted, and the person who has its email. @throws SignInError 404, 421 */
async function findOpen(session: AnySession, token: string) {
  const invitation = await session.first(findInvitation, { tokenHash: hashToken(token) });
  if (invitation === undefined || isOver(invitation.endsAt, invitation.timeZone, session.now))
    throw unknownInvitation();
  if (invitation.movedTo !== null) throw movedAway(invitation.movedTo);
  return { invitation, person: await session.first(findPersonByEmail, { email: invitation.email }) };
}

const isProven = (person: PersonRow | undefined): boolean => typeof person?.proven_at === 'string';

/**
 * Accepts an invitation: a new person chooses a password, an existing one gives it. The person acts for the company from
 * now on, and the audit event of the new member is attributed to that member. An unclaimed member gets the person. A link that was
 * only mailed proves the address: an account that was not proven gets a new password, and loses what could sign in before.
 * @throws ApiError 400, 401, 404, 409, 421, 422, 429. Nothing has changed then.
 */
export function acceptInvitation(request: SignInRequest, input: Input): Promise<SignedIn> {
  const { session, attempts, browser } = request;
  const attempt = async () => {
    const { invitation, person } = await findOpen(session, input.token);
    // Hashes run before the transaction, which holds a connection.
    const invited = await identify(request, input, invitation, person);
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

/** @throws ApiError 400, 401, 422, 429 */
async function identify(
  request: SignInRequest,
  input: Input,
  invitation: Invitation,
  person: PersonRow | undefined,
): Promise<Invited> {
  if (person === undefined || (invitation.mailed && !isProven(person))) {
    const { name, password } = parseInput(NewPersonInput, input);
    const uniqueId = person?.unique_id ?? newUniqueId();
    const invited = { uniqueId, name, password: await hashPassword(password), hasSecondFactor: false };
    return person === undefined ? invited : { ...invited, existing: person };
  }
  if (!isProven(person)) await requireOnlyHere(request.session, person, invitation);
  return existingPerson(request, input, person, invitation);
}

/**
 * Requires that a person who is not proven belongs to the company of the invitation, and to no other. Else the person may be somebody who
 * has only seen a link to this address.
 * @throws SignInError 422
 */
async function requireOnlyHere(
  session: AnySession,
  { unique_id: person }: PersonRow,
  { company }: Invitation,
): Promise<void> {
  const memberships = await session.run(findMemberships, { person });
  if (memberships.length > 0 && memberships.every((membership) => membership.company === company)) return;
  throw new SignInError(
    'unproven_account',
    'unprocessable',
    'token: nobody has proved yet that this email address belongs to its account; ask the operator of the service to confirm it',
    person,
  );
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
  { company, invitation, email, role, frameworks, endsAt, mailed, member, unclaimed }: Invitation,
  { uniqueId, name: givenName, existing, password, hasSecondFactor }: Invited,
): Promise<SignedIn> {
  const memberId = member ?? newUniqueId();
  const principal = memberPrincipal({ company, uniqueId: memberId, name: givenName, role, frameworks });
  const asMember = inside.actingAs(principal, request.requestId);
  if ((await asMember.first(markInvitationUsed, { invitation })) === undefined) throw unknownInvitation();
  const invitee = { uniqueId, email, name: givenName, password, isProven: mailed };
  const person = existing?.unique_id ?? (await createPerson(asMember, invitee, unclaimed));
  const { name } =
    existing === undefined
      ? invitee
      : password === null
        ? await lockUnchanged(inside, existing)
        : await prove(inside, request.services, { person, name: givenName, email }, password);
  const isMember = unclaimed !== null && (await claim(asMember, { member: memberId, unclaimed, person }));
  if (!isMember && (await join(asMember, { person, name, email, role, frameworks, endsAt })) !== memberId)
    throw new ApiError('conflict', 'token: you are a member of this company already; sign in');
  const companies = await findCompanies(inside, { person, singleSignOnCompany: null });
  if (!companies.some(({ id }) => id === company))
    throw new ApiError('unprocessable', 'password: this company requires single sign-on; sign in with it');
  return startWebSession(inside, request, { person, company, method: 'password', hasSecondFactor });
}

/**
 * Proves the address of an account with a mailed link: the person chooses name and password anew, and nothing signs in any more that did
 * before. The other companies of the person get an event.
 * @throws ApiError 409 if the account was proven, changed or deleted meanwhile
 */
async function prove(
  inside: AnySession,
  sender: MailSender,
  account: Account,
  password: string,
): Promise<Pick<Account, 'name'>> {
  const { person, name, email } = account;
  const locked = await inside.first(lockPerson, { person });
  if (locked === undefined || locked.isProven || locked.email !== email)
    throw new ApiError('conflict', 'token: the account was changed in the meantime; open the link again');
  await inside.run(provePerson, { person, password });
  await inside.run(endWebSessions, { person, except: null });
  if ((await inside.first(renamePerson, { person, name })) !== undefined)
    await identifyEverywhere(inside, person, { name, email });
  await recordOwnChange(inside, sender, account, 'passwordReset');
  return { name };
}

/** Creates a person, or gives an unclaimed one its email back. @returns the uniqueId @throws ApiError 409 */
async function createPerson(
  asMember: Session,
  invitee: { uniqueId: string; email: string; name: string; password: string | null; isProven: boolean },
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
