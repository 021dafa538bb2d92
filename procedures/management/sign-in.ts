import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { EXAMPLE_IDS, textInput, textOutput, timestampOutput, uniqueIdOutput } from '../../entities/fields/schemas.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { MAX_EMAIL_LENGTH } from '../../entities/member/role.ts';
import { SIGN_IN_EVENTS, SIGN_IN_METHODS } from '../../entities/sign-in/sign-in.ts';
import { MAX_ADDRESS_LENGTH, MAX_USER_AGENT_LENGTH } from '../../entities/sign-in/web-session.ts';
import {
  NEWEST,
  pageAllSignIns,
  pageSignIns,
  pageSignInsOfMember,
  toSignInRecord,
} from '../../entities/sign-in/sign-in-log.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';

const SignInQuery = z.strictObject({
  member: textInput('the uniqueId of a member', 36)
    .refine(isUniqueId, 'expected the uniqueId of a member')
    .optional()
    .meta({ description: 'Entries of this member', format: 'uuid', examples: [EXAMPLE_IDS.user] }),
  ...pagination,
});

const SignInOutput = z.object({
  at: timestampOutput,
  member: uniqueIdOutput
    .nullable()
    .meta({ description: 'uniqueId of the member; null if a failed attempt names nobody' }),
  email: textOutput(MAX_EMAIL_LENGTH, 'ann@example.com').nullable(),
  event: z
    .enum(SIGN_IN_EVENTS)
    .meta({ description: '`ended` is an end that the browser of the session did not request' }),
  method: z
    .enum(SIGN_IN_METHODS)
    .meta({ description: 'Method of the attempt, or of the sign-in that began the session' }),
  address: textOutput(MAX_ADDRESS_LENGTH, '203.0.113.7').nullable(),
  userAgent: textOutput(MAX_USER_AGENT_LENGTH, 'Mozilla/5.0'),
});

/** Sign-ins to the company. Contract, section 24. */
export const signIn = router({
  list: managementProcedure('management:read')
    .meta({ description: 'List sign-ins, failed attempts and ended sessions, newest first' })
    .input(SignInQuery.optional())
    .output(pageOutput(SignInOutput))
    .query(({ ctx, input = {} }) => listSignIns(ctx.session, ctx.caller === 'operator', input)),
});

/** A page of entries. @param withUnknown true adds attempts that name nobody, which only the operator may see */
async function listSignIns(
  session: Session,
  withUnknown: boolean,
  { member, ...request }: z.infer<typeof SignInQuery>,
) {
  const all = withUnknown ? pageAllSignIns : pageSignIns;
  const { rows, nextCursor } = await readPage(session, {
    list: ['management.signIn.list', { member, withUnknown }],
    request,
    fetch: ([at = NEWEST.at, id = NEWEST.id, source = NEWEST.source], limit) => {
      const page = { at, id, source: Number(source), limit };
      return member === undefined ? session.run(all, page) : session.run(pageSignInsOfMember, { ...page, member });
    },
    positionOf: ({ at, id, source }) => [at, id, String(source)],
  });
  return { items: rows.map(toSignInRecord), nextCursor };
}
