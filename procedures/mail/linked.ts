import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import { companyIn } from './wording.ts';

/** Mail about a new link to an account of single sign-on. */
export function linkedMail(to: string, name: string): Mail {
  const company = companyIn(name);
  return composeMail({
    to,
    subject: 'Your account was linked with single sign-on',
    blocks: [
      `You now sign in to ${company} with single sign-on: your account was linked with your account at its identity provider.`,
      `If this was not you, tell an admin of ${company}, who can remove the link.`,
    ],
  });
}
