import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_GAPS, MAX_TASK_VENDORS, PRIORITY, TASK_STATUSES, taskResource } from '../../entities/task/task.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { MAX_RECURRENCE_LENGTH } from '../../entities/task/recurrence/recurrence.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  bodyId,
  booleanInput,
  changeMetadataOutput,
  enumInput,
  expected,
  forModels,
  idOutput,
  integerInput,
  integerOutput,
  maxLength,
  nameInput,
  pathId,
  textInput,
  textOutput,
  timestampInput,
  uniqueIdInput,
  uniqueIdOutput,
  userIdInput,
} from '../../entities/fields/schemas.ts';
import { nullableDate } from '../../entities/fields/dates.ts';
import { labelsField } from '../../entities/fields/labels.ts';
import { HTML_OUTPUT, MAX_DESCRIPTION_LENGTH, descriptionInput } from '../../entities/fields/html/input.ts';
import { evidenceCountOutput } from '../parent/expiring.ts';
import {
  BY_EXTERNAL_ID,
  elsewhereThanInPost,
  externalIdInput,
  externalIdsOutput,
  upsertOptions,
} from '../schemas/external-id.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

export const PRIORITY_DESCRIPTION = '1 urgent, 2 high, 3 medium, 4 low';
const EXPECTED_RECURRENCE = `a recurrence rule of at most ${MAX_RECURRENCE_LENGTH} characters`;
const EXAMPLE_RECURRENCE = 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1';
const status = enumInput(TASK_STATUSES)
  .meta({ description: 'State of the work; `done`, `not_applicable` and `canceled` close the task' })
  .register(forModels, { description: undefined });
const startDate = nullableDate
  .meta({ description: 'Day on which the work begins' })
  .register(forModels, { description: undefined });
const DUE_DATE = 'Last day for the work';

const vendorIdInput = textInput('the uniqueId of a vendor', 36)
  .refine(isUniqueId, expected('the uniqueId of a vendor'))
  .meta({ format: 'uuid', examples: [EXAMPLE_IDS.vendor] })
  .register(forModels, { description: 'Id from `vendor_page`' });

const priority = integerInput(PRIORITY.min, PRIORITY.max).meta({ description: PRIORITY_DESCRIPTION, format: 'int32' });

/** Every field of a task. A create takes all of them except `status`. */
const taskFields = {
  title: {
    input: nameInput('Task title').register(forModels, { description: undefined }),
    output: textOutput(MAX_NAME_LENGTH, 'Review access rights', 'Title, which other tasks may have too'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(MAX_DESCRIPTION_LENGTH, '<p>With the owner of each system.</p>', HTML_OUTPUT),
  },
  priority: {
    input: priority,
    output: integerOutput(PRIORITY.min, PRIORITY.max, PRIORITY_DESCRIPTION).meta({ examples: [2] }),
  },
  labels: labelsField('labels', 'access'),
  startDate: { input: startDate, output: startDate },
  dueDate: {
    input: nullableDate
      .meta({ description: `${DUE_DATE}, not before startDate, whether one or both are sent` })
      .register(forModels, { description: undefined }),
    output: nullableDate.meta({ description: DUE_DATE }),
  },
  departmentId: {
    input: bodyId('A department of the company that is not archived')
      .register(forModels, { description: 'Id from `department_list`, not archived' })
      .nullable(),
    output: idOutput.meta({ description: 'Id of the department, which may be archived by now' }).nullable(),
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
    output: z
      .array(idOutput)
      .meta({ maxItems: MAX_GAPS, description: 'Ids of gaps of the framework that the task closes' }),
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
    output: uniqueIdOutput.meta({ description: 'uniqueId of the assignee' }).nullable(),
  },
};
const { status: _status, ...createFields } = taskFields;
const { assigneeId, ...shownFields } = taskFields;

export const frameworkParameter = {
  framework: pathId(
    'Framework ID, found in the framework manager of the application, or with `GET /external/framework/list`',
  ).register(forModels, {
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
  .strictObject(
    { ...frameworkParameter, ...createShape(createFields, taskResource.defaults) },
    unknownFields(() => ({ shown: TaskOutput.shape, elsewhere: elsewhereThanInPost('a new task is todo') })),
  )
  .meta({ id: 'NewTask' });

/** Option of a change beside its fields. */
const moveSeriesInput = {
  moveSeries: booleanInput
    .meta({
      description:
        'Beside a new `dueDate` of a task that recurs: `true` moves the following tasks of the series too, which count from this date. Otherwise only this task moves.',
    })
    .register(forModels, { description: 'Also move its series' })
    .optional(),
};

const ofTask = unknownFields(() => ({ shown: TaskOutput.shape, elsewhere: BY_EXTERNAL_ID }));

export const TaskChanges = z.strictObject({ ...TaskId.shape, ...changesShape(taskFields), ...moveSeriesInput }, ofTask);

const ByExternalId = { ...frameworkParameter, ...externalIdInput };

export const TaskByExternalId = z.strictObject(ByExternalId);

export const TaskLink = z.strictObject({ ...TaskId.shape, ...externalIdInput });

/** Fields of a task in a PUT, where `replace` requires a title. */
export const TaskBody = z.strictObject(changesShape(taskFields));

export const TaskPut = z
  .strictObject({ ...ByExternalId, ...upsertOptions, ...TaskBody.shape, ...moveSeriesInput }, ofTask)
  .superRefine(({ mode, title }, issues) => {
    if (mode === 'replace' && title === undefined)
      issues.addIssue({ code: 'custom', path: ['title'], message: 'required' });
  });

const fieldsBeforeAssignee = {
  uniqueId: uniqueIdOutput,
  framework: idOutput.meta({ description: 'Id of the framework, which never changes' }),
  ...outputShape(shownFields),
};
const assignee = ActorOutput.nullable().meta({ description: 'Member who does the task' });
const seriesDate = nullableDate.meta({
  description: 'The date that `recurrence` gave, from which it counts; null without a recurrence',
});
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
    seriesDate,
    previous,
    next,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Task', description: 'A task of a framework' });

/** Fields of a task in an export, which can be imported. */
export const exportedFields = {
  ...fieldsBeforeAssignee,
  assignee,
  assigneeId: assigneeId.output,
  seriesDate,
  previous,
  externalIds: externalIdsOutput,
  ...changeMetadataOutput,
};
