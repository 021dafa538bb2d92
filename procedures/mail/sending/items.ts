import {
  MAX_LINES,
  UNMARK_BATCH_SIZE,
  claimPersons,
  findMailedMembers,
  readMailLines,
  releasePerson,
  unmarkItems,
} from '../../../entities/inbox/mailing.ts';
import type { MailedMember, MailedPerson } from '../../../entities/inbox/mailing.ts';
import { rejectMails } from '../../../entities/person/notifications.ts';
import { unlessFrozen } from '../../core/frozen.ts';
import type { MailOutcome } from '../../core/services.ts';
import { itemsMail } from '../items.ts';
import type { CompanyLine } from '../items.ts';
import { mailResults } from './results.ts';
import { sendLimited } from './sender.ts';
import type { Sender } from './sender.ts';
import { collectedUntil, givenUpUntil, nextAttemptAt } from './times.ts';
import { unsubscribeLinks } from '../unsubscribe-links.ts';

const NONE = { unmarked: 0 };

/** Takes persons with items that are due. */
export const claimItemMails = ({ session, now }: Sender, limit: number): Promise<MailedPerson[]> => {
  const at = now();
  return session.run(claimPersons, { now: at.toISOString(), until: collectedUntil(at), limit });
};

/**
 * Sends the items of a person in one mail, and then marks them as mailed: a mail that is interrupted in between comes again. Items
 * that the person does not get are only marked.
 */
export async function sendItems(sender: Sender, claimed: MailedPerson): Promise<void> {
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
  const kinds = [...new Set(newest.map(({ reason }) => reason))];
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
