import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { claimMember } from '../../entities/member/claim.ts';
import { findMissingIdentity } from '../../entities/member/identity.ts';
import { deletePerson } from '../../entities/person/deletion.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { identify } from './identity.ts';

/**
 * Makes a locked person the person of an unclaimed member, as whom the session acts. The member keeps its uniqueId, role and
 * frameworks, and gets the name of the person. The unclaimed person is deleted if no other member has it. Call it in a transaction.
 * @returns true for an active member; an ended one joins afterwards
 * @throws ApiError 409 if the member was changed meanwhile
 */
export async function claim(
  asMember: Session,
  { member, unclaimed, person }: { member: string; unclaimed: string; person: string },
): Promise<boolean> {
  await asMember.run(lockPerson, { person: unclaimed });
  const claimed = await asMember.first(claimMember, { member, unclaimed, person });
  if (claimed === undefined) throw new ApiError('conflict', 'token: the membership was changed meanwhile; try again');
  await asMember.run(deletePerson, { person: unclaimed });
  if (claimed.ended_at !== null) return false;
  const missing = await asMember.first(findMissingIdentity, { member, person });
  if (missing !== undefined) await identify(asMember, member, missing);
  return true;
}
