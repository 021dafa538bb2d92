import type { StepContext } from '../step-context.ts';
import type { ReferenceChoice } from '../steps.ts';
import { firstNonEmpty, pickFields } from './values.ts';

export async function listReferenceData(
  context: StepContext,
  kind: 'framework' | 'department' | 'gap',
  choice: ReferenceChoice,
): Promise<void> {
  const framework = context.referenceId(choice, 'frameworks');
  const isGap = kind === 'gap';
  const denied = context.deniedStatuses('task:read', isGap ? framework : undefined);
  const request = isGap
    ? { path: `/external/framework/${framework}/gap/list`, input: { framework }, pathField: 'framework' }
    : { path: `/external/${kind}/list`, input: {} };
  const result = await context.sendRead(
    { procedure: `${kind}.list`, method: 'GET', ...request },
    firstNonEmpty(denied, isGap && !choice.isOwn ? [404] : []),
  );
  if (result === undefined) return;
  const { company, archived } = context.model;
  const expected = {
    framework: company.frameworks.filter((id) => context.frameworkAllowed(id)),
    department: company.departments,
    gap: [company.gaps[choice.index]],
  }[kind].map((id) => ({ id, archived: archived[kind].has(id) }));
  const items = result.data as Record<string, unknown>[];
  context.assertEqual(
    items.map((item) => pickFields(item, ['id', 'archived'])),
    expected,
    result,
  );
}

/** The model knows no requirements and no evidence, and its company is of today. */
export async function readReport(context: StepContext, choice: ReferenceChoice): Promise<void> {
  const framework = context.referenceId(choice, 'frameworks');
  const path = `/external/framework/${framework}/report`;
  const result = await context.sendRead(
    { procedure: 'framework.report', method: 'GET', path, input: { framework }, pathField: 'framework' },
    firstNonEmpty(context.deniedStatuses('task:read', framework), choice.isOwn ? [] : [404]),
  );
  if (result === undefined) return;
  const tasks = [...context.model.tasks.values()].filter((task) => task.framework === framework);
  const statuses = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'];
  const { now, before } = Object(result.data) as { now: { tasks: Record<string, unknown> }; before: unknown };
  context.assertEqual(
    { tasks: pickFields(now.tasks, statuses), before },
    {
      tasks: Object.fromEntries(
        statuses.map((status) => [status, tasks.filter((task) => task.status === status).length]),
      ),
      before: null,
    },
    result,
  );
}
