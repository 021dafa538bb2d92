import { findSearchCompanies } from '../../../entities/search/indexing.ts';
import { expect } from 'vitest';
import { Session } from '../../../database/session.ts';
import { findImportingCompanies } from '../../../entities/import/progress.ts';
import { findInboxCompanies } from '../../../entities/inbox/fan-out.ts';
import { listReminderStates } from '../../../entities/inbox/reminders.ts';
import { findDueSummaries } from '../../../entities/inbox/summary.ts';
import { findUnidentified } from '../../../entities/member/identity.ts';
import { findProvingCompanies } from '../../../entities/proof/making.ts';
import { recordTaskHistory } from '../../../entities/task/status-history.ts';
import { findEndedWebhooks, findSendingCompanies } from '../../../entities/webhook/sending.ts';
import { queueMail } from '../../../procedures/mail/queue.ts';
import { database, sql } from '../database/database.ts';
import { createCompany } from '../tenants/company.ts';
import { VENDORS, upload } from '../tenants/imports.ts';
import { addItems, startMailing } from '../tenants/mails.ts';
import { createMember, services } from '../tenants/member.ts';
import { createWebhookKey, deliver, makeDue, startReceiver } from '../tenants/webhooks.ts';

/** Work of jobs that waits for a company. */
export const WORK = ['imports', 'proofs', 'webhooks', 'inboxes', 'reminders', 'summaries', 'identities', 'search'];

/** Creates a company for which every kind of job has work. */
export async function createCompanyWithWork() {
  const acme = await createCompany();
  const ann = await createMember(acme);
  const { apiKey, caller } = await createWebhookKey(acme);
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  await caller.webhook.create({ url: receiver.url });
  const { uniqueId: resource } = await acme.newTask({ assigneeId: ann.uniqueId });
  await deliver(acme);
  const sent = receiver.requests.length;
  expect(sent).toBeGreaterThan(0);
  await upload(acme.key, `${VENDORS}/import`, [{ name: 'Imported' }]);
  await caller.proof.create({});
  await makeDue(acme);
  const mailing = await startMailing();
  await addItems(acme, ann, { resource, actor: apiKey.user.uniqueId, at: mailing.now() });
  await sql(
    `insert into summary_mail (company_id, member_id, day, next_attempt_at, created_at) values ($1, $2, now(), now() - interval '1 minute', now())`,
    acme.id,
    ann.uniqueId,
  );
  const queuedTo = `queued-${ann.email}`;
  const mail = { to: queuedTo, subject: 'Invitation', text: 'Accept', html: '<p>Accept</p>' };
  const expiresAt = new Date(mailing.now().getTime() + 86_400_000);
  await queueMail(new Session(database, null, 'work'), services, {
    kind: 'invitation',
    mail,
    person: null,
    company: acme.id,
    expiresAt,
  });
  mailing.later(30);
  await sql('insert into inbox_reader (company_id) values ($1) on conflict do nothing', acme.id);
  await sql(`update person set name = 'Renamed' where unique_id = $1`, ann.person);

  const session = new Session(database, null, 'work');
  const has = (rows: readonly { id?: number; company?: number }[]) =>
    rows.some(({ id, company }) => (company ?? id) === acme.id);
  return {
    acme,
    apiKey,
    receiver,
    sent,
    mailing,
    /** Address of a mail that is queued. */
    queuedTo,
    /** The kinds of work whose search finds the company. */
    found: async () => {
      const now = mailing.now().toISOString();
      const isFound = [
        has(await session.run(findImportingCompanies, {})),
        has(await session.run(findProvingCompanies, {})),
        has(await session.run(findSendingCompanies, {})),
        has(await session.run(findInboxCompanies, {})),
        has(await session.run(listReminderStates, {})),
        has(await session.run(findDueSummaries, { now, limit: 1000 })),
        has(await session.run(findUnidentified, { limit: 10_000 })),
        has(await session.run(findSearchCompanies, {})),
      ];
      return WORK.filter((_, index) => isFound[index]);
    },
    /** True if a webhook of the company is to be disabled, because its key has ended. */
    hasEndedWebhook: async () => has(await session.run(findEndedWebhooks, {})),
    /** Records the numbers of tasks of the day. @returns the days that the company has */
    recordDays: async () => {
      await session.run(recordTaskHistory, {});
      return sql('select day from task_status_day where company_id = $1', acme.id);
    },
  };
}
