import { z } from 'zod';
import {
  claimQueuedMails,
  deferQueuedMail,
  endQueuedMail,
  endReplacedMail,
  leaveOutMail,
} from '../../entities/mail/queued-mail.ts';
import type { ClaimedMail } from '../../entities/mail/queued-mail.ts';
import { rejectMails } from '../../entities/person/notifications.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { Session } from '../../database/session.ts';
import { queuedMailPlace } from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';
import type { Mail } from '../core/services.ts';
import type { IntervalJob, MailServices } from '../jobs/job.ts';
import { BATCH_SIZE, sendAll, mailResults, nextAttemptAt } from './sender.ts';

/** A mail as `queueMail` stores it. */
const StoredMail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
}) satisfies z.ZodType<Mail>;

/**
 * Sends mails with links and mails about accounts, which are queued with the change that they are about. Several processes share the
 * work, as that of `send-mails`. A mail is tried while its link is valid.
 */
export const sendingQueued: IntervalJob = {
  kind: 'interval',
  name: 'send-queued-mails',
  failure: 'mail: sending queued mails failed',
  intervalMs: 1000,
  needs: 'mail',
  async run(session, { mail, encryption, now = () => new Date(), warn, signal }) {
    if (mail === undefined || encryption === undefined) return;
    const sender = { session, mail, encryption, now };
    await sendAll({
      signal,
      warn,
      claim: () => session.run(claimQueuedMails, { now: now().toISOString(), limit: BATCH_SIZE }),
      send: (claimed) => sendQueued(sender, claimed),
    });
  },
};

interface QueueSender {
  session: Session<null>;
  mail: MailServices;
  encryption: Encryption;
  now: () => Date;
}

/** Sends a mail, and then removes its content: one that is interrupted in between comes again. */
async function sendQueued({ session, mail, encryption, now }: QueueSender, claimed: ClaimedMail): Promise<void> {
  const { uniqueId, person, lease, attempts } = claimed;
  const isExpired = () => toIso(claimed.expiresAt) <= now().toISOString();
  if (isExpired()) {
    mailResults.failed += 1;
    await session.run(endQueuedMail, { uniqueId, lease });
    return;
  }
  if ((await session.first(leaveOutMail, { uniqueId })) !== undefined) return;
  if ((await session.first(endReplacedMail, { uniqueId })) !== undefined) return;
  const content: unknown = JSON.parse(encryption.decrypt(claimed.content, queuedMailPlace(uniqueId)));
  const outcome = await mail.send(StoredMail.parse(content));
  if (outcome.result === 'deferred') {
    await session.run(deferQueuedMail, { uniqueId, lease, nextAttemptAt: nextAttemptAt(now(), attempts) });
    return;
  }
  if (outcome.result === 'rejected' && person !== null)
    await session.run(rejectMails, { person, now: now().toISOString() });
  await session.run(endQueuedMail, { uniqueId, lease });
}
