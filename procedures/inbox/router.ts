import { z } from 'zod';
import { noInput } from '../../entities/fields/schemas.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { countUnread, markRead, pageItems, toInboxItem } from '../../entities/inbox/items.ts';
import { accountProcedure, router } from '../core/trpc.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput } from '../schemas/pagination.ts';
import { InboxItemOutput, InboxQuery, ReadItems, UnreadCount } from './schemas.ts';

/** The inbox of a member. Contract, section 18. */
export const inbox = router({
  list: accountProcedure
    .meta({ description: 'List the items of the own inbox, newest first' })
    .input(InboxQuery)
    .output(pageOutput(InboxItemOutput))
    .query(async ({ ctx: { session }, input: { unread = false, ...request } }) => {
      const { rows, nextCursor } = await readPage(session, {
        list: ['inbox', { unread, member: session.principal.user.uniqueId }],
        request,
        fetch: ([before = null], limit) => session.run(pageItems, { before, unread, limit }),
        positionOf: ({ id }) => [id],
      });
      return { items: rows.map(toInboxItem), nextCursor };
    }),

  count: accountProcedure
    .meta({ description: 'Count the unread items of the own inbox' })
    .input(noInput)
    .output(UnreadCount)
    .query(({ ctx }) => ctx.session.one(countUnread, {})),

  read: accountProcedure
    .meta({ description: 'Mark items of the own inbox as read' })
    .input(ReadItems)
    .output(z.void())
    .mutation(async ({ ctx, input: { uniqueIds } }) => {
      await ctx.session.run(markRead, { uniqueIds: uniqueIds?.filter(isUniqueId) ?? null });
    }),
});
