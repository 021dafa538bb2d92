import { z } from 'zod';
import {
  ActorOutput,
  booleanInput,
  expected,
  maxLength,
  textOutput,
  timestampOutput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { INBOX_REASONS, INBOX_RESOURCE_TYPES } from '../../entities/inbox/item.ts';
import { MAX_URL_LENGTH } from '../../entities/webhook/webhook.ts';
import { ofParent } from '../parent/parent.ts';
import { pagination } from '../schemas/pagination.ts';

/** Maximum number of items that one call marks as read. */
const MAX_READ_ITEMS = 100;

export const InboxQuery = z.strictObject({
  ...pagination,
  unread: booleanInput.optional().meta({ description: 'True for unread items only' }),
});

export const InboxItemOutput = z.object({
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

export const UnreadCount = z.object({ unread: z.int() });

export const ReadItems = z
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

export const WatchQuery = ofParent({});
export const WatchInput = ofParent({ watching: booleanInput });
export const WatchOutput = z.object({ watching: z.boolean() });
