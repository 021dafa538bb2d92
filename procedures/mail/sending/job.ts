import { findOldestMail } from '../../../entities/inbox/mailing.ts';
import type { IntervalJob } from '../../jobs/job.ts';
import { mailResults } from './results.ts';
import { claimItemMails, sendItems } from './items.ts';
import { claimSummaries, sendSummary } from './summaries.ts';
import { BATCH_SIZE, sendAll } from './sender.ts';

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
      help: 'Age of the oldest item, summary or queued mail that waits; 0 without one, NaN if the query fails',
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
    await sendAll({
      signal,
      warn,
      claim: () => claimItemMails(sender, BATCH_SIZE),
      send: (person) => sendItems(sender, person),
    });
    await sendAll({
      signal,
      warn,
      claim: () => claimSummaries(sender, BATCH_SIZE),
      send: (summary) => sendSummary(sender, summary),
    });
  },
};
