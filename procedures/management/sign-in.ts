import { z } from 'zod';
import type { Session } from '../../database/session.ts';
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
import { cursorCodec } from '../schemas/cursor.ts';
import { EXAMPLE_IDS, textInput, timestampOutput, uniqueIdOutput } from '../schemas/fields.ts';
import { textOutput } from '../schemas/output.ts';
import { PAGE_SIZE, pageOutput, pagination, splitPage } from '../schemas/pagination.ts';

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
  { limit = PAGE_SIZE.default, cursor, member }: z.infer<typeof SignInQuery>,
) {
  const codec = await cursorCodec(session, 'management.signIn.list', { member, withUnknown });
  const [at = NEWEST.at, id = NEWEST.id, source = NEWEST.source] = cursor === undefined ? [] : codec.decode(cursor);
  const page = { at, id, source: Number(source), limit: limit + 1 };
  const all = withUnknown ? pageAllSignIns : pageSignIns;
  const fetched =
    member === undefined ? await session.run(all, page) : await session.run(pageSignInsOfMember, { ...page, member });
  const { rows, last } = splitPage(fetched, limit);
  return {
    items: rows.map(toSignInRecord),
    nextCursor: last === undefined ? null : codec.encode([last.at, last.id, String(last.source)]),
  };
}
