import type { MailKind } from '../../entities/person/notifications.ts';
import type { MailLink } from './message.ts';
import { unsubscribeToken } from './unsubscribe.ts';

/** Addresses that turn the mails of a mail off. */
export interface UnsubscribeLinks {
  /** Takes a POST of a mail client. */
  postUrl: string;
  /** Page of the application for people. */
  pageUrl: string;
}

/** Makes the addresses for the kinds of a mail. */
export function unsubscribeLinks(
  { appUrl, secret }: { appUrl: string; secret: Buffer },
  person: string,
  kinds: readonly MailKind[],
): UnsubscribeLinks {
  const path = `unsubscribe/${unsubscribeToken(secret, person, kinds)}`;
  return { postUrl: `${appUrl}/session/${path}`, pageUrl: `${appUrl}/${path}` };
}

/** Link at the end of a mail. */
export const unsubscribeFooter = ({ pageUrl }: UnsubscribeLinks): MailLink[] => [
  { text: 'Turn these mails off', url: pageUrl },
];
