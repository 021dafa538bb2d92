import { violates } from '../../database/errors.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import type { Role } from '../../entities/member/role.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import {
  MAX_INVITATIONS_A_DAY,
  MAX_OPEN_INVITATIONS,
  countInvitations,
  insertInvitation,
  lockInvitations,
  revokeInvitationsOf,
} from '../../entities/member/invitation.ts';
import {
  endMember as endStatement,
  findLastingAdmin,
  findActiveMembers,
  findMember,
  lockMember,
  recordAccountEvent,
  updateMember as updateStatement,
} from '../../entities/member/management.ts';
import type { MemberRow } from '../../entities/member/management.ts';
import { newIdentity } from '../../entities/member/identity-digest.ts';
import { findMemberships } from '../../entities/person/account.ts';
import { resumeMails } from '../../entities/person/notifications.ts';
import { replaceResetLink } from '../../entities/person/reset-link.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { endSessionsInCompany } from '../../entities/sign-in/session-end.ts';
import { countFrameworks } from '../../entities/reference-data/statements.ts';
import type { Services } from '../core/services.ts';
import { isOver } from '../schemas/time-zone.ts';
import { generateToken } from '../sign-in/tokens.ts';
import { invitationMail } from '../mail/account-mails.ts';
import { queueMail } from '../mail/queue.ts';
import { callerActor } from '../mail/wording.ts';
import { mailChange } from './account-events.ts';
import { changeEmail, mailEmailLink } from './email.ts';
import { mailResetLink } from './reset-link.ts';

interface Access {
  role: Role;
  frameworks: readonly number[] | null;
  /** Last day of the membership in the time zone of the company; null without one. */
  endsAt: string | null;
}

/** First version whose memberships end on a day. */
const ENDING_VERSION = '0.19.0';

/** How the link of an invitation or a reset reaches the person. */
interface Delivery {
  /** True for a link that the operator gets instead of a mail. */
  showLink?: boolean | undefined;
}

/**
 * Invites an email to the company, and revokes the previous invitation. An unclaimed member keeps the role and the frameworks. With
 * mail, the link is mailed and shown to nobody, so that its use proves the address.
 * @param given `isAlsoShown` for a link that is mailed and shown, which proves nothing
 * @throws ApiError 409 for an active member, 422 for frameworks that the member cannot have, and above the limits of invitations
 */
export async function invite(
  session: Session,
  services: Services,
  {
    email,
    showLink = false,
    isAlsoShown = false,
    ...given
  }: Access & Delivery & { email: string; isAlsoShown?: boolean },
) {
  const { token, tokenHash } = generateToken();
  const link = `${services.appUrl()}/invitation/${token}`;
  const isMailed = services.hasMail && !showLink;
  const isShown = !isMailed || isAlsoShown;
  return session.transaction(async (inside) => {
    await requireValidAccess(inside, given);
    await requireValidEnd(inside, given);
    await inside.run(lockInvitations, {});
    const active = await inside.first(findActiveMembers, { emails: [email] });
    if (active?.is_unclaimed === false) throw new ApiError('conflict', 'email: is already a member');
    await inside.run(revokeInvitationsOf, { email });
    await requireInvitations(inside);
    const { role, frameworks } = active ?? given;
    const endsAt = active === undefined ? given.endsAt : active.ends_at;
    const uniqueId = newUniqueId();
    const { identity, salt } = newIdentity({ name: '', email });
    const invitation = { uniqueId, email, identity, salt, role, frameworks, endsAt, tokenHash, mailed: !isShown };
    const expiresAt = toIso((await inside.one(insertInvitation, invitation)).expires_at);
    if (isMailed) await mailInvitation(inside, services, { email, role, link, expiresAt });
    return { uniqueId, link: isShown ? link : null, expiresAt };
  });
}

/** @throws ApiError 422 */
async function requireInvitations(inside: Session): Promise<void> {
  const { lastDay, open } = await inside.one(countInvitations, {});
  if (open >= MAX_OPEN_INVITATIONS)
    throw new ApiError(
      'unprocessable',
      `email: a company has at most ${MAX_OPEN_INVITATIONS} open invitations; revoke one`,
    );
  if (lastDay >= MAX_INVITATIONS_A_DAY)
    throw new ApiError(
      'unprocessable',
      `email: the company has made ${MAX_INVITATIONS_A_DAY} invitations in the last 24 hours; try again later`,
    );
}

async function mailInvitation(
  inside: Session,
  services: Services,
  { email: to, role, link, expiresAt: text }: { email: string; role: Role; link: string; expiresAt: string },
): Promise<void> {
  const { company } = inside.principal;
  const { name } = await inside.one(ownCompany, {});
  const expiresAt = new Date(text);
  const by = callerActor(inside.principal, name);
  const mail = invitationMail({ to, company: name, role, by, link, expiresAt, appUrl: services.appUrl() });
  await queueMail(inside, services, { kind: 'invitation', mail, person: null, company, expiresAt });
}

