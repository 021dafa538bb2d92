import { Session } from '../../../database/session.ts';
import { addInboxReaders, fanOutItems } from '../../../entities/inbox/fan-out.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { reminders } from '../../../procedures/inbox/jobs.ts';
import { database } from '../database/database.ts';
import type { TestCompany } from './company.ts';
import type { TestMember } from './member.ts';
import { sealAll } from './webhooks.ts';

/** Adds the items of all events of a company to its inboxes, as the job of the service does. */
export async function fillInboxes(company: Pick<TestCompany, 'id'>, hasMail = false): Promise<void> {
  await sealAll(company);
  const session = new Session(database, operatorPrincipal(company.id), 'inbox');
  await new Session(database, null, 'inbox').run(addInboxReaders, {});
  while ((await session.one(fanOutItems, { hasMail })).moved);
}

/** Reasons and titles of a member's items, newest first. */
export async function inboxOf({ caller }: TestMember, input: { unread?: boolean } = {}): Promise<string[]> {
  const { items } = await caller.inbox.list({ limit: 100, ...input });
  return items.map(({ reason, title }) => `${reason}: ${title}`);
}

const DAY_MS = 86_400_000;
/** 07:00 in UTC, days from today. */
export const morning = (days: number) =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + days * DAY_MS + 7 * 3_600_000);
export const dateIn = (days: number) => morning(days).toISOString().slice(0, 10);

/** Adds the reminders of a company, as the job of a process does at a time. */
export async function remind({ id }: Pick<TestCompany, 'id'>, now: Date): Promise<void> {
  const session = new Session(database, null, 'test');
  const warn = (error: unknown) => {
    throw error;
  };
  const handler = reminders.open({ database, session, warn, now: () => now });
  await handler?.companies();
  await handler?.runSlice(id);
}

/** New items of a member since the last call, sorted. */
export async function newItems(member: TestMember): Promise<string[]> {
  const items = await inboxOf(member, { unread: true });
  await member.caller.inbox.read({ all: true });
  return items.toSorted();
}

/** Fills the inboxes of a company, and marks all items of these members as read. */
export async function readAll(company: Pick<TestCompany, 'id'>, ...members: TestMember[]): Promise<void> {
  await fillInboxes(company);
  for (const member of members) await newItems(member);
}
