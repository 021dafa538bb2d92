import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { findUnclaimedMember } from '../../entities/member/claim.ts';
import { findPerson, findPersonByEmail, insertPerson } from '../../entities/member/statements.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import { findMemberships } from '../../entities/person/account.ts';
import { provePerson } from '../../entities/person/credentials.ts';
import { listPasskeys } from '../../entities/person/passkey.ts';
import { endWebSessions } from '../../entities/sign-in/session-end.ts';
import { findLinkedPerson, findMemberOfPerson, linkMember } from '../../entities/single-sign-on/link.ts';
import { companyIsOpen } from '../../entities/company/closing.ts';
import { lockSso } from '../../entities/single-sign-on/sso.ts';
import { lockInvitationOfEmail, lockPerson, markInvitationUsed } from '../../entities/sign-in/statements.ts';
import { findLinkChallenge, insertLinkChallenge, useLinkChallenge } from '../../entities/single-sign-on/challenge.ts';
import type { AnySession } from '../core/context.ts';
import { isOver } from '../schemas/time-zone.ts';
import { inADay, recordOwnChange } from '../member/account-events.ts';
import type { Account, MailSender } from '../member/account-events.ts';
import { changeEmail } from '../member/email.ts';
import { join, claim } from '../member/identity.ts';
import { linkedMail } from '../mail/account-mails.ts';
import { queueMail } from '../mail/queue.ts';
import { emailInput, codeInput, passwordInput } from '../schemas/people.ts';
import { SignInError, listFailure, movedAway, requireSecondFactor } from '../sign-in/attempts.ts';
import type { SignedIn, SignInRequest } from '../sign-in/attempts.ts';
import { startWebSession } from '../sign-in/web-sessions.ts';
import { verifyPassword } from '../sign-in/password.ts';
import { generateToken, hashToken } from '../sign-in/tokens.ts';
import { isProvider, domainOf, toAccount, ProviderAccount } from './provider.ts';
import type { ProviderClient, VerifiedClaims } from './provider.ts';

/** Provider of the claims. */
export type ClaimsSource = Omit<ProviderClient, 'clientSecret'>;

/** The account fits to a person with a password, which the first link requires once. */
export class PasswordRequiredError extends SignInError {
  readonly source: ClaimsSource;
  readonly account: ProviderAccount;
  declare readonly person: string;

  constructor(source: ClaimsSource, account: ProviderAccount, person: string) {
    super('missing_password', 'forbidden', 'password: required once, to link your account with single sign-on', person);
    this.source = source;
    this.account = account;
  }
}

/**
 * Signs a person in for a company with the claims of its provider. The first sign-in creates the person and the member, or uses
 * the invitation of the email, and links the member to the account. The session can act only for this company, because
 * another company did not choose this provider.
 * @throws PasswordRequiredError if only the password of the person is missing
 * @throws ApiError 403 if the claims name no verified email of the company, if the member is linked to another account, or if
 *   the membership has ended; 422 if the company has another provider now; 429
 */
export function signInWithClaims(
  request: SignInRequest,
  source: ClaimsSource,
  claims: VerifiedClaims,
): Promise<SignedIn> {
  const { attempts, browser } = request;
  const email = emailInput.safeParse(claims.email).data ?? null;
  return listFailure(request, { method: 'sso', email, onlyCompany: source.company }, () =>
    attempts.limit({ address: browser.address }, () =>
      request.session.transaction((inside) => signInAccount(inside, request, { source, claims, passwordHash: null })),
    ),
  );
}

interface Attempt {
  source: ClaimsSource;
  claims: VerifiedClaims;
  /** Hash of the password of the person, if it was verified. */
  passwordHash: string | null;
}

/**
 * Signs in within a transaction. The settings stay locked until its end: a removal of the provider waits, and then ends the
 * session. Locks are taken in the order settings, invitation, person, member.
 */
