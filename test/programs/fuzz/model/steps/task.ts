import { canTransition } from '../company-model.ts';
import type { TaskModel } from '../company-model.ts';
import type { StepContext } from '../step-context.ts';
import type { EntityTagMatch, PutOptions, ReferenceChoice, TaskStepInput } from '../steps.ts';
import { findReservation, sendPut, upsertErrors } from './external-id.ts';
import {
  DAYS,
  LABELS,
  firstNonEmpty,
  normalize,
  uniqueIdOf,
  upsertResult,
  withoutTimestamps,
  withoutUndefined,
} from './values.ts';

const DEFAULTS = {
  title: '',
  description: '',
  priority: 3,
  labels: [],
  startDate: null,
  dueDate: null,
  departmentId: null,
  gaps: [],
};

function taskInput(context: StepContext, input: TaskStepInput): Record<string, unknown> {
  const day = (index: number | null | undefined) => (typeof index === 'number' ? DAYS[index] : index);
  const { title, description, priority, labels, startDate, dueDate, department, gaps, status } = input;
  return withoutUndefined({
    // The service trims white space around a title.
    title: title === undefined ? undefined : `${title === 3 ? ' \t' : ''}${context.markedText('Title', title)}`,
    description: description === undefined ? undefined : context.markedText('R&D', description),
    priority,
    labels: labels?.map((index) => `${LABELS[index]} ${context.model.company.marker}`),
    startDate: day(startDate),
    dueDate: day(dueDate),
    departmentId: department && context.referenceId(department, 'departments'),
    gaps: gaps?.map((gap) => context.referenceId(gap, 'gaps')),
    status,
  });
}

/** Returns the statuses of the rules that a change of a task violates. */
function ruleViolations(
  context: StepContext,
  before: Pick<TaskModel, 'departmentId' | 'gaps' | 'status'>,
  after: TaskModel,
): number[] {
  const { company, archived } = context.model;
  const { departmentId: department, gaps, startDate, dueDate } = after;
  const frameworkIndex = company.frameworks.indexOf(after.framework);
  const isDepartment = (id: number) => company.departments.includes(id) && !archived.department.has(id);
  const isGap = (id: number) => company.gaps[frameworkIndex] === id && !archived.gap.has(id);
  const isUnprocessable =
    (startDate !== null && dueDate !== null && dueDate < startDate) ||
    (department !== null && department !== before.departmentId && !isDepartment(department)) ||
    new Set(gaps).size < gaps.length ||
    gaps.some((gap) => !before.gaps.includes(gap) && !isGap(gap));
  return [...(isUnprocessable ? [422] : []), ...(canTransition(before.status, after.status) ? [] : [409])];
}

const CLOSED: ReadonlySet<string> = new Set(['done', 'not_applicable', 'canceled']);

/** Fields that no step sets. */
const UNUSED = {
  vendors: [],
  recurrence: null,
  requirements: [],
  needsEvidence: false,
  assignee: null,
  reviewer: null,
  seriesDate: null,
  previous: null,
  next: null,
  evidenceCount: 0,
};

export function taskOutput(context: StepContext, { createdBy, updatedBy, ...task }: TaskModel): object {
  const people = { createdBy: context.userOutput(createdBy), updatedBy: context.userOutput(updatedBy) };
  return { ...task, ...UNUSED, ...people, isClosed: CLOSED.has(task.status) };
}

export async function createTask(context: StepContext, choice: ReferenceChoice, input: TaskStepInput): Promise<void> {
  const framework = context.referenceId(choice, 'frameworks');
  const fields = taskInput(context, input);
  const task = {
    uniqueId: '',
    framework,
    ...DEFAULTS,
    ...normalize(fields),
    status: 'todo',
    externalIds: [],
    createdBy: context.key,
    updatedBy: context.key,
    version: 1,
  } satisfies TaskModel;
  const denied = context.deniedStatuses('task:write', framework);
  const violatesRule =
    context.model.archived.framework.has(framework) ||
    ruleViolations(context, { ...task, departmentId: null, gaps: [] }, task).length > 0;
  const predicted = denied.length > 0 ? denied : !choice.isOwn ? [404] : violatesRule ? [422] : [];
  const path = `/external/task/framework/${framework}/new`;
  const request = {
    procedure: 'task.create',
    method: 'POST',
    path,
    input: { framework, ...fields },
    pathField: 'framework',
  };
  const result = await context.sendChange(request, 201, predicted);
  if (result === undefined) return;
  const created = { ...task, uniqueId: uniqueIdOf(result.data) };
  context.assertEqual(withoutTimestamps(result.data), taskOutput(context, created), result);
  context.assert(!context.model.tasks.has(created.uniqueId), result.response, 'a new id');
  context.model.tasks.set(created.uniqueId, created);
  context.recordEntityTag(result, created);
  const { title, description, priority, status } = created;
  context.recordEvent('task.create', created.uniqueId, { title, description, priority, status }, framework);
}

