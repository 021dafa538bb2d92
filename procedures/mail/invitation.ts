import type { Role } from '../../entities/member/role.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { PRODUCT, actorIn, capitalized, companyIn, timeIn } from './wording.ts';
import type { MailActor } from './wording.ts';

/** What a role is for, in a sentence about the reader. */
const ROLE_PURPOSES: Readonly<Record<Role, string>> = {
  admin: 'As an admin you manage the company, its members and its settings.',
  editor: 'As an editor you work on its tasks, vendors and evidence.',
  auditor: 'As an auditor you read everything, and change nothing.',
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
      `${PRODUCT} is the application in which ${company} keeps its compliance tasks, its vendors and their evidence. It is at ${appUrl}. ${ROLE_PURPOSES[role]}`,
      { button: { text: 'Accept the invitation', url: link } },
      `The link works once, until ${timeIn(expiresAt)}.`,
      'If you do not know who invites you, ignore this mail: nothing happens, and no account is made.',
    ],
  });
}
