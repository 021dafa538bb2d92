import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company.ts';
import { MAX_GAPS, LABEL_LIMITS, PRIORITY, TASK_STATUSES, DATE_YEARS, dedupeLabels } from '../../entities/task.ts';
import { MAX_DESCRIPTION_LENGTH } from '../../entities/vendor.ts';
import { integerOutput, idOutput, textOutput } from '../schemas/output.ts';
import {
  EXAMPLE_IDS,
  bodyId,
  descriptionInput,
  expected,
  timestampInput,
  uniqueIdOutput,
  maxLength,
  nameInput,
  pathId,
  changeMetadataOutput,
  trimmedText,
  uniqueIdInput,
} from '../schemas/fields.ts';

const EXPECTED_PRIORITY = `an integer from ${PRIORITY.min} to ${PRIORITY.max}`;
const PRIORITY_DESCRIPTION = '1 urgent, 2 high, 3 medium, 4 low';
const EXPECTED_DATE = `a calendar date YYYY-MM-DD from ${DATE_YEARS.min} to ${DATE_YEARS.max}`;

/** A calendar date. */
export const calendarDate = z.iso
  .date(expected(EXPECTED_DATE))
  .refine(
    (text) => Number(text.slice(0, 4)) >= DATE_YEARS.min && Number(text.slice(0, 4)) <= DATE_YEARS.max,
    `expected ${EXPECTED_DATE}`,
  )
  .meta({
    maxLength: 10,
    examples: ['2026-12-31'],
    override: ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => void delete jsonSchema.pattern,
  });

const nullableDate = calendarDate.nullable();

export const status = z.enum(TASK_STATUSES, expected(`one of ${TASK_STATUSES.join(', ')}`));

export const priority = z
  .int(expected(EXPECTED_PRIORITY))
  .min(PRIORITY.min, expected(EXPECTED_PRIORITY))
  .max(PRIORITY.max, expected(EXPECTED_PRIORITY))
  .meta({ description: PRIORITY_DESCRIPTION, format: 'int32' });

/** What a client gives, without defaults: a change has none. */
const taskFields = {
  title: nameInput('Task title'),
  description: descriptionInput,
  priority,
  labels: z
    .array(trimmedText(LABEL_LIMITS.maxLength), expected('an array of text'))
    .check(maxLength(LABEL_LIMITS.max, expected(`at most ${LABEL_LIMITS.max} labels`)))
    .overwrite(dedupeLabels)
    .meta({
      description:
        'All of them anew: at most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.',
    }),
  startDate: nullableDate,
  dueDate: nullableDate.meta({ description: 'Not before startDate, whichever of the two is sent' }),
  departmentId: bodyId('A department of the company that is not archived').nullable(),
  gaps: z.array(bodyId('A gap of the framework that is not archived'), expected('an array of integers')).meta({
    description: 'Ids of gaps of the same framework, all of them anew: each once, at most 100',
    maxItems: MAX_GAPS,
  }),
};

export const frameworkParameter = {
  framework: pathId('Framework ID, found in the framework manager of the application'),
};

export const TaskId = z.strictObject({ taskUniqueId: uniqueIdInput('The task’s uniqueId', EXAMPLE_IDS.task) });

export const TaskIdAsOf = TaskId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'The task as it was at this moment; needs `audit:read` as well' }),
});

export const NewTask = z
  .strictObject({
    ...frameworkParameter,
    title: taskFields.title,
    description: taskFields.description.default(''),
    priority: taskFields.priority.default(PRIORITY.default),
    labels: taskFields.labels.default([]),
    startDate: taskFields.startDate.default(null),
    dueDate: taskFields.dueDate.default(null),
    departmentId: taskFields.departmentId.default(null),
    gaps: taskFields.gaps.default([]),
  })
  .meta({ id: 'NewTask' });

export const TaskChanges = z.strictObject({
  ...TaskId.shape,
  ...z.strictObject({ ...taskFields, status }).partial().shape,
});

export const TaskOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    framework: idOutput,
    title: textOutput(MAX_NAME_LENGTH, 'Review access rights'),
    description: textOutput(MAX_DESCRIPTION_LENGTH, '<p>With the owner of each system.</p>'),
    priority: integerOutput(PRIORITY.min, PRIORITY.max, PRIORITY_DESCRIPTION).meta({ examples: [2] }),
    labels: z.array(textOutput(LABEL_LIMITS.maxLength, 'access')).meta({ maxItems: LABEL_LIMITS.max }),
    startDate: nullableDate,
    dueDate: nullableDate,
    departmentId: idOutput.nullable(),
    gaps: z.array(idOutput).meta({ maxItems: MAX_GAPS }),
    status,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Task' });
