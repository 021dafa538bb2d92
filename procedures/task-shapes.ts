import { z } from 'zod';
import { NAME_LENGTH } from '../entities/company.ts';
import { GAPS_MOST, LABELS, PRIORITY, TASK_STATUSES, YEARS, withoutRepeats } from '../entities/task.ts';
import { DESCRIPTION_LENGTH } from '../entities/vendor.ts';
import { givenCount, givenId, givenText } from './answer-shapes.ts';
import {
  EXAMPLE,
  bodyId,
  description,
  expects,
  givenMoment,
  givenUniqueId,
  maxLength,
  name,
  pathId,
  stamps,
  trimmed,
  uniqueId,
} from './shapes.ts';

const A_PRIORITY = `an integer from ${PRIORITY.min} to ${PRIORITY.max}`;
const URGENCY = '1 urgent, 2 high, 3 medium, 4 low';
const A_DATE = `a calendar date YYYY-MM-DD from ${YEARS.first} to ${YEARS.last}`;

/** A calendar date. */
export const day = z.iso
  .date(expects(A_DATE))
  .refine(
    (text) => Number(text.slice(0, 4)) >= YEARS.first && Number(text.slice(0, 4)) <= YEARS.last,
    `expected ${A_DATE}`,
  )
  .meta({
    maxLength: 10,
    examples: ['2026-12-31'],
    override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern,
  });

const date = day.nullable();

export const status = z.enum(TASK_STATUSES, expects(`one of ${TASK_STATUSES.join(', ')}`));

export const priority = z
  .int(expects(A_PRIORITY))
  .min(PRIORITY.min, expects(A_PRIORITY))
  .max(PRIORITY.max, expects(A_PRIORITY))
  .meta({ description: URGENCY, format: 'int32' });

/** What a client gives, without defaults: a change has none. */
const fields = {
  title: name('Task title'),
  description,
  priority,
  labels: z
    .array(trimmed(LABELS.length), expects('an array of text'))
    .check(maxLength(LABELS.most, expects(`at most ${LABELS.most} labels`)))
    .overwrite(withoutRepeats)
    .meta({
      description:
        'All of them anew: at most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.',
    }),
  startDate: date,
  dueDate: date.meta({ description: 'Not before startDate, whichever of the two is sent' }),
  departmentId: bodyId('A department of the company that is not archived').nullable(),
  gaps: z.array(bodyId('A gap of the framework that is not archived'), expects('an array of integers')).meta({
    description: 'Ids of gaps of the same framework, all of them anew: each once, at most 100',
    maxItems: GAPS_MOST,
  }),
};

export const ofFramework = { framework: pathId('Framework ID, found in the framework manager of the application') };

export const OneTask = z.strictObject({ taskUniqueId: uniqueId('The task’s uniqueId', EXAMPLE.task) });

export const OneTaskAsOf = OneTask.extend({
  asOf: givenMoment.optional().meta({ description: 'The task as it was at this moment; needs `audit:read` as well' }),
});

export const NewTask = z
  .strictObject({
    ...ofFramework,
    title: fields.title,
    description: fields.description.default(''),
    priority: fields.priority.default(PRIORITY.default),
    labels: fields.labels.default([]),
    startDate: fields.startDate.default(null),
    dueDate: fields.dueDate.default(null),
    departmentId: fields.departmentId.default(null),
    gaps: fields.gaps.default([]),
  })
  .meta({ id: 'NewTask' });

export const TaskChanges = z.strictObject({
  ...OneTask.shape,
  ...z.strictObject({ ...fields, status }).partial().shape,
});

export const TaskObject = z
  .object({
    uniqueId: givenUniqueId,
    framework: givenId,
    title: givenText(NAME_LENGTH, 'Review access rights'),
    description: givenText(DESCRIPTION_LENGTH, '<p>With the owner of each system.</p>'),
    priority: givenCount(PRIORITY.min, PRIORITY.max, URGENCY).meta({ examples: [2] }),
    labels: z.array(givenText(LABELS.length, 'access')).meta({ maxItems: LABELS.most }),
    startDate: date,
    dueDate: date,
    departmentId: givenId.nullable(),
    gaps: z.array(givenId).meta({ maxItems: GAPS_MOST }),
    status,
    ...stamps,
  })
  .meta({ id: 'Task' });
