import { z } from 'zod';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { findInvitation, listInvitations, revokeInvitation } from '../../entities/member/invitation-statements.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { InvitationId, InvitationOutput, toInvitationOutput } from '../member/schemas.ts';

/** Open invitations to the company. `management.member.invite` creates them. Contract, section 16. */
export const invitation = router({
  list: managementProcedure('management:read')
    .meta({ description: 'List the invitations that can be accepted' })
    .input(noInput)
    .output(z.array(InvitationOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listInvitations, {})).map(toInvitationOutput)),

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
