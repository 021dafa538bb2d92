import type { Session } from '../../database/session.ts';
import { found, notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { findMember } from '../../entities/member/management.ts';
import type { MemberRow } from '../../entities/member/management.ts';
import { endSessionsOfProvider, endSingleSignOnSessions } from '../../entities/sign-in/session-end.ts';
import { findEmails, unlinkMember, unlinkMembers } from '../../entities/single-sign-on/link.ts';
import type { Services } from '../core/services.ts';
import { unlinkedMail } from '../mail/unlinked.ts';

/**
 * Removes the link of a member to an account of single sign-on, and ends the sessions made with it. A member without a link
 * stays unchanged.
 * @throws ApiError 404
 */
export async function unlink(session: Session, services: Services, uniqueId: string): Promise<MemberRow> {
  if (!isUniqueId(uniqueId)) throw notFound('member');
  const { member, isUnlinked } = await session.transaction(async (inside) => {
    const unlinked = await inside.first(unlinkMember, { uniqueId });
    const row = found(await inside.first(findMember, { uniqueId }), 'member');
    if (row.person_id !== null) await inside.run(endSingleSignOnSessions, { person: row.person_id });
    return { member: row, isUnlinked: unlinked !== undefined };
  });
  if (isUnlinked) await mailUnlinked(session, services, [member.email]);
  return member;
}

/**
 * Removes the links of all members, and ends the sessions made with single sign-on. Call it in a transaction.
 * @returns the emails of the active members, for `mailUnlinked`
 */
export async function unlinkAll(inside: Session): Promise<string[]> {
  const unlinked = await inside.run(unlinkMembers, {});
  await inside.run(endSessionsOfProvider, { exceptDomains: [] });
  const persons = unlinked.map(({ person_id }) => person_id);
  return (await inside.run(findEmails, { persons })).map(({ email }) => email);
}

/** Tells people that their link was removed. */
export async function mailUnlinked(session: Session, { sendMail }: Services, emails: readonly string[]): Promise<void> {
  if (sendMail === undefined || emails.length === 0) return;
  const { name } = await session.one(ownCompany, {});
  for (const email of emails) sendMail(unlinkedMail(email, name));
}
