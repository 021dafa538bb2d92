import { z } from 'zod';
import { expected, forModels, integerInput, textInput, valueList } from '../../entities/fields/schemas.ts';
import { EventOutput } from '../audit/events.ts';
import { RESOURCE_TYPES } from '../../entities/audit/fields.ts';
import { externalIdsOutput } from '../schemas/external-id.ts';
import { MAX_CURSOR_LENGTH, cursorBounds } from '../schemas/pagination.ts';
import type { StreamedPages } from '../core/declaration/meta.ts';

/** Number of events in a response. */
export const FEED_SIZE = { max: 500, default: 100 } as const;

/** Number of events that REST fetches at a time for a stream. Events may have 40 KB, so this bounds the memory of a stream. */
const STREAM_BATCH_SIZE = 200;

/** Maximum number of seconds that a response waits for an event. */
const MAX_WAIT_SECONDS = 30;

export const FeedQuery = z.strictObject({
  cursor: textInput('a cursor', MAX_CURSOR_LENGTH)
    .meta({
      ...cursorBounds,
      description: '`cursor` of the previous response; without it the feed starts at the first event',
      examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
    })
    .optional(),
  limit: integerInput(1, FEED_SIZE.max)
    .meta({
      description: `Maximum number of events; ${FEED_SIZE.default} by default`,
      format: 'int32',
      examples: [100],
    })
    .optional(),
  wait: integerInput(0, MAX_WAIT_SECONDS)
    .meta({
      description: 'Seconds to wait for an event if there is none; 0 by default',
      format: 'int32',
      examples: [20],
    })
    .optional(),
  from: z
    .enum(['now'], expected('now'))
    .meta({ description: '`now` returns only a cursor, after which the events from now on follow' })
    .optional(),
  type: valueList(RESOURCE_TYPES)
    .meta({
      description: `Types of the resources, separated by commas: ${RESOURCE_TYPES.join(', ')}; by default all`,
      examples: [['task', 'vendor']],
    })
    .register(forModels, { description: 'Comma-separated', pattern: undefined })
    .optional(),
  actor: z
    .enum(['others'], expected('others'))
    .meta({ description: '`others` leaves out what the key of the request, or the member, did', examples: ['others'] })
    .optional(),
});
export type FeedQuery = z.infer<typeof FeedQuery>;

const ChangeOutput = EventOutput.extend({
  sequence: z.int().meta({
    description: 'Number of the event in the company, from 1 without holes',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    examples: [4711],
  }),
  deleted: z.boolean().meta({
    description: 'True for a deletion; `changes` is then the last state of the resource',
    examples: [false],
  }),
  externalIds: externalIdsOutput.optional().meta({
    description:
      'Of a task or a vendor: its external ids now, of a deleted one those that are still reserved for it. Absent for other types',
  }),
}).meta({ id: 'Change', description: 'An audit event in the change feed' });

const feedOutput = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).meta({ maxItems: FEED_SIZE.max, description: 'Events, in the order of `sequence`' }),
    cursor: z.string().meta({
      ...cursorBounds,
      description: 'Send it as `cursor` to get the next events. It never expires.',
      examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
    }),
    more: z.boolean().meta({ description: 'True if more events are there already', examples: [false] }),
  });

/** Response of the change feed. */
export const ChangeFeed = feedOutput(ChangeOutput).meta({ id: 'Changes', description: 'A page of the change feed' });

const AnyFeed = feedOutput(z.unknown());

/** The feed as a stream of everything that is there. It ends with the cursor. */
export const FEED_PAGES: StreamedPages = {
  pageSize: STREAM_BATCH_SIZE,
  forbiddenFields: ['limit', 'wait'],
  parsePage(page) {
    const { items, cursor, more } = AnyFeed.parse(page);
    return { items, nextCursor: more ? cursor : null, trailer: { cursor } };
  },
};
