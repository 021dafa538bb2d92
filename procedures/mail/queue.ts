import { newUniqueId } from '../../entities/ids.ts';
import { insertQueuedMail } from '../../entities/mail/queued-mail.ts';
import type { QueuedMailKind } from '../../entities/mail/queued-mail.ts';
import type { AnySession } from '../core/context.ts';
import { queuedMailPlace } from '../core/encryption.ts';
import { requireEncryption } from '../core/services.ts';
import type { Mail, Services } from '../core/services.ts';

/** A mail to send, with the facts that the limits and the job need. */
interface MailToQueue {
  kind: Exclude<QueuedMailKind, 'items' | 'summary'>;
  mail: Mail;
  /** uniqueId of the person to whom the mail goes; null for an address that belongs to no account. */
  person: string | null;
  /** Company in whose name it is sent; null for a mail of the service. */
  company: number | null;
  /** Time until which it is tried: the end of its link. */
  expiresAt: Date;
}

/**
 * Queues a mail in the transaction of the change that it is about. The job `send-queued-mails` sends it. Call it only with mail set up.
 * @throws ApiError 422 without ENCRYPTION_KEY: a mail may have a link that signs a person in, and is stored encrypted
 */
export async function queueMail(
  inside: AnySession,
  services: Pick<Services, 'encryption'>,
  { kind, mail, person, company, expiresAt }: MailToQueue,
): Promise<void> {
  const uniqueId = newUniqueId();
  await inside.run(insertQueuedMail, {
    uniqueId,
    kind,
    email: mail.to,
    person,
    ofCompany: company,
    content: requireEncryption(services).encrypt(JSON.stringify(mail), queuedMailPlace(uniqueId)),
    expiresAt: expiresAt.toISOString(),
  });
}
