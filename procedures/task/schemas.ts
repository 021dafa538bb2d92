import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import {
  MAX_GAPS,
  LABEL_LIMITS,
  PRIORITY,
  TASK_STATUSES,
  DATE_YEARS,
  dedupeLabels,
  taskResource,
} from '../../entities/task/task.ts';
import { MAX_DESCRIPTION_LENGTH } from '../../entities/vendor/vendor.ts';
import { evidenceCountOutput, integerOutput, idOutput, textOutput } from '../schemas/output.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  bodyId,
  enumInput,
  expected,
  integerInput,
  timestampInput,
  uniqueIdOutput,
  maxLength,
  nameInput,
  pathId,
  changeMetadataOutput,
  trimmedText,
  uniqueIdInput,
  userIdInput,
} from '../schemas/fields.ts';
import { descriptionInput } from '../schemas/html/input.ts';
import { addEntityTag, etagOutput, ifMatchInput } from '../schemas/entity-tag.ts';
import { externalIdInput, externalIdsOutput, upsertOptions } from '../schemas/external-id.ts';
import { forModels } from '../schemas/for-models.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';

export const PRIORITY_DESCRIPTION = '1 urgent, 2 high, 3 medium, 4 low';
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

const status = enumInput(TASK_STATUSES);

const priority = integerInput(PRIORITY.min, PRIORITY.max).meta({ description: PRIORITY_DESCRIPTION, format: 'int32' });

/** Every field of a task. A create takes all of them except `status`. */
const taskFields = {
  title: {
    input: nameInput('Task title').register(forModels, { description: undefined }),
    output: textOutput(MAX_NAME_LENGTH, 'Review access rights'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(MAX_DESCRIPTION_LENGTH, '<p>With the owner of each system.</p>'),
  },
  priority: {
    input: priority,
    output: integerOutput(PRIORITY.min, PRIORITY.max, PRIORITY_DESCRIPTION).meta({ examples: [2] }),
  },
  labels: {
    input: z
      .array(trimmedText(LABEL_LIMITS.maxLength), expected('an array of text'))
      .check(maxLength(LABEL_LIMITS.max, expected(`at most ${LABEL_LIMITS.max} labels`)))
      .overwrite(dedupeLabels)
      .meta({
        description:
          'Replaces all labels. At most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.',
      })
      .register(forModels, { description: 'Replaces all labels' }),
    output: z.array(textOutput(LABEL_LIMITS.maxLength, 'access')).meta({ maxItems: LABEL_LIMITS.max }),
  },
  startDate: { input: nullableDate, output: nullableDate },
  dueDate: {
    input: nullableDate
      .meta({ description: 'Not before startDate, whether one or both are sent' })
      .register(forModels, { description: 'Not before startDate' }),
    output: nullableDate,
  },
  departmentId: {
    input: bodyId('A department of the company that is not archived')
      .register(forModels, { description: 'Id from `department_list`, not archived' })
      .nullable(),
    output: idOutput.nullable(),
  },
  gaps: {
    input: z
      .array(
        bodyId('A gap of the framework that is not archived').register(forModels, {
          description: 'Id from `gap_list`, not archived',
        }),
        expected('an array of integers'),
      )
      .meta({
        description: 'Replaces all gaps. Ids of gaps of the same framework, each once, at most 100.',
        maxItems: MAX_GAPS,
      })
      .register(forModels, { description: 'Replaces all gaps' }),
    output: z.array(idOutput).meta({ maxItems: MAX_GAPS }),
  },
  status: { input: status, output: status },
  assigneeId: {
    input: userIdInput('An active member who may see the framework')
      .register(forModels, { description: 'Id from `member_list`' })
      .nullable(),
    output: uniqueIdOutput.nullable(),
  },
};
const { status: _status, ...createFields } = taskFields;
const { assigneeId, ...shownFields } = taskFields;

export const frameworkParameter = {
  framework: pathId('Framework ID, found in the framework manager of the application').register(forModels, {
    description: 'Id from `framework_list`',
  }),
};

export const TaskId = z.strictObject({ taskUniqueId: uniqueIdInput('The task’s uniqueId', EXAMPLE_IDS.task) });

export const TaskIdAsOf = TaskId.extend({
  asOf: timestampInput
    .optional()
    .meta({ description: 'Returns the task as it was at this time. Requires the scope `audit:read` too.' }),
});

export const NewTask = z
  .strictObject({ ...frameworkParameter, ...createShape(createFields, taskResource.defaults) })
  .meta({ id: 'NewTask' });

/** A deletion over tRPC. */
export const TaskDeletion = TaskId.extend(ifMatchInput);

export const TaskChanges = z.strictObject({ ...TaskId.shape, ...changesShape(taskFields) });

/** Changes over tRPC. */
export const TaskUpdate = TaskChanges.extend(ifMatchInput);

const ByExternalId = { ...frameworkParameter, ...externalIdInput };

export const TaskByExternalId = z.strictObject(ByExternalId);

export const TaskLink = z.strictObject({ ...TaskId.shape, ...externalIdInput });

/** Fields of a task in a PUT, where `replace` requires a title. */
export const TaskBody = z.strictObject(changesShape(taskFields));

export const TaskPut = z
  .strictObject({ ...ByExternalId, ...upsertOptions, ...TaskBody.shape })
  .superRefine(({ mode, title }, issues) => {
    if (mode === 'replace' && title === undefined)
      issues.addIssue({ code: 'custom', path: ['title'], message: 'required' });
  });

const fieldsBeforeAssignee = { uniqueId: uniqueIdOutput, framework: idOutput, ...outputShape(shownFields) };
const assignee = ActorOutput.nullable().meta({ description: 'Member who does the task' });
const fieldsAfterAssignee = { externalIds: externalIdsOutput, ...changeMetadataOutput };

const { externalIds, ...metadata } = fieldsAfterAssignee;

export const TaskOutput = z
  .object({ ...fieldsBeforeAssignee, assignee, externalIds, ...evidenceCountOutput, ...metadata })
  .meta({ id: 'Task' });

/** Fields of a task in an export, which can be imported. */
export const exportedFields = {
  ...fieldsBeforeAssignee,
  assignee,
  assigneeId: assigneeId.output,
  ...fieldsAfterAssignee,
};

/** A task over tRPC. */
export const TaggedTask = TaskOutput.extend(etagOutput).overwrite(addEntityTag).meta({ id: 'TaggedTask' });
