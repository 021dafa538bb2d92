import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { PRODUCT, actorIn, capitalized, maskedEmail, timeIn } from './wording.ts';
import type { MailActor } from './wording.ts';

interface EmailLink {
  /** The new address. */
  to: string;
  /** Who asked for the change. */
  by: MailActor;
  link: string;
  expiresAt: Date;
}

/**
 * Mail to the new address of an account, with the link that confirms it. It may reach a stranger, so it does not have the old
 * address, whose host anybody can choose.
 */
export const emailLinkMail = ({ to, by, link, expiresAt }: EmailLink): Mail =>
  composeMail({
    to,
    subject: 'Confirm your email address',
    blocks: [
      by.kind === 'person'
        ? `${capitalized(actorIn(by))} entered this address as the new email address of an account in ${PRODUCT}.`
        : `${capitalized(actorIn(by))} entered this address as the new email address of your account in ${PRODUCT}. The link works for you only: where you are signed in, or with your password.`,
      { button: { text: 'Use this address', url: link } },
      `The link works once, until ${timeIn(expiresAt)}.`,
      'If you do not know this account, ignore this mail: nothing changes.',
    ],
  });

interface EmailChanged {
  /** The old address. */
  to: string;
  newEmail: string;
  /** Who made the change. */
  by: MailActor;
  at: Date;
}

/** Mail to the old address of an account after a change. The new one is not shown in full: the old mailbox may be somebody else's by now. */
export const emailChangedMail = ({ to, newEmail, by, at }: EmailChanged): Mail =>
  composeMail({
    to,
    subject: 'The email address of your account was changed',
    blocks: [
      `Your account in ${PRODUCT} now has the address ${maskedEmail(newEmail)}. It was changed by ${by.kind === 'person' ? 'you' : actorIn(by)}, on ${timeIn(at)}.`,
      'You sign in with the new address from now on, and mails go there. This address gets no more mails about the account.',
      'If this was not you, tell an admin of your company or the operator of the service at once.',
    ],
  });