export async function updateTask(context: StepContext, input: TaskStepInput, match: EntityTagMatch): Promise<void> {
  const uniqueId = context.resourceId('task');
  const before = context.model.tasks.get(uniqueId);
  const fields = taskInput(context, input);
  const after = before && { ...before, ...normalize(fields) };
  const headers = context.ifMatch(before, match);
  const denied = context.deniedStatuses('task:write', before?.framework);
  const missing = before === undefined ? [404] : [];
  const violations = before && after ? ruleViolations(context, before, after) : [];
  const predicted = firstNonEmpty(denied, missing, violations, context.staleStatuses(headers, match));
  const path = `/external/task/${uniqueId}/edit`;
  const request = {
    procedure: 'task.update',
    method: 'PATCH',
    path,
    input: { taskUniqueId: uniqueId, ...fields },
    pathField: 'taskUniqueId',
    headers,
  };
  const result = await context.sendChange(request, 200, predicted);
  if (result === undefined || before === undefined || after === undefined) return;
  const { current, changes, isChanged } = context.afterChange(before, after);
  context.assertEqual(withoutTimestamps(result.data), taskOutput(context, current), result);
  context.model.tasks.set(uniqueId, current);
  context.recordEntityTag(result, current);
  if (isChanged) context.recordEvent('task.update', uniqueId, changes, before.framework);
}

export async function putTask(
  context: StepContext,
  choice: ReferenceChoice,
  input: TaskStepInput,
  options: PutOptions,
  match: EntityTagMatch,
): Promise<void> {
  const framework = context.referenceId(choice, 'frameworks');
  const reservation = findReservation(context, 'task', options.externalId, framework);
  const before = context.model.tasks.get(reservation.reserved ?? '');
  const requestFields = taskInput(context, input);
  const fields = normalize(requestFields);
  const start = before ?? {
    uniqueId: '',
    framework,
    ...DEFAULTS,
    status: 'todo',
    externalIds: [reservation.reference],
    createdBy: context.key,
    updatedBy: context.key,
    version: 1,
  };
  const after: TaskModel = { ...start, ...(options.mode === 'replace' && DEFAULTS), ...fields };
  const headers = context.ifMatch(before, match);
  const isArchived = before === undefined && context.model.archived.framework.has(framework);
  const lacksTitle = fields['title'] === undefined;
  const predicted = firstNonEmpty(
    context.deniedStatuses('task:write', framework),
    lacksTitle && options.mode === 'replace' ? [400] : [],
    upsertErrors(options, before !== undefined, reservation.reserved !== undefined),
    choice.isOwn ? [] : [404],
    lacksTitle && before === undefined ? [400] : [],
    isArchived ? [422] : ruleViolations(context, start, after),
    context.staleStatuses(headers, match),
  );
  const upsert = upsertResult(before, after);
  const sent = await sendPut(context, 'task', reservation, requestFields, options, headers, upsert, predicted);
  if (sent === undefined || sent.isDryRun) return;
  const { result, item } = sent;
  const { current, changes, isChanged } = before
    ? context.afterChange(before, after)
    : { current: { ...after, uniqueId: uniqueIdOf(item) }, changes: {}, isChanged: false };
  const { uniqueId, title, status, externalIds } = current;
  context.assertEqual(withoutTimestamps(item), taskOutput(context, current), result);
  context.model.tasks.set(uniqueId, current);
  context.model.reservations.set(reservation.key, uniqueId);
  context.recordEntityTag(result, current);
  if (before === undefined) context.recordEvent('task.create', uniqueId, { title, status, externalIds }, framework);
  else if (isChanged) context.recordEvent('task.update', uniqueId, changes, framework);
}
