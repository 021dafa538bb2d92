import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { deleteIdentities, deleteInvitations, deleteTraces, forgetMember } from '../../entities/member/forget.ts';
import { findMember } from '../../entities/member/management.ts';
import { clearLastCompany, deletePerson } from '../../entities/person/deletion.ts';
import { requestRewrite } from '../../entities/rewrite/rewrite-request.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';

/**
 * Deletes the names and emails of an ended member, and the person who then belongs to no company. Its work and its events keep
 * the uniqueId. The locks have the order of a sign-in: invitation, person, member. Contract, section 26.
 * @throws ApiError 404, also for a forgotten member, 409 for an active one
 */
export async function forget(session: Session, member: string): Promise<void> {
  await session.transaction(async (inside) => {
    const row = isUniqueId(member) ? await inside.first(findMember, { uniqueId: member }) : undefined;
    const { person_id: person, email } = found(row, 'member');
    const recorded = await inside.run(deleteIdentities, { member });
    const emails = [...new Set([email, ...recorded.map((record) => record.email)])];
    await inside.run(deleteInvitations, { emails });
    if (person !== null) {
      await inside.run(lockPerson, { person });
      // Again: a change of the name or a deletion of the account, which held the lock, may have added a record.
      await inside.run(deleteIdentities, { member });
    }
    if ((await inside.first(forgetMember, { member })) === undefined)
      throw new ApiError('conflict', 'uniqueId: is a member; end the membership first');
    await inside.run(deleteTraces, { member, emails });
    if (person !== null && (await inside.first(deletePerson, { person })) === undefined)
      await inside.run(clearLastCompany, { person });
    await inside.run(requestRewrite, { scope: 'people' });
  });
}
