import { INVITATION_DAYS } from '../../entities/people/invitation.ts';
import { RESET_LINK_MINUTES } from '../../entities/people/reset-link.ts';
import type { Mail } from '../core/services.ts';

const IGNORE = 'If you did not expect this mail, ignore it.';

/** Mail with the link of an invitation. */
export const invitationMail = (to: string, company: string, link: string): Mail => ({
  to,
  subject: `Invitation to ${company}`,
  text: `You are invited to ${company}. Accept the invitation here:

${link}

The link works once, for ${INVITATION_DAYS} days. ${IGNORE}
`,
});

/** Mail with the link that sets a new password. */
export const resetMail = (to: string, company: string, link: string): Mail => ({
  to,
  subject: `New password for ${company}`,
  text: `An admin of ${company} created a link with which you set a new password:

${link}

The link works once, for ${RESET_LINK_MINUTES} minutes. ${IGNORE}
`,
});
