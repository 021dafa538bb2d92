import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_GAPS, MAX_TASK_VENDORS, PRIORITY, TASK_STATUSES, taskResource } from '../../entities/task/task.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { MAX_RECURRENCE_LENGTH } from '../../entities/task/recurrence/recurrence.ts';
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
  textInput,
  uniqueIdInput,
  userIdInput,
} from '../schemas/fields.ts';
import { nullableDate } from '../schemas/values/dates.ts';
import { labelsField } from '../schemas/values/labels.ts';
import { descriptionInput } from '../schemas/html/input.ts';
import { addEntityTag, etagOutput, ifMatchInput } from '../schemas/entity-tag.ts';
import { externalIdInput, externalIdsOutput, upsertOptions } from '../schemas/external-id.ts';
import { forModels } from '../schemas/for-models.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';

export const PRIORITY_DESCRIPTION = '1 urgent, 2 high, 3 medium, 4 low';
const EXPECTED_RECURRENCE = `a recurrence rule of at most ${MAX_RECURRENCE_LENGTH} characters`;
const EXAMPLE_RECURRENCE = 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1';
const status = enumInput(TASK_STATUSES);

const vendorIdInput = textInput('the uniqueId of a vendor', 36)
  .refine(isUniqueId, expected('the uniqueId of a vendor'))
  .meta({ format: 'uuid', examples: [EXAMPLE_IDS.vendor] })
  .register(forModels, { description: 'Id from `vendor_page`' });

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
  labels: labelsField('labels', 'access'),
  startDate: { input: nullableDate, output: nullableDate },
  dueDate: {
    input: nullableDate
      .meta({ description: 'Not before startDate, whether one or both are sent' })
      .register(forModels, { description: undefined }),
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
      .register(forModels, { description: undefined }),
    output: z.array(idOutput).meta({ maxItems: MAX_GAPS }),
  },
  status: { input: status, output: status },
  vendors: {
    input: z
      .array(vendorIdInput, expected('an array of text'))
      .check(maxLength(MAX_TASK_VENDORS, expected(`at most ${MAX_TASK_VENDORS} vendors`)))
      .meta({
        description: `Replaces all vendors. uniqueIds of vendors of the company, archived ones too, each once, at most ${MAX_TASK_VENDORS}.`,
        maxItems: MAX_TASK_VENDORS,
      })
      .register(forModels, { description: undefined }),
    output: z
      .array(uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.vendor] }))
      .meta({ maxItems: MAX_TASK_VENDORS, description: 'uniqueIds of vendors' }),
  },
  recurrence: {
    input: textInput(EXPECTED_RECURRENCE, MAX_RECURRENCE_LENGTH)
      .meta({
        description:
          'RRULE of RFC 5545 from dueDate on: FREQ DAILY, WEEKLY, MONTHLY or YEARLY, with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL as YYYYMMDD. ' +
          'When the task becomes `done` or `not_applicable`, the next one is made.',
        examples: [EXAMPLE_RECURRENCE],
      })
      .register(forModels, { description: 'RRULE; needs dueDate' })
      .nullable(),
    output: textOutput(MAX_RECURRENCE_LENGTH, EXAMPLE_RECURRENCE, 'RRULE of RFC 5545').nullable(),
  },
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
const previous = uniqueIdOutput
  .nullable()
  .meta({ description: 'Task whose closing made this one; null if it was deleted' });
/** Looked up at reading, so that it belongs to no version, event and export. */
const next = uniqueIdOutput
  .nullable()
  .meta({ description: 'Task that the closing of this one made; null with `asOf`' });

export const TaskOutput = z
  .object({
    ...fieldsBeforeAssignee,
    assignee,
    previous,
    next,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Task' });

/** Fields of a task in an export, which can be imported. */
export const exportedFields = {
  ...fieldsBeforeAssignee,
  assignee,
  assigneeId: assigneeId.output,
  previous,
  externalIds: externalIdsOutput,
  ...changeMetadataOutput,
};

/** A task over tRPC. */
export const TaggedTask = TaskOutput.extend(etagOutput).overwrite(addEntityTag).meta({ id: 'TaggedTask' });
