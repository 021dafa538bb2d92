import { z } from 'zod';
import { listMembers } from '../../entities/member/management.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { openServicesOf } from './closing.ts';
import { createResetLink, endMember, invite, updateMember } from '../member/access.ts';
import { forget } from '../member/forget.ts';
import { unlink } from '../member/unlink.ts';
import {
  InvitationLinkOutput,
  LinkOutput,
  MemberId,
  MemberOutput,
  MemberSettings,
  NewInvitation,
  toMemberOutput,
} from '../member/schemas.ts';
import { noInput } from '../schemas/fields.ts';

/** Members of the company. Contract, section 16. */
export const member = router({
  list: managementProcedure('management:read')
    .meta({ description: 'List the members, including ended members' })
    .input(noInput)
    .output(z.array(MemberOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listMembers, {})).map(toMemberOutput)),

  invite: managementProcedure('management:write')
    .meta({ description: 'Invite a person; the link is shown only once, and mailed if mail is set up' })
    .input(NewInvitation)
    .output(InvitationLinkOutput)
    .mutation(async ({ ctx, input: { frameworks = null, ...input } }) =>
      invite(ctx.session, await openServicesOf(ctx), { ...input, frameworks }),
    ),

  update: managementProcedure('management:write')
    .meta({ description: 'Change the role or the frameworks of a member' })
    .input(MemberSettings)
    .output(MemberOutput)
    .mutation(async ({ ctx, input: { uniqueId, role, frameworks } }) =>
      toMemberOutput(await updateMember(ctx.session, uniqueId, { role, frameworks })),
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

  resetPassword: managementProcedure('management:write')
    .meta({
      description: 'Create a link with which a member sets a new password; it is shown only once',
      worksWhileFrozen: true,
    })
    .input(MemberId)
    .output(LinkOutput)
    .mutation(async ({ ctx, input }) =>
      createResetLink(ctx.session, await openServicesOf(ctx), {
        ...input,
        withOtherCompanies: ctx.caller === 'operator',
      }),
    ),
});
