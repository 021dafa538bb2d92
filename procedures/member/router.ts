import { listOutput, noInput } from '../../entities/fields/schemas.ts';
import { listMembers } from '../../entities/member/management.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { ListedMember, toListedMember } from './schemas.ts';

const text = operationTexts('Reference data');

/** The members of the company, for every role and for keys that may read them. Contract, section 18. */
export const member = router({
  list: companyProcedure('member:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/member/list',
        ...text('listMembers', 'List the members, by uniqueId', 'Includes members who have ended.'),
      },
    })
    .input(noInput)
    .output(listOutput(ListedMember))
    .query(async ({ ctx }) => (await ctx.session.run(listMembers, {})).map(toListedMember)),
});