async function signInAccount(
  inside: AnySession,
  request: SignInRequest,
  { source, claims, passwordHash }: Attempt,
): Promise<SignedIn> {
  const { company } = source;
  const operator = inside.asOperator(company);
  const settings = await operator.first(lockSso, {});
  if (settings === undefined || !isProvider(settings, source))
    throw new ApiError('unprocessable', 'The single sign-on of your company was changed in the meantime. Start again.');
  const { open, movedTo } = await operator.one(companyIsOpen, {});
  if (open && movedTo !== null) throw movedAway(movedTo);
  if (!open) throw new SignInError('no_company', 'unauthorized', 'Your company is closed.');
  const account = toAccount(claims, settings);
  const found = await operator.first(lockInvitationOfEmail, account);
  const invitation = found !== undefined && isOver(found.endsAt, found.timeZone) ? undefined : found;
  const { unique_id: person } = await ensurePerson(inside, company, account);
  const locked = await inside.first(lockPerson, { person });
  if (locked === undefined) throw deletedMeanwhile();
  const isFirstProof = !locked.isProven && locked.email === account.email;
  if (isFirstProof) await prove(inside, request.services, { person, ...locked });
  const { name } = locked;
  const password = isFirstProof ? null : locked.password;
  const email = await followEmail(inside, request.services, source, account, { person, ...locked });
  const joined = await operator.first(findMemberOfPerson, { person });
  const unclaimed =
    joined === undefined ? await inside.first(findUnclaimedMember, { ...account, forCompany: company }) : undefined;
  if (unclaimed !== undefined) {
    if (invitation === undefined || unclaimed.email !== email) throw unclaimedMember(person);
    if (password !== passwordHash) throw new PasswordRequiredError(source, account, person);
    const principal = memberPrincipal({ company, uniqueId: unclaimed.member, name, ...invitation });
    const asClaimed = inside.actingAs(principal, request.requestId);
    if (await claim(asClaimed, { ...unclaimed, person })) await asClaimed.one(markInvitationUsed, invitation);
  }
  const member = unclaimed === undefined ? joined : await operator.one(findMemberOfPerson, { person });
  const isMember = member?.ended_at === null;
  const { timeZone } = await operator.one(ownCompany, {});
  if (isMember && isOver(member.ends_at, timeZone)) throw endedMember(person);
  const isLinked = member?.single_sign_on === account.issuer && member.single_sign_on_subject === account.subject;
  if (!isLinked && member?.single_sign_on === account.issuer) throw otherAccount(person);
  if (member !== undefined && !isMember && invitation === undefined) throw endedMember(person);
  if (!isLinked && !settings.required && password !== passwordHash)
    throw new PasswordRequiredError(source, account, person);
  const { role, frameworks } = isMember ? member : (invitation ?? { role: settings.role, frameworks: null });
  const access = { role, frameworks };
  const uniqueId = member?.unique_id ?? newUniqueId();
  const asMember = inside.actingAs(memberPrincipal({ company, uniqueId, name, ...access }), request.requestId);
  if (!isMember) {
    if (invitation !== undefined) await asMember.one(markInvitationUsed, invitation);
    await join(asMember, { person, name, email, ...access, endsAt: invitation?.endsAt });
  }
  if (!isLinked) await asMember.run(linkMember, account);
  const singleSignOnDomain = domainOf(account.email);
  const signIn = { person, company, method: 'sso' as const, singleSignOnDomain, hasSecondFactor: false };
  const signedIn = await startWebSession(inside, request, signIn);
  if (!isLinked) await mailLinked(operator, request.services, { person, email });
  return signedIn;
}

const deletedMeanwhile = () => new ApiError('conflict', 'Your account was deleted in the meantime. Start again.');

const otherAccount = (person: string) =>
  new SignInError(
    'other_account',
    'forbidden',
    'This email address belongs to an earlier member, who signs in with another account of the identity provider. Ask an admin of your company to change the address of the earlier member first.',
    person,
  );

const unclaimedMember = (person: string) =>
  new SignInError(
    'no_company',
    'forbidden',
    'You must accept an invitation to this company first. Ask an admin of your company for one.',
    person,
  );

const endedMember = (person: string) =>
  new SignInError(
    'no_company',
    'forbidden',
    'Your membership of this company has ended. Ask an admin for an invitation.',
    person,
  );

/**
 * Proves the address of an account with the verified email of a provider, and removes what could sign in before: whoever had the account
 * may not have read the mails of the address.
 */
async function prove(
  inside: AnySession,
  sender: MailSender,
  account: Account & { password: string | null },
): Promise<void> {
  const { person, password } = account;
  const passkeys = await inside.run(listPasskeys, { person });
  await inside.run(provePerson, { person, password: null });
  await inside.run(endWebSessions, { person, except: null });
  if (password !== null || passkeys.length > 0) await recordOwnChange(inside, sender, account, 'passwordReset');
}

/**
 * Gives a linked person the email that the provider verified, if the person is a member of its company only. An address that another
 * account has leaves the old one.
 * @returns the email of the person from now on
 */
async function followEmail(
  inside: AnySession,
  sender: MailSender,
  { company }: ClaimsSource,
  { email }: ProviderAccount,
  account: Account,
): Promise<string> {
  const { person } = account;
  if (email === account.email) return email;
  const memberships = await inside.run(findMemberships, { person });
  const isElsewhere = memberships.some(({ endedAt, ...of }) => endedAt === null && of.company !== company);
  if (isElsewhere || (await inside.first(findPersonByEmail, { email })) !== undefined) return account.email;
  const { name } = await inside.asOperator(company).one(ownCompany, {});
  await changeEmail(inside, sender, { account, email, isProven: true, by: { kind: 'provider', company: name } });
  return email;
}

/** Tells a person about a new link. */
async function mailLinked(
  operator: Session,
  sender: MailSender,
  { person, email }: Pick<Account, 'person' | 'email'>,
): Promise<void> {
  if (!sender.hasMail) return;
  const { company } = operator.principal;
  const { name } = await operator.one(ownCompany, {});
  const mail = linkedMail(email, name);
  await queueMail(operator, sender, { kind: 'account', mail, person, company, expiresAt: inADay() });
}

/**
 * Finds the person whose member of the company is linked to an account, or else the person of the email, or creates a person.
 * The link comes first, as the email of a person may change at the provider.
 */
async function ensurePerson(
  session: AnySession,
  company: number,
  { issuer, subject, email, name }: ProviderAccount,
): Promise<PersonRow> {
  const linked = await session.first(findLinkedPerson, { issuer, subject, forCompany: company });
  const person = linked && (await session.first(findPerson, { person: linked.person_id }));
  if (person !== undefined) return person;
  const existing = await session.first(findPersonByEmail, { email });
  if (existing !== undefined) return existing;
  await session.run(insertPerson, { uniqueId: newUniqueId(), email, name, password: null, isProven: true });
  return session.one(findPersonByEmail, { email }); // perhaps that of a concurrent sign-in
}

export const LinkInput = z.strictObject({ password: passwordInput, code: codeInput.optional() });

/** A verified account that waits for the password of a person. */
const WaitingLink = z.object({ issuer: z.string(), clientId: z.string(), account: ProviderAccount });

/**
 * Stores an account that waits for a password.
 * @returns the token for the cookie of the browser
 * @throws ApiError 409 if the person was deleted in the meantime
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
