import { findOldestMail } from '../../../entities/inbox/mailing.ts';
import type { IntervalJob } from '../../jobs/job.ts';
import { mailResults } from './results.ts';
import { claimItemMails, sendItems } from './items.ts';
import { claimSummaries, sendSummary } from './summaries.ts';
import type { Sender } from './sender.ts';

/** Maximum number of mails that a process sends at a time. */
const BATCH_SIZE = 5;

/**
 * Sends items of the inbox and summaries of the day by mail, for all companies. Several processes share the work: each takes mails
 * for the time of a lease, after which another process sends them if this one is killed. Contract, section 18.
 */
export const mailing: IntervalJob = {
  kind: 'interval',
  name: 'send-mails',
  failure: 'mail: sending failed',
  intervalMs: 5000,
  needs: 'mail',
  gauges: [
    {
      name: 'mail_oldest_waiting_seconds',
      help: 'Age of the oldest item or summary that waits for a mail; 0 without one, NaN if the query fails',
      statement: findOldestMail,
      columns: ['oldestSeconds'],
    },
  ],
  counters: [
    {
      name: 'mails_total',
      help: 'Mails of this process: sent, attempts that are repeated, and mails that are given up',
      counts: mailResults,
    },
  ],
  async run(session, { mail, now = () => new Date(), warn, signal }) {
    if (mail === undefined) return;
    const sender = { session, mail, now, secret: await session.installation.unsubscribeSecret() };
    await sendAll(() => claimItemMails(sender, BATCH_SIZE), sendItems);
    await sendAll(() => claimSummaries(sender, BATCH_SIZE), sendSummary);

    /** Sends mails in batches, until none is due. A mail that fails on our side is tried again when its lease ends. */
    async function sendAll<Claimed>(
      claim: () => Promise<Claimed[]>,
      send: (sender: Sender, claimed: Claimed) => Promise<void>,
    ): Promise<void> {
      while (!signal.aborted) {
        const claimed = await claim();
        if (claimed.length === 0) return;
        await Promise.all(
          claimed.map((one) => send(sender, one).catch((error: unknown) => warn(error, 'mail: failed on our side'))),
        );
      }
    }
  },
};
