import type { Session } from '../../database/session.ts';
import { found, notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { findMember } from '../../entities/member/management.ts';
import type { MemberRow } from '../../entities/member/management.ts';
import { endSessionsOfProvider, endSingleSignOnSessions } from '../../entities/sign-in/session-end.ts';
import { findEmails, unlinkMember, unlinkMembers } from '../../entities/single-sign-on/link.ts';
import type { Services } from '../core/services.ts';
import { inADay } from './account-events.ts';
import { queueMail } from '../mail/queue.ts';
import { unlinkedMail } from '../mail/account-mails.ts';

/**
 * Removes the link of a member to an account of single sign-on, and ends the sessions made with it. A member without a link
 * stays unchanged.
 * @throws ApiError 404
 */
export async function unlink(session: Session, services: Services, uniqueId: string): Promise<MemberRow> {
  if (!isUniqueId(uniqueId)) throw notFound('member');
  return session.transaction(async (inside) => {
    const unlinked = await inside.first(unlinkMember, { uniqueId });
    const member = found(await inside.first(findMember, { uniqueId }), 'member');
    const { person_id: person, email } = member;
    if (person !== null) await inside.run(endSingleSignOnSessions, { person });
    if (person !== null && unlinked !== undefined) await mailUnlinked(inside, services, [{ person, email }]);
    return member;
  });
}

/**
 * Removes the links of all members, ends the sessions made with single sign-on, and tells the active members. Call it in a
 * transaction.
 */
export async function unlinkAll(inside: Session, services: Services): Promise<void> {
  const unlinked = await inside.run(unlinkMembers, {});
  await inside.run(endSessionsOfProvider, { exceptDomains: [] });
  const persons = unlinked.map(({ person_id }) => person_id);
  await mailUnlinked(inside, services, await inside.run(findEmails, { persons }));
}

/** Tells people that their link was removed. */
async function mailUnlinked(
  inside: Session,
  services: Services,
  persons: readonly { person: string; email: string }[],
): Promise<void> {
  if (!services.hasMail || persons.length === 0) return;
  const { company } = inside.principal;
  const { name } = await inside.one(ownCompany, {});
  for (const { person, email } of persons) {
    const mail = unlinkedMail(email, name);
    // Sequential, because all statements use one connection.
    // oxlint-disable-next-line no-await-in-loop
    await queueMail(inside, services, { kind: 'account', mail, person, company, expiresAt: inADay() });
  }
}
