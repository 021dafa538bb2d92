import { z } from 'zod';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { countUnread, markRead, pageItems, toInboxItem } from '../../entities/inbox/items.ts';
import { INBOX_REASONS, INBOX_RESOURCE_TYPES } from '../../entities/inbox/item.ts';
import { MAX_URL_LENGTH } from '../../entities/webhook/webhook.ts';
import { found } from '../../entities/api-error.ts';
import { findWatching, setWatching } from '../../entities/inbox/watching.ts';
import {
  noInput,
  ActorOutput,
  booleanInput,
  expected,
  maxLength,
  timestampOutput,
  uniqueIdOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { accountProcedure, router } from '../core/trpc.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { ofParent, parentFields, readParent, parentNoun } from '../parent/parent.ts';

/** Maximum number of items that one call marks as read. */
const MAX_READ_ITEMS = 100;

const InboxQuery = z.strictObject({
  ...pagination,
  unread: booleanInput.optional().meta({ description: 'True for unread items only' }),
});

const InboxItemOutput = z.object({
  uniqueId: uniqueIdOutput,
  at: timestampOutput,
  reason: z.enum(INBOX_REASONS),
  resource: z.object({ type: z.enum(INBOX_RESOURCE_TYPES), uniqueId: uniqueIdOutput }),
  title: textOutput(MAX_URL_LENGTH, 'Review the access of Cloud Ltd').meta({ description: 'Current title or name' }),
  date: calendarDate
    .meta({ description: 'Next review or end of the contract that a reminder is about; missing for other reasons' })
    .optional(),
  actor: ActorOutput.nullable().meta({ description: 'Who caused the item; null for a reminder' }),
  read: z.boolean(),
});

const UnreadCount = z.object({ unread: z.int() });

const ReadItems = z
  .strictObject({
    uniqueIds: z
      .array(z.string(expected('the uniqueId of an item')), expected('an array of uniqueIds'))
      .check(maxLength(MAX_READ_ITEMS, `expected at most ${MAX_READ_ITEMS} uniqueIds`))
      .optional(),
    all: z.literal(true, expected('true')).optional(),
  })
  .refine(({ uniqueIds, all }) => (uniqueIds === undefined) === (all === true), {
    path: ['uniqueIds'],
    error: 'expected either uniqueIds or all',
  });

const WatchQuery = ofParent({});
const WatchInput = ofParent({ watching: booleanInput });
const WatchOutput = z.object({ watching: z.boolean() });

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

/** Tasks, vendors and requirements that a member watches. Contract, section 18. */
export const watch = router({
  get: accountProcedure
    .meta({ description: 'Show if you watch a task, a vendor or a requirement' })
    .input(WatchQuery)
    .output(WatchOutput)
    .query(async ({ ctx: { session }, input }) => {
      await readParent(session, input);
      return session.one(findWatching, parentFields(input));
    }),

  set: accountProcedure
    .meta({ description: 'Watch a task, a vendor or a requirement, or stop watching it' })
    .input(WatchInput)
    .output(WatchOutput)
    .mutation(async ({ ctx: { session }, input }) => {
      await readParent(session, input);
      const { watching } = input;
      const row = await session.first(setWatching, { ...parentFields(input), uniqueId: newUniqueId(), watching });
      return found(row, parentNoun(input));
    }),
});
