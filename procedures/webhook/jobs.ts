import { operatorPrincipal } from '../../entities/principal.ts';
import { disableWebhook, findCheckpointCompanies, insertCheckpoints } from '../../entities/webhook/endpoint.ts';
import { findBacklog, findEndedWebhooks } from '../../entities/webhook/sending.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { unlessFrozen } from '../core/frozen.ts';
import type { CompaniesJob, IntervalJob } from '../jobs/job.ts';
import { readCheckpoint } from '../audit/checkpoint.ts';
import { WebhookSender } from './sender.ts';

/** Attempts of this process to deliver an event to a webhook, by result. */
export const webhookAttempts = { succeeded: 0, failed: 0 };

/** Delivers the events of all companies to their webhooks. Without an encryption no endpoint can be created. */
export const sending: CompaniesJob = {
  kind: 'companies',
  name: 'send-webhooks',
  failure: 'webhook: sending failed',
  companyFailure: 'webhook: deliveries of a company failed',
  intervalMs: 500,
  gauges: [
    {
      name: 'webhook_deliveries_waiting',
      help: 'Deliveries of active webhooks that wait for an attempt; NaN if the query fails',
      statement: findBacklog,
      columns: ['deliveries'],
    },
    {
      name: 'webhook_oldest_delivery_seconds',
      help: 'Age of the oldest of them; 0 without one, NaN if the query fails',
      statement: findBacklog,
      columns: ['oldestSeconds'],
    },
  ],
  counters: [
    {
      name: 'webhook_attempts_total',
      help: 'Attempts of this process to deliver an event to a webhook, by result',
      counts: webhookAttempts,
    },
  ],
  open: ({ database, encryption, sendWebhook: send, warn }) =>
    encryption === undefined || send === undefined
      ? undefined
      : new WebhookSender(database, {
          encryption,
          send,
          onAttempt: (succeeded) => (webhookAttempts[succeeded ? 'succeeded' : 'failed'] += 1),
          onError: (error) => warn(error, 'webhook: a delivery failed on our side'),
        }),
};

/** Disables the endpoints of revoked keys, which send no further deliveries, so that admins see it. */
export const endedWebhooks: IntervalJob = {
  kind: 'interval',
  name: 'disable-webhooks',
  failure: 'webhook: disabling endpoints failed',
  intervalMs: 10_000,
  async run(session) {
    for (const { company, webhook } of await session.run(findEndedWebhooks, {}))
      await unlessFrozen(
        session
          .actingAs(operatorPrincipal(company), sending.name)
          .run(disableWebhook, { webhook, url: null, reason: 'key' }),
      );
  },
};

/**
 * Adds a delivery of `audit.checkpoint` for each endpoint that names the type, after each hour in which something happened.
 * `sending` delivers it. Contract, section 20.
 */
export const sendingCheckpoints: CompaniesJob = {
  kind: 'companies',
  name: 'send-checkpoints',
  failure: 'webhook: adding checkpoints failed',
  companyFailure: 'webhook: the checkpoint of a company failed',
  intervalMs: 60_000,
  open: ({ session, signing, now = () => new Date() }) =>
    signing && {
      companies: async () =>
        (await session.run(findCheckpointCompanies, { now: now().toISOString() })).map(({ id }) => id),
      runSlice: async (company) => {
        const at = now().toISOString();
        const inCompany = session.asOperator(company);
        const checkpoint = await readCheckpoint(inCompany, signing.current);
        const { sequence } = checkpoint;
        await inCompany.run(insertCheckpoints, { now: at, sequence, messageId: newUniqueId(), checkpoint });
        return false;
      },
    },
};
