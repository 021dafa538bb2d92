import {
  claimSummary,
  deferSummary,
  deleteSummary,
  findDueSummaries,
  readSummaryTasks,
} from '../../../entities/inbox/summary.ts';
import type { ClaimedSummary, DueSummary } from '../../../entities/inbox/summary.ts';
import { rejectMails } from '../../../entities/person/notifications.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import type { MailOutcome } from '../../core/services.ts';
import { todayIn } from '../../schemas/time-zone.ts';
import { lastDayOfWeek } from '../../task/due.ts';
import { mailResults } from './results.ts';
import { sendLimited } from './sender.ts';
import type { Sender } from './sender.ts';
import { summaryMail } from '../summary.ts';
import { givenUpUntil, nextAttemptAt } from './times.ts';
import { unsubscribeLinks } from '../unsubscribe-links.ts';

/** A summary that this process sends. */
type Summary = DueSummary & ClaimedSummary;

/** Takes summaries that are due. */
export async function claimSummaries({ session, now }: Sender, limit: number): Promise<Summary[]> {
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
export async function sendSummary(sender: Sender, summary: Summary): Promise<void> {
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