/**
 * Changes the role, the frameworks, the last day and the email of a member. An admin has all frameworks.
 * @throws ApiError 404, 409 for an ended member and for the last admin, 422 for frameworks that the member cannot have; as
 *   `changeMemberEmail`
 */
export async function updateMember(
  session: Session,
  services: Services,
  uniqueId: string,
  { email, ...changes }: { [Field in keyof Access]: Access[Field] | undefined } & { email?: string | undefined },
): Promise<MemberRow> {
  return keepLastAdmin(() =>
    session.transaction(async (inside) => {
      const before = await lock(inside, uniqueId);
      if (Object.values(changes).some((value) => value !== undefined)) {
        requireActive(before);
        const role = changes.role ?? before.role;
        const unchanged = role === 'admin' ? null : before.frameworks;
        const after = {
          role,
          frameworks: changes.frameworks === undefined ? unchanged : changes.frameworks,
          endsAt: changes.endsAt === undefined ? before.ends_at : changes.endsAt,
        };
        await requireValidAccess(inside, after);
        if (after.endsAt !== before.ends_at || role !== before.role)
          await requireValidEnd(inside, after, { uniqueId, ...before });
        await inside.run(updateStatement, { uniqueId, ...after });
      }
      const member = await inside.one(findMember, { uniqueId });
      if (email === undefined || email === member.email) return member;
      await changeMemberEmail(inside, services, member, email);
      return inside.one(findMember, { uniqueId });
    }),
  );
}

/**
 * Changes the email of a member. The operator changes it at once, and so does an admin for an ended member who is active nowhere, whose
 * address can then be used again. For an active member an admin makes a link, which is mailed to the new address and works only for the
 * person. Without mail an admin changes it at once, for a person who is a member of this company only.
 * @throws ApiError 409 for a taken address, and for a member who has no account; 422 for a person of other companies
 */
async function changeMemberEmail(
  inside: Session,
  services: Services,
  { person_id: person, is_unclaimed, ended_at }: MemberRow,
  email: string,
): Promise<void> {
  if (person === null)
    throw new ApiError('conflict', 'uniqueId: the membership has ended, and the person deleted the account');
  // The address of an ended member may be that of another account, which no admin may learn.
  if (is_unclaimed && ended_at === null) throw UNCLAIMED;
  const { company } = inside.principal;
  const { name, email: former } = await inside.one(lockPerson, { person });
  const account = { person, name, email: former };
  const by = callerActor(inside.principal, (await inside.one(ownCompany, {})).name);
  const memberships = await inside.run(findMemberships, { person });
  const active = memberships.filter((membership) => membership.endedAt === null);
  const isActiveElsewhere = active.some((membership) => membership.company !== company);
  const isAtOnce = by.kind === 'operator' || (ended_at !== null && active.length === 0);
  if (services.hasMail && !isAtOnce) {
    await mailEmailLink(inside, services, account, { email, by, company });
    return;
  }
  if (!isAtOnce && isActiveElsewhere)
    throw new ApiError(
      'unprocessable',
      'email: the person is also a member of another company; ask the operator of the server to change it',
    );
  // In the other companies of the person, to which the admin does not belong, the event is the operator's.
  const actorIn = (id: number) => (id === company ? inside : inside.asOperator(id));
  const maySignIn = active.length > 0 || by.kind === 'operator';
  await changeEmail(inside, services, { account, email, isProven: false, by, maySignIn, actorIn });
}

const UNCLAIMED = new ApiError(
  'conflict',
  'uniqueId: the member signs in with the account of the same email; invite the email, and the person accepts with its password',
);

/**
 * Ends a membership and the sessions that act for the company. An ended member stays unchanged.
 * @param mayEnd false for the locked member leaves everything as it is
 * @throws ApiError 404, 409 for the last admin
 */
export async function endMember(
  session: Session,
  uniqueId: string,
  mayEnd: (member: Pick<MemberRow, 'ends_at'>) => boolean = () => true,
): Promise<MemberRow> {
  return keepLastAdmin(() =>
    session.transaction(async (inside) => {
      const locked = await lock(inside, uniqueId);
      if (!mayEnd(locked)) return inside.one(findMember, { uniqueId });
      const { person_id: person } = locked;
      await inside.run(endStatement, { uniqueId });
      if (person !== null) await inside.run(endSessionsInCompany, { person });
      return inside.one(findMember, { uniqueId });
    }),
  );
}

