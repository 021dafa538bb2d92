import {
  RESET_LINK_MINUTES,
  MAX_RESET_MAILS,
  countResetMails,
  replaceResetLink,
} from '../../entities/person/reset-link.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { AnySession } from '../core/context.ts';
import { queueMail } from '../mail/queue.ts';
import { resetMail } from '../mail/account-mails.ts';
import type { MailActor } from '../mail/wording.ts';
import { generateToken } from '../sign-in/tokens.ts';
import type { Account, MailSender } from './account-events.ts';

/** A link that was made, or the appearance of one. */
interface MailedLink {
  expiresAt: string;
  /** False if the person got the maximum number of mails in the last hour. Then the previous link stays. */
  isMade: boolean;
}

/**
 * Mails a link with which a person sets a new password. It replaces the previous link. Call it in a transaction that has locked the
 * person, so that concurrent calls send no more than the maximum number of mails in an hour.
 * @param by null for somebody who entered the address at the page for a forgotten password
 * @param company company in whose name it is sent; null for the person
 */
export async function mailResetLink(
  inside: AnySession,
  sender: MailSender,
  { person, email: to }: Account,
  { by, company }: { by: MailActor | null; company: number | null },
): Promise<MailedLink> {
  const { count } = await inside.one(countResetMails, { person });
  if (count >= MAX_RESET_MAILS) {
    const wouldExpireAt = new Date(Date.now() + RESET_LINK_MINUTES * 60_000);
    return { expiresAt: wouldExpireAt.toISOString(), isMade: false };
  }
  const { token, tokenHash } = generateToken();
  const { expires_at } = await inside.one(replaceResetLink, {
    person,
    tokenHash,
    mailed: true,
    withOtherCompanies: true,
  });
  const expiresAt = new Date(toIso(expires_at));
  const mail = resetMail({ to, by, link: `${sender.appUrl()}/reset/${token}`, expiresAt });
  await queueMail(inside, sender, { kind: 'reset', mail, person, company, expiresAt });
  return { expiresAt: expiresAt.toISOString(), isMade: true };
}
