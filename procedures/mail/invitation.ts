import { INVITATION_DAYS } from '../../entities/member/invitation.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';

/** Mail with the link of an invitation. */
export const invitationMail = (to: string, company: string, link: string): Mail =>
  composeMail({
    to,
    subject: `Invitation to ${company}`,
    blocks: [
      `You are invited to ${company}.`,
      { text: 'Accept the invitation', url: link },
      `The link works once, for ${INVITATION_DAYS} days. If you did not expect this mail, ignore it.`,
    ],
  });
