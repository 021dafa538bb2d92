import { INVITATION_DAYS } from '../../entities/member/invitation.ts';
import { RESET_LINK_MINUTES } from '../../entities/person/reset-link.ts';
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

/** Mail about a new link to an account of single sign-on. */
export const linkedMail = (to: string, company: string): Mail => ({
  to,
  subject: `Single sign-on of ${company}`,
  text: `You now sign in to ${company} with single sign-on: your account was linked with your account at its identity provider.

If this was not you, tell an admin of ${company}, who can remove the link.
`,
});

/** Mail about the removal of that link. */
export const unlinkedMail = (to: string, company: string): Mail => ({
  to,
  subject: `Single sign-on of ${company}`,
  text: `An admin of ${company} removed the link of your account with single sign-on.

Your next sign-in with single sign-on makes a new one. Your password works as before, if you have one.
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
