import {
  findOldestMail,
  MAX_LINES,
  UNMARK_BATCH_SIZE,
  claimPersons,
  findMailedMembers,
  readMailLines,
  releasePerson,
  unmarkItems,
} from '../../entities/inbox/mailing.ts';
import { MAIL_SWITCHES } from '../../entities/inbox/item.ts';
import type { MailedMember, MailedPerson } from '../../entities/inbox/mailing.ts';
import { rejectMails } from '../../entities/person/notifications.ts';
import {
  claimSummary,
  deferSummary,
  deleteSummary,
  findDueSummaries,
  readSummaryTasks,
} from '../../entities/inbox/summary.ts';
import type { ClaimedSummary, DueSummary } from '../../entities/inbox/summary.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { IntervalJob } from '../jobs/job.ts';
import { unlessFrozen } from '../core/frozen.ts';
import type { MailOutcome } from '../core/services.ts';
import { todayIn } from '../schemas/time-zone.ts';
import { lastDayOfWeek } from '../task/due.ts';
import { itemsMail, unsubscribeLinks, summaryMail } from './inbox-mails.ts';
import type { CompanyLine } from './inbox-mails.ts';
import {
  BATCH_SIZE,
  sendAll,
  mailResults,
  sendLimited,
  collectedUntil,
  givenUpUntil,
  nextAttemptAt,
} from './sender.ts';
import type { Sender } from './sender.ts';

const NONE = { unmarked: 0 };

/** Takes persons with items that are due. */
const claimItemMails = ({ session, now }: Sender, limit: number): Promise<MailedPerson[]> => {
  const at = now();
  return session.run(claimPersons, { now: at.toISOString(), until: collectedUntil(at), limit });
};

/**
 * Sends the items of a person in one mail, and then marks them as mailed: a mail that is interrupted in between comes again. Items
 * that the person does not get are only marked.
 */
async function sendItems(sender: Sender, claimed: MailedPerson): Promise<void> {
  const { session, now } = sender;
  const { person, lease } = claimed;
  const dueUntil = collectedUntil(now());
  const members = await session.run(findMailedMembers, { person });
  const lines = await readLines(sender, claimed, members, dueUntil);
  const isCollecting = lines.length > 0 && !lines.some(({ isDue }) => isDue);
  if (isCollecting) {
    // Only items that the person does not get made the mail due.
    await unmark(sender, members, dueUntil);
    await session.run(releasePerson, { person, lease, nextAttemptAt: null });
    return;
  }
  const outcome =
    lines.length === 0
      ? undefined
      : await sendLimited(sender, claimed, 'items', () => sendLines(sender, claimed, lines));
  const at = now();
  if (outcome?.result === 'deferred') {
    if ((await unmark(sender, members, givenUpUntil(at))) > 0) mailResults.failed += 1;
    await session.run(releasePerson, { person, lease, nextAttemptAt: nextAttemptAt(at, claimed.attempts) });
    return;
  }
  if (outcome?.result === 'rejected') await session.run(rejectMails, { person, now: at.toISOString() });
  await unmark(sender, members, null);
  await session.run(releasePerson, { person, lease, nextAttemptAt: null });
}

/** Lines of all companies of a person. */
async function readLines(
  { session }: Sender,
  { isRefused, kinds }: MailedPerson,
  members: readonly MailedMember[],
  until: string,
): Promise<CompanyLine[]> {
  if (isRefused) return [];
  const lines = await Promise.all(
    members.map(async ({ company, companyName, member, upTo }) => {
      const ofCompany = await session.asOperator(company).run(readMailLines, { member, upTo, kinds, until });
      return ofCompany.map((line) => Object.assign(line, { company, companyName }));
    }),
  );
  return lines.flat();
}

function sendLines(
  { mail, secret }: Sender,
  { person, email }: MailedPerson,
  lines: CompanyLine[],
): Promise<MailOutcome> {
  const totals = new Map(lines.map(({ company, total }) => [company, total]));
  const total = [...totals.values()].reduce((sum, count) => sum + count, 0);
  const newest = lines.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, MAX_LINES);
  const appUrl = mail.appUrl();
  const kinds = [...new Set(newest.map(({ reason }) => MAIL_SWITCHES[reason]))];
  const links = unsubscribeLinks({ appUrl, secret }, person, kinds);
  return mail.send(itemsMail(email, newest, total, { appUrl, ...links }));
}

/**
 * Marks the items of members as mailed, in batches, up to those that were read.
 * @param until null for all of them
 * @returns number of items
 */
async function unmark({ session }: Sender, members: readonly MailedMember[], until: string | null): Promise<number> {
  let total = 0;
  for (const { company, member, upTo } of members) {
    const ofCompany = session.asOperator(company);
    for (let unmarked = UNMARK_BATCH_SIZE; unmarked === UNMARK_BATCH_SIZE;) {
      // A company that was frozen during the mail keeps its items: they come again.
      ({ unmarked } = (await unlessFrozen(ofCompany.one(unmarkItems, { member, upTo, until }))) ?? NONE);
      total += unmarked;
    }
  }
  return total;
}

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

/** A summary that this process sends. */
type Summary = DueSummary & ClaimedSummary;

/** Takes summaries that are due. */
async function claimSummaries({ session, now }: Sender, limit: number): Promise<Summary[]> {
  const at = now().toISOString();
  const due = await session.run(findDueSummaries, { now: at, limit });
  const claimed = await Promise.all(
    due.map(async (summary) => {
      const claim = await session.asOperator(summary.company).first(claimSummary, { member: summary.member, now: at });
      return claim === undefined ? [] : [{ ...summary, ...claim }];
    }),
  );
  return claimed.flat();
}

/** Sends a summary, and then deletes it: one that is interrupted in between comes again. Without tasks it is only deleted. */
async function sendSummary(sender: Sender, summary: Summary): Promise<void> {
  const { session, now } = sender;
  const { company, person, member, lease, attempts } = summary;
  const ofCompany = session.asOperator(company);
  const outcome = await sendTasks(sender, summary);
  const at = now();
  if (outcome?.result === 'deferred') {
    const isGivenUp = toIso(summary.createdAt) <= givenUpUntil(at);
    if (isGivenUp) mailResults.failed += 1;
    else {
      await ofCompany.run(deferSummary, { member, lease, nextAttemptAt: nextAttemptAt(at, attempts) });
      return;
    }
  }
  if (outcome?.result === 'rejected') await session.run(rejectMails, { person, now: at.toISOString() });
  await ofCompany.run(deleteSummary, { member, lease });
}

/** @returns undefined if there is nothing to send */
async function sendTasks(sender: Sender, summary: Summary): Promise<MailOutcome | undefined> {
  const { session, mail, secret, now } = sender;
  const { company, companyName, timeZone, member, person, email: to, isRefused, kinds } = summary;
  if (isRefused || !kinds.includes('summary')) return undefined;
  const today = todayIn(timeZone, now());
  const tasks = await session
    .asOperator(company)
    .run(readSummaryTasks, { member, today, lastDay: lastDayOfWeek(today) });
  if (tasks.length === 0) return undefined;
  const appUrl = mail.appUrl();
  const links = unsubscribeLinks({ appUrl, secret }, person, ['summary']);
  const content = summaryMail({ to, companyName, member, today, tasks }, { appUrl, ...links });
  return sendLimited(sender, summary, 'summary', () => mail.send(content));
}
