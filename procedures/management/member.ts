import { z } from 'zod';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { listMembers, findMember } from '../../entities/member/management.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { findInvitation, listInvitations, revokeInvitation } from '../../entities/member/invitation.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import type { Session } from '../../database/session.ts';
import { deleteIdentities, deleteInvitations, deleteTraces, forgetMember } from '../../entities/member/forget.ts';
import { clearLastCompany, deletePerson } from '../../entities/person/deletion.ts';
import { requestRewrite } from '../../entities/rewrite/rewrite-request.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import type { Context } from '../core/context.ts';
import { servicesOf } from '../core/services.ts';
import { managementProcedure, operatorProcedure, router } from '../core/trpc.ts';
import { createResetLink, endMember, invite, updateMember, resumeMail } from '../member/access.ts';
import { ProvenOutput, prove } from '../member/email.ts';
import { unlink } from '../member/unlink.ts';
import {
  InvitationLinkOutput,
  LinkOutput,
  MemberId,
  MemberOutput,
  MemberSettings,
  NewInvitation,
  NewResetLink,
  toMemberOutput,
  InvitationId,
  InvitationOutput,
  toInvitationOutput,
} from '../member/router.ts';
import { emailInput } from '../schemas/people.ts';
import { isOver } from '../schemas/time-zone.ts';
import { openServicesOf } from './closing.ts';

/** Members of the company. Contract, section 16. */
export const member = router({
  list: managementProcedure('management:read')
    .meta({ description: 'List the members, including ended members' })
    .input(noInput)
    .output(z.array(MemberOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listMembers, {})).map(toMemberOutput)),

  invite: managementProcedure('management:write')
    .meta({ description: 'Invite a person; the link is sent by email if email is set up, otherwise it is shown once' })
    .input(NewInvitation)
    .output(InvitationLinkOutput)
    .mutation(async ({ ctx, input: { frameworks = null, endsAt = null, ...input } }) => {
      requireOperatorFor(ctx, input);
      return invite(ctx.session, await openServicesOf(ctx), { ...input, frameworks, endsAt });
    }),

  update: managementProcedure('management:write')
    .meta({ description: 'Change the role, the frameworks, the last day or the email of a member' })
    .input(MemberSettings)
    .output(MemberOutput)
    .mutation(async ({ ctx, input: { uniqueId, ...changes } }) =>
      toMemberOutput(
        await updateMember(ctx.session, await openServicesOf(ctx), uniqueId, {
          role: changes.role,
          frameworks: changes.frameworks,
          endsAt: changes.endsAt,
          email: changes.email,
        }),
      ),
    ),

  end: managementProcedure('management:write')
    .meta({ description: 'End a membership, and the sessions of the person in the company' })
    .input(MemberId)
    .output(MemberOutput)
    .mutation(async ({ ctx, input }) => toMemberOutput(await endMember(ctx.session, input.uniqueId))),

  forget: managementProcedure('management:write')
    .meta({
      description:
        'Delete the name and the email of an ended member permanently; tasks, comments and events keep the uniqueId',
    })
    .input(MemberId)
    .output(z.void())
    .mutation(({ ctx, input }) => forget(ctx.session, input.uniqueId)),

  unlink: managementProcedure('management:write')
    .meta({
      description: 'Remove the link of a member to an account of single sign-on, and end the sessions made with it',
    })
    .input(MemberId)
    .output(MemberOutput)
    .mutation(async ({ ctx, input }) =>
      toMemberOutput(await unlink(ctx.session, await openServicesOf(ctx), input.uniqueId)),
    ),

  resumeMail: managementProcedure('management:write')
    .meta({ description: 'Send emails again to a member whose mailbox did not exist' })
    .input(MemberId)
    .output(MemberOutput)
    .mutation(async ({ ctx, input }) => toMemberOutput(await resumeMail(ctx.session, input.uniqueId))),

  resetPassword: managementProcedure('management:write')
    .meta({
      description:
        'Create a link with which a member sets a new password; it is sent by email if email is set up, otherwise it is shown once',
    })
    .input(NewResetLink)
    .output(LinkOutput)
    .mutation(async ({ ctx, input }) => {
      requireOperatorFor(ctx, input);
      return createResetLink(ctx.session, await openServicesOf(ctx), input);
    }),

  prove: operatorProcedure
    .meta({ description: 'Confirm that an account belongs to the person who reads the email of its address' })
    .input(z.strictObject({ email: emailInput }))
    .output(ProvenOutput)
    .mutation(({ ctx, input }) => prove(ctx.session, servicesOf(ctx), input.email)),
});

/** Only the operator sees a link that is not mailed. @throws ApiError 403 */
function requireOperatorFor(ctx: Pick<Context, 'caller'>, { showLink }: { showLink?: boolean | undefined }): void {
  if (showLink === true && ctx.caller !== 'operator')
    throw new ApiError(
      'forbidden',
      'showLink: only the operator of the service may see a link that is mailed to others',
    );
}

/** Open invitations to the company. `management.member.invite` creates them. Contract, section 16. */
export const invitation = router({
  list: managementProcedure('management:read')
    .meta({ description: 'List the invitations that can be accepted' })
    .input(noInput)
    .output(z.array(InvitationOutput))
    .query(async ({ ctx }) => {
      const { timeZone } = await ctx.session.one(ownCompany, {});
      const invitations = await ctx.session.run(listInvitations, {});
      return invitations.filter(({ endsAt }) => !isOver(endsAt, timeZone, ctx.session.now)).map(toInvitationOutput);
    }),

  revoke: managementProcedure('management:write')
    .meta({ description: 'Revoke an invitation' })
    .input(InvitationId)
    .output(InvitationOutput)
    .mutation(async ({ ctx: { session }, input: { uniqueId } }) => {
      if (!isUniqueId(uniqueId)) throw notFound('invitation');
      const revoked = await session.first(revokeInvitation, { uniqueId });
      const row = found(revoked ?? (await session.first(findInvitation, { uniqueId })), 'invitation');
      if (row.usedAt !== null) throw new ApiError('conflict', 'uniqueId: the invitation was accepted');
      return toInvitationOutput(row);
    }),
});

/**
 * Deletes the names and emails of an ended member, and the person who then belongs to no company. Its work and its events keep
 * the uniqueId. The locks have the order of a sign-in: invitation, person, member. Contract, section 26.
 * @throws ApiError 404, also for a forgotten member, 409 for an active one
 */
async function forget(session: Session, uniqueId: string): Promise<void> {
  await session.transaction(async (inside) => {
    const row = isUniqueId(uniqueId) ? await inside.first(findMember, { uniqueId }) : undefined;
    const { person_id: person, email } = found(row, 'member');
    const recorded = await inside.run(deleteIdentities, { member: uniqueId });
    const emails = [...new Set([email, ...recorded.map((record) => record.email)])];
    await inside.run(deleteInvitations, { emails });
    if (person !== null) {
      await inside.run(lockPerson, { person });
      // Once more: a change of the name or a deletion of the account, which held the lock, may have added a record.
      await inside.run(deleteIdentities, { member: uniqueId });
    }
    if ((await inside.first(forgetMember, { member: uniqueId })) === undefined)
      throw new ApiError('conflict', 'uniqueId: is a member; end the membership first');
    await inside.run(deleteTraces, { member: uniqueId, emails });
    if (person !== null && (await inside.first(deletePerson, { person })) === undefined)
      await inside.run(clearLastCompany, { person });
    await inside.run(requestRewrite, { scope: 'people' });
  });
}
