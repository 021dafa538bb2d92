import type { Mail } from '../../procedures/core/services.ts';

/** Characters in an encoded word: at most 40 bytes, which are 56 in base64. A word has at most 75. */
const ENCODED_WORD_CHARACTERS = /.{1,10}/gsu;

/** A sender. */
export interface Mailbox {
  /** Empty without a display name. */
  name: string;
  address: string;
}

/** Message of nodemailer for a mail. */
export const toMessage = (mail: Mail, from: Mailbox) => ({
  // As objects both are one address, never a list.
  from,
  to: { name: '', address: mail.to },
  subject: headerText(mail.subject),
  text: mail.text,
  html: mail.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
    // Exchange and Outlook send no notes of absence and no receipts. [MS-OXCMAIL] 2.1.3.2.20
    'X-Auto-Response-Suppress': 'All',
    ...(mail.unsubscribeUrl !== undefined && {
      // On one line each, also if the URL is long: some receivers look for it there.
      'List-Unsubscribe': { prepared: true, value: `<${mail.unsubscribeUrl}>` },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
});

/**
 * Removes line breaks, which would begin another header, and encodes text that looks like an encoded word, which nodemailer would
 * send as it is, and receivers would decode. https://www.rfc-editor.org/rfc/rfc2047#section-2
 */
function headerText(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (!line.includes('=?')) return line;
  const parts = line.match(ENCODED_WORD_CHARACTERS) ?? [];
  return parts.map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ');
}
