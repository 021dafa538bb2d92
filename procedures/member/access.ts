import { violates } from '../../database/errors.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import type { Role } from '../../entities/member/role.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { insertInvitation, lockInvitee, revokeInvitationsOf } from '../../entities/member/invitation-statements.ts';
import {
  endMember as endStatement,
  findActiveMembers,
  findMember,
  lockMember,
  updateMember as updateStatement,
} from '../../entities/member/management.ts';
import type { MemberRow } from '../../entities/member/management.ts';
import { newIdentity } from '../../entities/member/identity-digest.ts';
import { replaceResetLink } from '../../entities/person/reset-link-statements.ts';
import { endSessionsInCompany } from '../../entities/sign-in/session-end.ts';
import { countFrameworks } from '../../entities/reference-data/statements.ts';
import type { Services } from '../core/services.ts';
import { generateToken } from '../sign-in/tokens.ts';
import { invitationMail } from '../mail/invitation.ts';
import { resetMail } from '../mail/reset.ts';

interface Access {
  role: Role;
  frameworks: readonly number[] | null;
}

/**
 * Invites an email to the company, and revokes the invitation before it. An unclaimed member keeps the role and the frameworks.
 * @throws ApiError 409 for an active member, 422 for frameworks that the member cannot have
 */
export async function invite(
  session: Session,
  { appUrl, sendMail }: Services,
  { email, ...given }: Access & { email: string },
) {
  const { token, tokenHash } = generateToken();
  const { uniqueId, expiresAt, company } = await session.transaction(async (inside) => {
    await requireValidAccess(inside, given);
    await inside.run(lockInvitee, { email });
    const active = await inside.first(findActiveMembers, { emails: [email] });
    if (active?.is_unclaimed === false) throw new ApiError('conflict', 'email: is a member already');
    const { role, frameworks } = active ?? given;
    await inside.run(revokeInvitationsOf, { email });
    const newId = newUniqueId();
    const { identity, salt } = newIdentity({ name: '', email });
    const invitation = { uniqueId: newId, email, identity, salt, role, frameworks, tokenHash };
    const { expires_at } = await inside.one(insertInvitation, invitation);
    const { name } = await inside.one(ownCompany, {});
    return { uniqueId: newId, expiresAt: toIso(expires_at), company: name };
  });
  const link = `${appUrl()}/invitation/${token}`;
  sendMail?.(invitationMail(email, company, link));
  return { uniqueId, link, expiresAt };
}

/**
 * Changes the role and the frameworks of a member. An admin has all frameworks.
 * @throws ApiError 404, 409 for an ended member and for the last admin, 422 for frameworks that the member cannot have
 */
export async function updateMember(
  session: Session,
  uniqueId: string,
  changes: { [Field in keyof Access]: Access[Field] | undefined },
): Promise<MemberRow> {
  return keepLastAdmin(() =>
    session.transaction(async (inside) => {
      const before = await lock(inside, uniqueId);
      requireActive(before);
      const role = changes.role ?? before.role;
      const unchanged = role === 'admin' ? null : before.frameworks;
      const after = { role, frameworks: changes.frameworks === undefined ? unchanged : changes.frameworks };
      await requireValidAccess(inside, after);
      await inside.run(updateStatement, { uniqueId, ...after });
      return inside.one(findMember, { uniqueId });
    }),
  );
}

/**
 * Ends a membership and the sessions that act for the company. An ended member stays unchanged.
 * @throws ApiError 404, 409 for the last admin
 */
export async function endMember(session: Session, uniqueId: string): Promise<MemberRow> {
  return keepLastAdmin(() =>
    session.transaction(async (inside) => {
      const { person_id: person } = await lock(inside, uniqueId);
      await inside.run(endStatement, { uniqueId });
      if (person !== null) await inside.run(endSessionsInCompany, { person });
      return inside.one(findMember, { uniqueId });
    }),
  );
}

/**
 * Creates the link with which a member sets a new password. It replaces the link before it.
 * @param withOtherCompanies false rejects a person who is an active member of another company
 * @throws ApiError 404, 409 for an ended or unclaimed member, 422
 */
export async function createResetLink(
  session: Session,
  { appUrl, sendMail }: Services,
  { uniqueId, withOtherCompanies }: { uniqueId: string; withOtherCompanies: boolean },
) {
  const member = found(isUniqueId(uniqueId) ? await session.first(findMember, { uniqueId }) : undefined, 'member');
  const person = requireActive(member);
  if (member.is_unclaimed)
    throw new ApiError(
      'conflict',
      'uniqueId: the member signs in with the account of the same email; invite the email, and the person accepts with its password',
    );
  const { token, tokenHash } = generateToken();
  const stored = await session.first(replaceResetLink, { person, tokenHash, withOtherCompanies });
  if (stored === undefined) {
    throw new ApiError(
      'unprocessable',
      'uniqueId: the person is also a member of another company; ask the operator of the server for a link',
    );
  }
  const link = `${appUrl()}/reset/${token}`;
  const { name: company } = await session.one(ownCompany, {});
  sendMail?.(resetMail(member.email, company, link));
  return { link, expiresAt: toIso(stored.expires_at) };
}

const lock = async (session: Session, uniqueId: string) =>
  found(isUniqueId(uniqueId) ? await session.first(lockMember, { uniqueId }) : undefined, 'member');

/** Returns the person of an active member. @throws ApiError 409 */
function requireActive({ ended_at, person_id: person }: Pick<MemberRow, 'ended_at' | 'person_id'>): string {
  if (ended_at !== null || person === null)
    throw new ApiError('conflict', 'uniqueId: the member has ended; invite the person again');
  return person;
}

/** @throws ApiError 422 for an admin with frameworks, and for frameworks of another company */
async function requireValidAccess(session: Session, { role, frameworks }: Access): Promise<void> {
  if (frameworks === null) return;
  if (role === 'admin') throw new ApiError('unprocessable', 'frameworks: an admin has all frameworks');
  const { count } = await session.one(countFrameworks, { frameworks });
  if (count !== frameworks.length)
    throw new ApiError('unprocessable', 'frameworks: expected frameworks of this company');
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