/**
 * Creates the link with which a member sets a new password. It replaces the previous link. With mail set up it is mailed, and shown to nobody.
 * @returns null as the link if it is mailed
 * @throws ApiError 404, 409 for an ended or unclaimed member; without mail 422 for a person who is an active member of another company,
 *   except for the operator
 */
export async function createResetLink(
  session: Session,
  services: Services,
  { uniqueId, showLink = false }: Delivery & { uniqueId: string },
): Promise<{ link: string | null; expiresAt: string }> {
  return session.transaction(async (inside) => {
    const member = found(isUniqueId(uniqueId) ? await inside.first(findMember, { uniqueId }) : undefined, 'member');
    const person = requireActive(member);
    if (member.is_unclaimed) throw UNCLAIMED;
    const { name, email } = await inside.one(lockPerson, { person });
    const account = { person, name, email };
    const { company } = inside.principal;
    const by = callerActor(inside.principal, (await inside.one(ownCompany, {})).name);
    if (services.hasMail && !showLink) {
      const { expiresAt, isMade } = await mailResetLink(inside, services, account, { by, company });
      if (isMade) await inside.run(recordAccountEvent, { member: uniqueId, verb: 'resetPassword' });
      return { link: null, expiresAt };
    }
    const { token, tokenHash } = generateToken();
    const withOtherCompanies = by.kind === 'operator';
    const stored = await inside.first(replaceResetLink, { person, tokenHash, mailed: false, withOtherCompanies });
    if (stored === undefined)
      throw new ApiError(
        'unprocessable',
        'uniqueId: the person is also a member of another company; ask the operator of the server for a link',
      );
    await inside.run(recordAccountEvent, { member: uniqueId, verb: 'resetPassword' });
    await mailChange(inside, services, account, 'resetPassword', by);
    return { link: `${services.appUrl()}/reset/${token}`, expiresAt: toIso(stored.expires_at) };
  });
}

/**
 * Sends mails to a member again whose mailbox did not exist. A member whose mailbox takes mails stays unchanged.
 * @throws ApiError 404, 409 for an ended member
 */
export async function resumeMail(session: Session, uniqueId: string): Promise<MemberRow> {
  const member = found(isUniqueId(uniqueId) ? await session.first(findMember, { uniqueId }) : undefined, 'member');
  await session.run(resumeMails, { person: requireActive(member) });
  return session.one(findMember, { uniqueId });
}

const lock = async (session: Session, uniqueId: string) =>
  found(isUniqueId(uniqueId) ? await session.first(lockMember, { uniqueId }) : undefined, 'member');

/** Returns the person of an active member. @throws ApiError 409 */
function requireActive({ ended_at, person_id: person }: Pick<MemberRow, 'ended_at' | 'person_id'>): string {
  if (ended_at !== null || person === null)
    throw new ApiError('conflict', 'uniqueId: the membership has ended; invite the person again');
  return person;
}

/** @throws ApiError 422 for an admin with frameworks, and for frameworks of another company */
async function requireValidAccess(
  session: Session,
  { role, frameworks }: Pick<Access, 'role' | 'frameworks'>,
): Promise<void> {
  if (frameworks === null) return;
  if (role === 'admin') throw new ApiError('unprocessable', 'frameworks: an admin has all frameworks');
  const { count } = await session.one(countFrameworks, { frameworks });
  if (count !== frameworks.length)
    throw new ApiError('unprocessable', 'frameworks: expected frameworks of this company');
}

/**
 * @param before the member as it is; undefined for an invitation
 * @throws ApiError 409 for an admin with a last day where nobody else is one without, 422 for a day that is over, 503 while a process of
 *   an older version runs, which would not end the membership
 */
async function requireValidEnd(
  session: Session,
  { role, endsAt }: Pick<Access, 'role' | 'endsAt'>,
  before?: Pick<MemberRow, 'ends_at'> & { uniqueId: string },
): Promise<void> {
  if (endsAt === null) return;
  const { timeZone } = await session.one(ownCompany, {});
  if (endsAt !== before?.ends_at && isOver(endsAt, timeZone, session.now))
    throw new ApiError('unprocessable', `endsAt: ${endsAt} is in the past; expected today or a later day`);
  if (role === 'admin' && (await session.first(findLastingAdmin, { except: before?.uniqueId ?? null })) === undefined)
    throw new ApiError(
      'conflict',
      'endsAt: the company needs one admin without an end date; make another member an admin first',
    );
  await session.requireVersion(ENDING_VERSION);
}

/** The database keeps the last admin of a company, also from concurrent changes. @throws ApiError 409 */
async function keepLastAdmin<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!violates(error, 'member_last_admin')) throw error;
    throw new ApiError('conflict', 'uniqueId: is the last admin of the company; make another member an admin first');
  }
}
