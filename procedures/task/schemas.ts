import { z } from 'zod';
import {
  ActorOutput,
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  forModels,
  idOutput,
  pathId,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { taskResource } from '../../entities/task/task.ts';
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

const { seriesDate, assigneeId, reviewerId, ...shownFields } = taskResource.schemas;
const taskFields = { ...shownFields, assigneeId, reviewerId };
/** A new task is `todo`. */
const { status: _status, ...createFields } = taskFields;

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
        'With a new `dueDate` of a recurring task: `true` also moves the tasks that follow in the series, which then count from this date. Otherwise only this task moves.',
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
  .superRefine(({ mode, title: sentTitle }, issues) => {
    if (mode === 'replace' && sentTitle === undefined)
      issues.addIssue({ code: 'custom', path: ['title'], message: 'required' });
  });

const fieldsBeforePeople = {
  uniqueId: uniqueIdOutput,
  framework: idOutput.meta({ description: 'Id of the framework, which never changes' }),
  ...outputShape(shownFields),
};
const assignee = assigneeId.shown;
const reviewer = reviewerId.shown;
const previous = uniqueIdOutput
  .nullable()
  .meta({ description: 'The task that created this one when it was closed; null if it was deleted' });
// Looked up at reading, so that they belong to no version and event. Exports have the last two.
const next = uniqueIdOutput
  .nullable()
  .meta({ description: 'The task that was created when this one was closed; null with `asOf`' });
const closedAt = timestampOutput
  .nullable()
  .meta({ description: 'Time at which the task was last closed; null while it is open, and with `asOf`' });
const closedBy = ActorOutput.nullable().meta({ description: 'User who closed it then; null when `closedAt` is null' });

export const TaskOutput = z
  .object({
    ...fieldsBeforePeople,
    assignee,
    reviewer,
    seriesDate: seriesDate.output,
    previous,
    next,
    closedAt,
    closedBy,
    externalIds: externalIdsOutput,
    ...evidenceCountOutput,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Task', description: 'A task of a framework' });

/** Fields of a task in an export, which can be imported. */
export const exportedFields = {
  ...fieldsBeforePeople,
  assignee,
  assigneeId: assigneeId.output,
  reviewer,
  reviewerId: reviewerId.output,
  seriesDate: seriesDate.output,
  previous,
  closedAt,
  closedBy,
  externalIds: externalIdsOutput,
  ...changeMetadataOutput,
};
