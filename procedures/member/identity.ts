import type { Session } from '../../database/session.ts';
import { newIdentity } from '../../entities/member/identity-digest.ts';
import type { NameAndEmail } from '../../entities/member/identity-digest.ts';
import {
  findMissingIdentity,
  findUnidentified,
  identifyMember,
  recordIdentity,
} from '../../entities/member/identity.ts';
import type { Role } from '../../entities/member/role.ts';
import { findMemberships } from '../../entities/person/account.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { joinCompany } from '../../entities/member/statements.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import { ApiError } from '../../entities/api-error.ts';
import { claimMember } from '../../entities/member/claim.ts';
import { deletePerson } from '../../entities/person/deletion.ts';
import type { AnySession } from '../core/context.ts';
import { unlessFrozen } from '../core/frozen.ts';
import type { IntervalJob } from '../jobs/job.ts';

/** Maximum number of members in one read. */
const BATCH_SIZE = 100;

/** Gives a member a name in the company. The event has a digest, and a record beside the log opens it. Call it in a transaction. */
export async function identify(inside: Session, member: string, { name, email }: NameAndEmail): Promise<void> {
  const identity = newIdentity({ name, email });
  await inside.run(identifyMember, { member, name, identity: identity.identity });
  await inside.run(recordIdentity, { ...identity, member });
}

/**
 * Gives the members of a person the name and the email that the person has now, also those who have ended. Companies that were moved
 * away or closed are left out. Call it in the transaction of the change.
 * @param actorIn session to which the event in a company is attributed; by default the member
 * @throws ApiError 503 while one of the companies is frozen
 */
export async function identifyEverywhere(
  inside: AnySession,
  person: string,
  nameAndEmail: NameAndEmail,
  actorIn?: (company: number) => Session,
): Promise<void> {
  const memberships = await inside.run(findMemberships, { person });
  for (const membership of memberships.filter(({ isOpen }) => isOpen)) {
    const actor = actorIn?.(membership.company) ?? inside.actingAs(memberPrincipal(membership));
    // Sequential, because all statements use one connection.
    // oxlint-disable-next-line no-await-in-loop
    await identify(actor, membership.uniqueId, nameAndEmail);
  }
}

interface Joining extends NameAndEmail {
  person: string;
  role: Role;
  frameworks: readonly number[] | null;
  /** Last day of the membership. */
  endsAt?: string | null | undefined;
}

/**
 * Makes a person the member as whom the session acts. Call it in a transaction.
 * @returns the uniqueId of the member; undefined if the person is an active member
 */
export async function join(
  asMember: Session,
  { name, email, endsAt = null, ...access }: Joining,
): Promise<string | undefined> {
  const identity = newIdentity({ name, email });
  const joined = await asMember.first(joinCompany, { ...access, endsAt, name, identity: identity.identity });
  if (joined === undefined) return undefined;
  const { unique_id: member } = joined;
  await asMember.run(recordIdentity, { ...identity, member });
  return member;
}

/**
 * Gives members a record of their name and email that lack it. The operator does it: nobody knows who changed them. The service
 * does it before it listens, so that the events of an earlier version show names.
 */
export async function identifyMembers(session: Session<null>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    // Sequential, so that requests get connections in between.
    /* oxlint-disable no-await-in-loop */
    const members = await session.run(findUnidentified, { limit: BATCH_SIZE });
    for (const { company, member, person } of members) {
      if (signal?.aborted === true) return;
      const work = session.asOperator(company).transaction(async (inside) => {
        await inside.run(lockPerson, { person });
        const missing = await inside.first(findMissingIdentity, { member, person });
        if (missing !== undefined) await identify(inside, member, missing);
      });
      await unlessFrozen(work);
    }
    /* oxlint-enable no-await-in-loop */
    if (members.length < BATCH_SIZE) return;
  }
}

/** Gives a record to members whom a process of an earlier version makes or renames. */
export const recordIdentities: IntervalJob = {
  kind: 'interval',
  name: 'record-identities',
  failure: 'members: recording identities failed',
  intervalMs: 60_000,
  startsIdle: true,
  run: (session, { signal }) => identifyMembers(session, signal),
};

/**
 * Makes a locked person the person of an unclaimed member, as whom the session acts. The member keeps its uniqueId, role and
 * frameworks, and gets the name of the person. The unclaimed person is deleted if no other member has it. Call it in a transaction.
 * @returns true for an active member; an ended one joins afterwards
 * @throws ApiError 409 if the member was changed in the meantime
 */
export async function claim(
  asMember: Session,
  { member, unclaimed, person }: { member: string; unclaimed: string; person: string },
): Promise<boolean> {
  await asMember.run(lockPerson, { person: unclaimed });
  const claimed = await asMember.first(claimMember, { member, unclaimed, person });
  if (claimed === undefined)
    throw new ApiError('conflict', 'token: the membership was changed in the meantime; try again');
  await asMember.run(deletePerson, { person: unclaimed });
  if (claimed.ended_at !== null) return false;
  const missing = await asMember.first(findMissingIdentity, { member, person });
  if (missing !== undefined) await identify(asMember, member, missing);
  return true;
}
