import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';

/** Mail about a new link to an account of single sign-on. */
export const linkedMail = (to: string, company: string): Mail =>
  composeMail({
    to,
    subject: `Single sign-on of ${company}`,
    blocks: [
      `You now sign in to ${company} with single sign-on: your account was linked with your account at its identity provider.`,
      `If this was not you, tell an admin of ${company}, who can remove the link.`,
    ],
  });
