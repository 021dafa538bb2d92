import type { Session } from '../../../database/session.ts';
import {
  deletePersonsWithoutCompany,
  findUnclaimedMembers,
  listPersonsOf,
  readPeoplePage,
  receivePersons,
  refreshPersons,
} from '../../../entities/person/moving.ts';
import type { PeoplePage } from '../../../entities/person/moving.ts';
import { findTakenIdentities, unlinkMember } from '../../../entities/single-sign-on/link.ts';
import { discardRows } from '../../../entities/company/moving.ts';
import type { Services } from '../../core/services.ts';
import { invite } from '../../member/access.ts';

/** Reads a page of the people of the session's company. */
export const readPeople = (session: Session, after: string | null): Promise<PeoplePage> =>
  session.one(readPeoplePage, { companyId: session.principal.company, after });

/** Inserts the people of a page, or brings them up to date. @param inside a transaction */
export async function receivePeople(inside: Session, people: string): Promise<void> {
  await inside.run(receivePersons, { people });
  await inside.run(refreshPersons, { people, companyId: inside.principal.company });
}

/**
 * Deletes the members of a company that has not arrived completely, and the persons who belong to no other.
 * @param inside a transaction
 */
export async function discardMembers(inside: Session, limit: number): Promise<number> {
  const persons = await inside.run(listPersonsOf, { companyId: inside.principal.company });
  const { discarded } = await inside.one(discardRows, { table: 'member', limit });
  await inside.run(deletePersonsWithoutCompany, { persons: persons.map(({ person }) => person) });
  return discarded;
}

/** Removes the links to accounts of single sign-on that another person of this cell has. */
export async function unlinkTaken(session: Session): Promise<{ member: string; issuer: string; subject: string }[]> {
  const taken = await session.run(findTakenIdentities, { companyId: session.principal.company });
  // oxlint-disable-next-line no-await-in-loop -- there are few
  for (const { member } of taken) await session.run(unlinkMember, { uniqueId: member });
  return taken;
}

/** Invites the persons with whose email a member has arrived. A link that was made before stops working. */
export async function inviteUnclaimed(
  session: Session,
  services: Services,
): Promise<{ email: string; link: string }[]> {
  const members = await session.run(findUnclaimedMembers, { companyId: session.principal.company });
  const invited = [];
  // Sequential: there are few, and each takes a transaction.
  /* oxlint-disable no-await-in-loop */
  for (const { email, role, frameworks } of members) {
    // Who runs the move gives the link to the person, also where a mail is lost.
    const { link } = await invite(session, services, { email, role, frameworks, isAlsoShown: true });
    if (link !== null) invited.push({ email, link });
  }
  /* oxlint-enable no-await-in-loop */
  return invited;
}
