import type { TaskModel } from '../company-model.ts';
import type { StepContext } from '../step-context.ts';
import type { Action, TaskSort } from '../steps.ts';
import { taskOutput } from './task.ts';
import { DAYS, LABELS, firstNonEmpty, withoutTimestamps, withoutUndefined } from './values.ts';

const isOpen = (status: string) => ['todo', 'in_progress', 'in_review'].includes(status);

const compareIds = (one: TaskModel, other: TaskModel) => (one.uniqueId < other.uniqueId ? -1 : 1);
const compareDays = (one: string | null, other: string | null, direction: 1 | -1) =>
  one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -direction : direction;
/** The orders of the contract. */
const TASK_ORDERS: Record<TaskSort, (one: TaskModel, other: TaskModel) => number> = {
  createdAt: compareIds,
  '-createdAt': (one, other) => compareIds(other, one),
  dueDate: (one, other) => compareDays(one.dueDate, other.dueDate, 1) || compareIds(one, other),
  '-dueDate': (one, other) => compareDays(one.dueDate, other.dueDate, -1) || compareIds(other, one),
  priority: (one, other) => one.priority - other.priority || compareIds(one, other),
};

export async function listTasks(
  context: StepContext,
  { framework: choice, filter, sort, limit }: Extract<Action, { type: 'list tasks' }>,
): Promise<void> {
  const framework = context.referenceId(choice, 'frameworks');
  const { status, priority, dueBefore, dueAfter } = filter;
  const label = filter.label === undefined ? undefined : `${LABELS[filter.label]} ${context.model.company.marker}`;
  const q = filter.q === undefined ? undefined : `tItLe ${filter.q} `;
  const departmentId = filter.department && context.referenceId(filter.department, 'departments');
  const [maxDueDate, minDueDate] = [dueBefore, dueAfter].map((index) =>
    index === undefined ? undefined : DAYS[index],
  );
  const input = {
    framework,
    ...withoutUndefined({
      status,
      priority,
      label,
      departmentId,
      dueBefore: maxDueDate,
      dueAfter: minDueDate,
      q,
      sort,
      limit,
    }),
  };
  const expectedTasks = [...context.model.tasks.values()]
    .filter(
      (task) =>
        task.framework === framework &&
        (status === undefined ||
          status.split(',').some((one) => (one === 'open' ? isOpen(task.status) : one === task.status))) &&
        (priority === undefined || String(priority).split(',').includes(String(task.priority))) &&
        (label === undefined || task.labels.some((other) => other.toLowerCase() === label.toLowerCase())) &&
        (departmentId === undefined || task.departmentId === departmentId) &&
        (maxDueDate === undefined || (task.dueDate !== null && task.dueDate <= maxDueDate)) &&
        (minDueDate === undefined || (task.dueDate !== null && task.dueDate >= minDueDate)) &&
        (q === undefined || task.title.toLowerCase().includes(q.toLowerCase().trim())),
    )
    .toSorted(TASK_ORDERS[sort ?? '-createdAt']);
  const predicted = firstNonEmpty(context.deniedStatuses('task:read', framework), choice.isOwn ? [] : [404]);
  const path = `/external/task/framework/${framework}/list`;
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const pageInput = { ...input, ...(cursor !== undefined && { cursor }) };
    const request = { procedure: 'task.list', method: 'GET', path, input: pageInput, pathField: 'framework' };
    const result = await context.sendRead(request, predicted);
    if (result === undefined) return;
    const { total, items, nextCursor = null } = Object(result.data) as Record<string, unknown>;
    context.assert(total === expectedTasks.length, result.response, `a total of ${expectedTasks.length}`);
    context.assert(
      Array.isArray(items) === (limit !== undefined),
      result.response,
      'items if and only if a limit is sent',
    );
    if (Array.isArray(items)) seen.push(...items.map(withoutTimestamps));
    cursor = nextCursor ?? undefined;
    const expectedItems = expectedTasks.slice(0, seen.length).map((task) => taskOutput(context, task));
    context.assertEqual(seen, expectedItems, result);
    context.assert(
      cursor !== undefined || limit === undefined || seen.length === expectedTasks.length,
      result.response,
      'all tasks',
    );
  } while (cursor !== undefined);
}
