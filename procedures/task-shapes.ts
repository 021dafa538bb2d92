import { z } from 'zod';
import { LABELS, PRIORITY, TASK_STATUSES, YEARS, withoutRepeats } from '../entities/task.ts';
import {
  bodyId,
  description,
  expects,
  givenMoment,
  givenUniqueId,
  name,
  pathId,
  stamps,
  text,
  uniqueId,
} from './shapes.ts';

const A_PRIORITY = `an integer from ${PRIORITY.min} to ${PRIORITY.max}`;
const A_LABEL = `text of 1 to ${LABELS.length} characters`;
const A_DATE = `a calendar date YYYY-MM-DD from ${YEARS.first} to ${YEARS.last}`;

const date = z.iso
  .date(expects(A_DATE))
  .refine(
    (day) => Number(day.slice(0, 4)) >= YEARS.first && Number(day.slice(0, 4)) <= YEARS.last,
    `expected ${A_DATE}`,
  )
  .meta({ override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern })
  .nullable();

const status = z.enum(TASK_STATUSES, expects(`one of ${TASK_STATUSES.join(', ')}`));

/** What a client gives, without defaults: a change has none. */
const fields = {
  title: name('Task title'),
  description,
  priority: z
    .int(expects(A_PRIORITY))
    .min(PRIORITY.min, expects(A_PRIORITY))
    .max(PRIORITY.max, expects(A_PRIORITY))
    .meta({ description: '1 urgent, 2 high, 3 medium, 4 low' }),
  labels: z
    .array(
      text(A_LABEL).trim().min(1, expects(A_LABEL)).max(LABELS.length, expects(A_LABEL)),
      expects('an array of text'),
    )
    .max(LABELS.most, expects(`at most ${LABELS.most} labels`))
    .overwrite(withoutRepeats)
    .meta({ description: 'Duplicates, ignoring case, are dropped; the first spelling stays.' }),
  startDate: date,
  dueDate: date.meta({ description: 'Not before startDate' }),
  departmentId: bodyId('A department of the company that is not archived').nullable(),
  gaps: z
    .array(bodyId('A gap of the framework that is not archived'), expects('an array of integers'))
    .meta({ description: 'Ids of gaps of the same framework, each once, at most 100' }),
};

export const ofFramework = { framework: pathId('Framework ID, found in the framework manager of the application') };

export const OneTask = z.strictObject({ taskUniqueId: uniqueId('The task’s uniqueId') });

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
    framework: z.int(),
    title: z.string(),
    description: z.string(),
    priority: z.int(),
    labels: z.array(z.string()),
    startDate: date,
    dueDate: date,
    departmentId: z.int().nullable(),
    gaps: z.array(z.int()),
    status,
    ...stamps,
  })
  .meta({ id: 'Task' });
