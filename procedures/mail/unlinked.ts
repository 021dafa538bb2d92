import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { companyIn } from './wording.ts';

/** Mail about the removal of a link to an account of single sign-on. */
export const unlinkedMail = (to: string, company: string): Mail =>
  composeMail({
    to,
    subject: 'The link of your account with single sign-on was removed',
    blocks: [
      `An admin of ${companyIn(company)} removed the link of your account with single sign-on.`,
      'Your next sign-in with single sign-on makes a new one. Your password works as before, if you have one.',
    ],
  });
