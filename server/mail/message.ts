import type { Mail } from '../../procedures/core/services.ts';

/** Characters in an encoded word: at most 40 bytes, of which base64 makes 56. A word has at most 75. */
const ENCODED_WORD_CHARACTERS = /.{1,10}/gsu;

/** Message of nodemailer for a mail. */
export const toMessage = (mail: Mail, from: string) => ({
  from,
  // As an object it is one address, never a list.
  to: { name: '', address: mail.to },
  subject: headerText(mail.subject),
  text: mail.text,
  html: mail.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
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
