import { setTimeout as wait } from 'node:timers/promises';
import { addInboxReaders, fanOutItems, findInboxCompanies } from '../../entities/inbox/fan-out.ts';
import { sealWaiting } from '../audit/sealing.ts';
import { MEMBERS } from './content/people.ts';
import type { World } from './world.ts';

/** Items of these last days stay unread, at most this number of each member. */
const UNREAD = { days: 12, items: 9 } as const;
const DAY_MS = 86_400_000;
const PAGE = 100;
const POLL_MS = 20;

/** Milliseconds for which other processes may seal or read the same events. Then the inboxes are left to them. */
const MAX_MS = 10_000;

/** Seals the events, fills the inboxes of the members, and marks all but the last items as read. */
export async function settleInboxes(world: World): Promise<void> {
  const operator = world.demo.session(world.principal('operator'));
  if (!(await sealWaiting(operator, MAX_MS))) return;
  await operator.run(addInboxReaders, {});
  for (const end = performance.now() + MAX_MS; performance.now() < end;) {
    const { moved } = await operator.one(fanOutItems, { hasMail: false });
    if (moved) continue;
    const waiting = await operator.run(findInboxCompanies, {});
    if (!waiting.some(({ id }) => id === world.demo.id)) break;
    await wait(POLL_MS);
  }
  for (const { actor } of MEMBERS) await readOldItems(world, actor);
}

async function readOldItems(world: World, actor: (typeof MEMBERS)[number]['actor']): Promise<void> {
  const { inbox } = world.demo.now(world.principal(actor));
  const since = new Date(Date.now() - UNREAD.days * DAY_MS).toISOString();
  let seen = 0;
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await inbox.list({
      unread: true,
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const old = items.filter(({ at }, index) => at < since || seen + index >= UNREAD.items);
    if (old.length > 0) await inbox.read({ uniqueIds: old.map(({ uniqueId }) => uniqueId) });
    seen += items.length;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
