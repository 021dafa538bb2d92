import { ACCOUNT_TITLES } from '../../entities/inbox/items.ts';
import type { AccountVerb } from '../../entities/member/member.ts';
import type { Role } from '../../entities/member/role.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { PRODUCT, actorIn, timeIn, capitalized, companyIn, maskedEmail } from './wording.ts';
import type { MailActor } from './wording.ts';

interface AccountChange {
  to: string;
  verb: AccountVerb;
  /** Who made the change. */
  by: MailActor;
  at: Date;
  appUrl: string;
}

/** Mail about a change of an account, which its person always gets. */
export function accountMail({ to, verb, by, at, appUrl }: AccountChange): Mail {
  const isOwn = by.kind === 'person';
  return composeMail({
    to,
    subject: ACCOUNT_TITLES[verb],
    blocks: [
      `This email is about your account in ${PRODUCT}. The change was made by ${isOwn ? 'you' : actorIn(by)} on ${timeIn(at)}.`,
      isOwn
        ? 'If this was not you, set a new password at once with “Forgot your password?” on the sign-in page. This ends all sessions and removes all passkeys. Then tell an admin of your company.'
        : 'If you did not expect this change, ask an admin of your company or the operator of the service.',
      { button: { text: 'Open your account', url: `${appUrl}/account` } },
    ],
  });
}

/** Purpose of a role, in a sentence about the reader. */
const ROLE_PURPOSES: Readonly<Record<Role, string>> = {
  admin: 'As an admin you manage the company, its members and its settings.',
  editor: 'As an editor you work on its tasks, vendors and evidence.',
  auditor: 'As an auditor you read everything, ask questions and check the evidence.',
};

interface Invitation {
  to: string;
  company: string;
  role: Role;
  /** Who invites. */
  by: MailActor;
  link: string;
  expiresAt: Date;
  appUrl: string;
}

/** Mail with the link of an invitation. */
export function invitationMail({ to, company: name, role, by, link, expiresAt, appUrl }: Invitation): Mail {
  const company = companyIn(name);
  return composeMail({
    to,
    subject: `Invitation to ${PRODUCT}`,
    blocks: [
      `${capitalized(actorIn(by))} invites you to join ${company} in ${PRODUCT} as an ${role}.`,
      `${PRODUCT} is the application that ${company} uses to manage its compliance tasks, its vendors and their evidence. You find it at ${appUrl}. ${ROLE_PURPOSES[role]}`,
      { button: { text: 'Accept the invitation', url: link } },
      `The link works once and expires on ${timeIn(expiresAt)}.`,
      'If you do not know who is inviting you, ignore this email. No account will be created.',
    ],
  });
}

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
        : `${capitalized(actorIn(by))} entered this address as the new email address of your account in ${PRODUCT}. Only you can use the link, because it requires that you are signed in or enter your password.`,
      { button: { text: 'Use this address', url: link } },
      `The link works once and expires on ${timeIn(expiresAt)}.`,
      'If you do not know this account, ignore this email, and nothing will change.',
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

/** Mail to the old address of an account after a change. The new one is not shown in full: the old mailbox may belong to somebody else by now. */
export const emailChangedMail = ({ to, newEmail, by, at }: EmailChanged): Mail =>
  composeMail({
    to,
    subject: 'The email address of your account was changed',
    blocks: [
      `Your account in ${PRODUCT} now has the address ${maskedEmail(newEmail)}. It was changed by ${by.kind === 'person' ? 'you' : actorIn(by)} on ${timeIn(at)}.`,
      'From now on, sign in with the new address. Emails about the account go to the new address only.',
      'If this was not you, tell an admin of your company or the operator of the service at once.',
    ],
  });

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
      `The link works once and expires on ${timeIn(expiresAt)}. A new password ends all your sessions and removes your passkeys.`,
      'If you did not expect this email, ignore it. Your password does not change, and nobody else has this link.',
    ],
  });

/** Mail about a new link to an account of single sign-on. */
export function linkedMail(to: string, name: string): Mail {
  const company = companyIn(name);
  return composeMail({
    to,
    subject: 'Your account was linked with single sign-on',
    blocks: [
      `You now sign in to ${company} with single sign-on. Your account was linked with your account at the identity provider of the company.`,
      `If this was not you, tell an admin of ${company}, who can remove the link.`,
    ],
  });
}

/** Mail about the removal of a link to an account of single sign-on. */
export const unlinkedMail = (to: string, company: string): Mail =>
  composeMail({
    to,
    subject: 'The link of your account with single sign-on was removed',
    blocks: [
      `An admin of ${companyIn(company)} removed the link of your account with single sign-on.`,
      'The next time you sign in with single sign-on, a new link is created. If you have a password, it still works.',
    ],
  });

/** Mail with which the operator tests the mail server. */
export const testMail = (to: string, appUrl: string): Mail =>
  composeMail({
    to,
    subject: 'Test of the mail server',
    blocks: [
      'This email shows that the service can send email.',
      { button: { text: 'Open the application', url: appUrl } },
    ],
  });
