import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';

/** Mail with which the operator tests the mail server. */
export const testMail = (to: string, appUrl: string): Mail =>
  composeMail({
    to,
    subject: 'Test of the mail server',
    blocks: [
      'This mail shows that the service can send mails.',
      { button: { text: 'Open the application', url: appUrl } },
    ],
  });
