import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { PRODUCT, actorIn, capitalized, timeIn } from './wording.ts';
import type { MailActor } from './wording.ts';

interface Reset {
  to: string;
  /** Who asked; null for somebody who entered the address at the page for a forgotten password. */
  by: MailActor | null;
  link: string;
  expiresAt: Date;
}

/** Mail with the link that sets a new password. */
export const resetMail = ({ to, by, link, expiresAt }: Reset): Mail =>
  composeMail({
    to,
    subject: 'Set a new password',
    blocks: [
      by === null
        ? `Somebody entered this address at the sign-in page of ${PRODUCT}, to set a new password for your account.`
        : `${capitalized(actorIn(by))} asked for a new password for your account in ${PRODUCT}.`,
      { button: { text: 'Set a new password', url: link } },
      `The link works once, until ${timeIn(expiresAt)}. A new password ends all your sessions and removes your passkeys.`,
      'If you did not expect this mail, ignore it: your password stays as it is, and nobody else has this link.',
    ],
  });
