import type { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { findMissingIdentity } from '../../entities/member/identity.ts';
import { findPersonByEmail } from '../../entities/member/statements.ts';
import { findMemberships } from '../../entities/person/account.ts';
import { deletePerson, separateMember } from '../../entities/person/deletion.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { requestRewrite } from '../../entities/rewrite/rewrite-request.ts';
import { findWebSession } from '../../entities/sign-in/web-session-statements.ts';
import type { AnySession } from '../core/context.ts';
import { identify } from '../member/identity.ts';
import { listFailure, movedAway, requireSecondFactor } from './attempts.ts';
import type { SignInRequest } from './attempts.ts';
import { verifyPassword } from './password.ts';
import { lockUnchanged, wrongCredentials } from './sign-in.ts';
import type { SignInInput } from './sign-in.ts';
import { hashToken } from './tokens.ts';

interface Deletion {
  /** uniqueId of the person. */
  person: string;
  /** False if the browser is signed in as somebody else, who stays signed in. */
  isSignedOut: boolean;
}

/**
 * Deletes a person who is not an active member of any company. Such a person cannot sign in, so the request has the password.
 * Each company keeps the name and the email in its own record until it forgets the member. Contract, section 26.
 * @throws ApiError 401 and 429 as of a sign-in, 409 for an active member, 421 while this cell has a copy of a company that was moved
 */
export function deleteAccount(
  request: SignInRequest,
  { email, password, code }: z.output<typeof SignInInput>,
): Promise<Deletion> {
  const { session, attempts, browser, currentToken } = request;
  const attempt = async () => {
    const person = await session.first(findPersonByEmail, { email });
    const isRight = await verifyPassword(password, person?.password ?? null);
    if (person === undefined) throw wrongCredentials('unknown_email');
    const { unique_id: id } = person;
    if (!isRight) throw wrongCredentials('wrong_password', id);
    const [movedTo] = (await session.run(findMemberships, { person: id })).flatMap(
      (membership) => membership.movedTo ?? [],
    );
    if (movedTo !== undefined) throw movedAway(movedTo, id);
    await requireSecondFactor(request, person, code);
    await session.transaction(async (inside) => {
      await lockUnchanged(inside, person);
      await separateMembers(inside, id);
      if ((await inside.first(deletePerson, { person: id })) === undefined) throw isMember();
      await inside.run(requestRewrite, { scope: 'people' });
    });
    const remaining =
      currentToken === undefined
        ? undefined
        : await session.first(findWebSession, { tokenHash: hashToken(currentToken) });
    return { person: id, isSignedOut: remaining === undefined };
  };
  return listFailure(request, { method: 'password', email }, () =>
    attempts.limit({ address: browser.address, email }, attempt),
  );
}

/** Separates the ended members of a locked person, each with a record of its name. @throws ApiError 409 for an active member */
async function separateMembers(inside: AnySession, person: string): Promise<void> {
  const memberships = await inside.run(findMemberships, { person });
  if (memberships.some(({ endedAt }) => endedAt === null)) throw isMember();
  // Sequential, because all statements use one connection.
  /* oxlint-disable no-await-in-loop */
  for (const membership of memberships) {
    const { company, uniqueId: member } = membership;
    const operator = inside.asOperator(company);
    const missing = await operator.first(findMissingIdentity, { member, person });
    if (missing !== undefined) await identify(operator, member, missing);
    const asMember = inside.actingAs(memberPrincipal(membership));
    if ((await asMember.first(separateMember, { member, person })) === undefined) throw isMember();
  }
  /* oxlint-enable no-await-in-loop */
}

const isMember = () =>
  new ApiError(
    'conflict',
    'You are a member of a company; an admin of each of your companies must end the membership first',
  );
