import { z } from 'zod';
import {
  bodyId,
  idOutput,
  integerOutput,
  textOutput,
  timestampOutput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { TASK_HISTORY_DAYS } from '../../entities/task/task-status-day.ts';
import { MAX_LEAKED_URL_LENGTH } from '../../entities/api-key/api-key.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_EXPIRING_EVIDENCE } from '../../entities/evidence/overview.ts';
import { ATTENTION_REASONS, MAX_ATTENTION_KEYS } from '../../entities/api-key/overview.ts';
import { MAX_DUE_COUNT } from '../../entities/task/overview.ts';
import { TASK_STATUSES } from '../../entities/task/task.ts';
import { VENDOR_STATUSES } from '../../entities/vendor/vendor.ts';
import { ParentOutput } from '../parent/parent.ts';

export const TasksQuery = z
  .strictObject({
    today: calendarDate.meta({ description: 'Ignored: today is that of the time zone of the company' }).optional(),
  })
  .optional();

const count = (description: string) => integerOutput(0, MAX_ID, description);

/** A number that is exact up to a maximum. */
const boundedCount = (description: string) =>
  z.object({
    count: integerOutput(0, MAX_DUE_COUNT, description),
    more: z.boolean().meta({ description: 'True if there are more than `count`' }),
  });

/** Tasks of one framework. */
export const FrameworkTasks = z.object({
  framework: z.object({ id: idOutput, name: textOutput(MAX_NAME_LENGTH, 'ISO 27001'), archived: z.boolean() }),
  open: count('Tasks that are not closed'),
  done: count('Tasks with the status `done`'),
  notApplicable: count('Tasks with the status `not_applicable`'),
  canceled: count('Tasks with the status `canceled`'),
  overdue: boundedCount('Open tasks that were due before today'),
  dueThisWeek: boundedCount('Open tasks that are due from today to seven days later'),
});

export const HistoryQuery = z.strictObject({ framework: bodyId('Only tasks of this framework').optional() });

export const TaskHistory = z
  .array(
    z.object({
      day: textOutput(10, '2026-11-21', 'Day in UTC'),
      counts: z.record(z.enum(TASK_STATUSES), count('Tasks with this status at the end of the day')),
    }),
  )
  .meta({
    maxItems: TASK_HISTORY_DAYS,
    description: 'Days since the first known numbers, oldest first; the last is today',
  });

/** Vendors whose next review is due. */
export const VendorReviews = z.object({
  overdue: boundedCount('Vendors whose next review was before today'),
  month: boundedCount('Vendors whose next review is from today to 30 days later'),
});

export const VendorCounts = z.record(z.enum(VENDOR_STATUSES), count('Vendors with this status'));

/** Evidence that is expiring, with what it belongs to. */
export const ExpiringEvidence = z.object({
  total: count('Pieces of evidence that are expiring'),
  items: z
    .array(
      z.object({
        uniqueId: uniqueIdOutput,
        name: textOutput(MAX_NAME_LENGTH, 'Access review'),
        validUntil: calendarDate,
        resource: ParentOutput.extend({ title: textOutput(MAX_NAME_LENGTH, 'Review access rights') }),
      }),
    )
    .meta({ maxItems: MAX_EXPIRING_EVIDENCE, description: 'Those that end first' }),
});

/** An API key that needs attention. */
const KeyForAttention = z.object({
  uniqueId: uniqueIdOutput,
  name: textOutput(MAX_NAME_LENGTH, 'Ticket sync'),
  start: textOutput(16, 'svc_sk_live_7Hq2'),
  last4: textOutput(4, '3kZd'),
  reason: z.enum(ATTENTION_REASONS),
  enabled: z.boolean(),
  expiresAt: timestampOutput.nullable(),
  leakedAt: timestampOutput.nullable(),
  leakedUrl: z.string().nullable().meta({ maxLength: MAX_LEAKED_URL_LENGTH }),
  lastUsedAt: timestampOutput.nullable(),
});

export const KeysForAttention = z.array(KeyForAttention).meta({ maxItems: MAX_ATTENTION_KEYS });
