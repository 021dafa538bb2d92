import { RESET_LINK_MINUTES } from '../../entities/person/reset-link.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';

/** Mail with the link that sets a new password. */
export const resetMail = (to: string, company: string, link: string): Mail =>
  composeMail({
    to,
    subject: `New password for ${company}`,
    blocks: [
      `An admin of ${company} created a link with which you set a new password.`,
      { text: 'Set a new password', url: link },
      `The link works once, for ${RESET_LINK_MINUTES} minutes. If you did not expect this mail, ignore it.`,
    ],
  });
