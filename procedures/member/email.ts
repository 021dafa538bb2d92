import { violates } from '../../database/errors.ts';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { timestampOutput } from '../../entities/fields/schemas.ts';
import { findPersonByEmail } from '../../entities/member/statements.ts';
import { isPlaceholder, proveEmail, setEmail } from '../../entities/person/credentials.ts';
import { replaceEmailLink } from '../../entities/person/email-link.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { AnySession } from '../core/context.ts';
import { emailChangedMail, emailLinkMail } from '../mail/account-mails.ts';
import { queueMail } from '../mail/queue.ts';
import type { MailActor } from '../mail/wording.ts';
import { generateToken } from '../sign-in/tokens.ts';
import { inADay, recordOperatorsChange } from './account-events.ts';
import type { Account, MailSender } from './account-events.ts';
import { identifyEverywhere } from './identity.ts';

interface EmailChange {
  account: Account;
  /** The new address. */
  email: string;
  /** True if somebody proved to read its mails. */
  isProven: boolean;
  by: MailActor;
  /** False for a person who is an active member nowhere; by default true. */
  maySignIn?: boolean;
  /** Session to which the events of a company are attributed; by default the member. */
  actorIn?: (company: number) => Session;
}

/** Mails a link to the new address of an account. It replaces the previous link. Call it in a transaction. */
export async function mailEmailLink(
  inside: AnySession,
  sender: MailSender,
  { person }: Pick<Account, 'person'>,
  { email, by, company }: { email: string; by: MailActor; company: number | null },
): Promise<void> {
  const { token, tokenHash } = generateToken();
  const byAdmin = by.kind === 'admin';
  const { expires_at } = await inside.one(replaceEmailLink, { person, email, tokenHash, byAdmin });
  const expiresAt = new Date(toIso(expires_at));
  const mail = emailLinkMail({ to: email, by, link: `${sender.appUrl()}/email/${token}`, expiresAt });
  await queueMail(inside, sender, { kind: 'email', mail, person: null, company, expiresAt });
}

/**
 * Gives an account another address, in all companies of the person, and tells the old address. Call it in a transaction that has
 * locked the person.
 * @throws ApiError 409 if another account has the address, 503 while a company of the person is frozen
 */
export async function changeEmail(
  inside: AnySession,
  sender: MailSender,
  { account, email, isProven, by, maySignIn = true, actorIn }: EmailChange,
): Promise<void> {
  const { person, name, email: former } = account;
  try {
    await inside.run(setEmail, { person, email, isProven, maySignIn });
  } catch (error) {
    if (!violates(error, 'person_email_unique')) throw error;
    throw new ApiError('conflict', 'email: another account has this address; change the address of that account first');
  }
  await identifyEverywhere(inside, person, { name, email }, actorIn);
  if (!sender.hasMail || isPlaceholder(former)) return;
  const at = new Date();
  await queueMail(inside, sender, {
    kind: 'account',
    mail: emailChangedMail({ to: former, newEmail: email, by, at }),
    person,
    company: null,
    expiresAt: inADay(),
  });
}

export const ProvenOutput = z.object({
  email: z.string(),
  provenAt: timestampOutput.meta({ description: 'Time since which the address is known to belong to the person' }),
});

/**
 * Proves the address of an account by the word of the operator, and removes nothing. An account that is proven stays unchanged.
 * @throws ApiError 404 for an email without an account, 503 while a company of the person is frozen
 */
export const prove = (session: AnySession, sender: MailSender, email: string): Promise<z.input<typeof ProvenOutput>> =>
  session.transaction(async (inside) => {
    const proved = await inside.first(proveEmail, { email });
    const { unique_id: person, name, proven_at } = found(await inside.first(findPersonByEmail, { email }), 'email');
    if (proved !== undefined) await recordOperatorsChange(inside, sender, { person, name, email }, 'prove');
    if (proven_at === null) throw new Error('person: expected a proven one');
    return { email, provenAt: toIso(proven_at) };
  });
