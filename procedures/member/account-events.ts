import type { Session } from '../../database/session.ts';
import { recordAccountEvent } from '../../entities/member/management.ts';
import type { AccountVerb } from '../../entities/member/member.ts';
import { findMemberships } from '../../entities/person/account.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { accountMail } from '../mail/account-mails.ts';
import { queueMail } from '../mail/queue.ts';
import type { MailActor } from '../mail/wording.ts';

const DAY_MS = 86_400_000;

/** Time until which a mail without a link is tried. */
export const inADay = (): Date => new Date(Date.now() + DAY_MS);

/** Values that a mail about an account needs. */
export type MailSender = Pick<Services, 'appUrl' | 'encryption' | 'hasMail'>;

/** A person with the address to which mails go. */
export interface Account {
  person: string;
  name: string;
  email: string;
}

/**
 * Records a change of how a person signs in, in each company where the person is an active member, by that member. It is also mailed
 * to the person, who may not have made it. Companies that were moved away or closed get no event. Call it in the transaction of the
 * change.
 * @throws ApiError 503 while one of the companies is frozen
 */
export async function recordOwnChange(
  inside: AnySession,
  sender: MailSender,
  account: Account,
  verb: AccountVerb,
): Promise<void> {
  await recordChange(inside, account, verb, (membership) => inside.actingAs(memberPrincipal(membership)));
  await mailChange(inside, sender, account, verb, { kind: 'person', name: account.name });
}

/** Records a change by the operator. @throws ApiError 503 */
export async function recordOperatorsChange(
  inside: AnySession,
  sender: MailSender,
  account: Account,
  verb: AccountVerb,
): Promise<void> {
  await recordChange(inside, account, verb, ({ company }) => inside.asOperator(company));
  await mailChange(inside, sender, account, verb, { kind: 'operator' });
}

/** Mails a change to the person, if mail is set up. Call it in the transaction of the change. */
export async function mailChange(
  inside: AnySession,
  sender: MailSender,
  { person, email: to }: Account,
  verb: AccountVerb,
  by: MailActor,
): Promise<void> {
  if (!sender.hasMail) return;
  const at = new Date();
  await queueMail(inside, sender, {
    kind: 'account',
    mail: accountMail({ to, verb, by, at, appUrl: sender.appUrl() }),
    person,
    company: null,
    expiresAt: inADay(),
  });
}

type Membership = NonNullable<typeof findMemberships.row>;

async function recordChange(
  inside: AnySession,
  { person }: Account,
  verb: AccountVerb,
  actorOf: (membership: Membership) => Session,
): Promise<void> {
  const memberships = await inside.run(findMemberships, { person });
  for (const membership of memberships.filter(({ endedAt, isOpen }) => endedAt === null && isOpen)) {
    // Sequential, because all statements use one connection.
    // oxlint-disable-next-line no-await-in-loop
    await actorOf(membership).run(recordAccountEvent, { member: membership.uniqueId, verb });
  }
}
