import { queuedMailPlace } from '../../../procedures/core/encryption.ts';
import type { Mail } from '../../../procedures/core/services.ts';
import { createCaller } from '../../../procedures/index.ts';
import { sql } from '../database/database.ts';
import type { TestMember } from './member.ts';
import { mailServices } from './member.ts';

/** Mails that were queued for an address and not sent yet, the oldest first. */
export async function mailsTo(email: string): Promise<Mail[]> {
  const rows = await sql<{ unique_id: string; content: string }>(
    'select unique_id, content from queued_mail where email = $1 and content is not null order by unique_id',
    email,
  );
  return rows.map(({ unique_id, content }) => {
    if (mailServices.encryption === undefined) throw new Error('services: expected encryption');
    const mail: unknown = JSON.parse(mailServices.encryption.decrypt(content, queuedMailPlace(unique_id)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `queueMail` has written it
    return mail as Mail;
  });
}

/** Token of the link in the newest mail to an address. */
export async function mailedToken(email: string): Promise<string> {
  const token = /\/(?:invitation|reset|email)\/([\w-]+)/.exec((await mailsTo(email)).at(-1)?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`mail to ${email}: expected a link`);
  return token;
}

/** The procedures for a member, on a server that has mail. */
export const withMail = ({ context }: Pick<TestMember, 'context'>) =>
  createCaller({ ...context, services: mailServices });
