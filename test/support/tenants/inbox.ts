import { Session } from '../../../database/session.ts';
import { addInboxReaders, fanOutItems } from '../../../entities/inbox/fan-out.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
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
